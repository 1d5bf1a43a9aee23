package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// readCheckout shows GET /app/cobrancas/:id.
func (s *server) readCheckout(c *fiber.Ctx) error {
	checkout, err := s.Payments.Checkout(c.UserContext(), scope(c), c.Params("id"))
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	may := checkout.Status == models.CheckoutPending && mayDevelop(visitor(c))
	props := pages.CheckoutProps{
		Shell: shell, ID: checkout.ID, Status: string(checkout.Status), Amount: checkout.Amount, Description: checkout.Description,
		ExternalID: checkout.ExternalID, CheckoutURL: s.CheckoutHost + "/pay/" + checkout.ID, CopyPaste: checkout.CopyPaste,
		CustomerName: text(checkout.CustomerName), CustomerEmail: text(checkout.CustomerEmail), CustomerDocument: text(checkout.CustomerDocument),
		TxID: checkout.TxID, PaymentLinkID: text(checkout.PaymentLinkID),
		CreatedAt: checkout.CreatedAt, ExpiresAt: checkout.ExpiresAt, PaidAt: checkout.PaidAt,
		CanCancel: may, CanSimulate: may && (!checkout.Livemode || s.LiveSimulated),
	}
	symbol, err := s.codes.symbol(checkout.CopyPaste)
	if err != nil {
		return err
	}
	props.QR = components.QRProps{Path: symbol.Path, Modules: symbol.Modules}
	if props.Metadata, err = metadata(checkout.Metadata); err != nil {
		return err
	}
	props.Again = !may && checkout.Status != models.CheckoutPaid && mayDevelop(visitor(c)) && !needsAccess(visitor(c))
	props.NoStory = s.lacks(c, "payment", s.addStory(c, &props, checkout))
	props.Events, err = s.eventRows(c, checkout.ID)
	props.NoEvents = s.lacks(c, "events", err)
	s.lacks(c, "request", s.addRequest(c, &props)) // one link fewer
	return render(c, pages.Checkout(props))
}

// addRequest fills in the call that made the checkout, for those who may see calls.
func (s *server) addRequest(c *fiber.Ctx, props *pages.CheckoutProps) error {
	if !mayDevelop(visitor(c)) {
		return nil
	}
	call, err := models.APIRequestThatMade(c.UserContext(), s.DB.Pool, scope(c), props.ID)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("web: read the call that made %s: %w", props.ID, err)
	}
	props.RequestID, props.RequestHref = call.RequestID, requestPage(call.ID)
	return nil
}

// addStory fills in what became of the checkout and of the money that was sent.
func (s *server) addStory(c *fiber.Ctx, props *pages.CheckoutProps, checkout *models.Checkout) error {
	story, err := models.CheckoutStoryByID(c.UserContext(), s.DB.Pool, scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("web: read the story of %s: %w", checkout.ID, err)
	}
	props.ClosedAt = story.ClosedAt
	for _, p := range story.Payments {
		if p.Settles {
			props.EndToEndID = p.EndToEndID
			props.Settlement = &pages.Settlement{
				Status: string(checkout.SettlementStatus), Paid: p.Amount, Fee: p.Fee, Net: money.Cents(p.Amount - p.Fee), AvailableAt: story.SettlesAt,
			}
			continue
		}
		row := pages.StrayPayment{EndToEndID: p.EndToEndID, Amount: p.Amount, PaidAt: p.PaidAt}
		if p.Kind != nil {
			row.Kind = string(*p.Kind)
		}
		if p.Decision != nil {
			row.Decision = string(*p.Decision)
		}
		props.Stray = append(props.Stray, row)
	}
	refunds, err := models.Refunds(c.UserContext(), s.DB.Pool, scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("web: read the refunds of %s: %w", checkout.ID, err)
	}
	for _, r := range refunds {
		props.Refunds = append(props.Refunds, pages.RefundRow{ID: r.ID, Amount: r.Amount, ReturnID: text(r.ReturnID), CreatedAt: r.CreatedAt})
	}
	return nil
}

func (s *server) eventRows(c *fiber.Ctx, checkoutID string) ([]pages.EventRow, error) {
	events, err := models.CheckoutEvents(c.UserContext(), s.DB.Pool, scope(c), checkoutID)
	if err != nil {
		return nil, err
	}
	return s.withDeliveries(c, events)
}

// changeCheckout handles the forms of a checkout's page: it does act and shows the
// page again with what became of it.
func (s *server) changeCheckout(act func(c *fiber.Ctx, id string) error, done string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		// Read within the visitor's scope first: simulations know no scope.
		checkout, err := s.Payments.Checkout(c.UserContext(), scope(c), c.Params("id"))
		if err != nil {
			return err
		}
		says := done
		if err := act(c, checkout.ID); fault.Of(err).Code == fault.CheckoutNotPending && err != nil {
			says = "checkout_not_pending"
		} else if err != nil {
			return err
		}
		if err := s.flash(c, says); err != nil {
			return err
		}
		return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
	}
}

func metadata(object []byte) ([]components.KeyValue, error) {
	var members map[string]string
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("web: read metadata: %w", err)
	}
	var out []components.KeyValue
	for name, value := range members {
		out = append(out, components.KeyValue{Key: name, Value: value})
	}
	slices.SortFunc(out, func(a, b components.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
