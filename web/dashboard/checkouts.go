package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// readCheckout shows GET /app/cobrancas/:id.
func (s *dashboard) readCheckout(c *fiber.Ctx) error {
	checkout, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), c.Params("id"))
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	may := checkout.Status == models.CheckoutPending && page.Visitor(c).Role.Can(models.Sell)
	props := pages.CheckoutProps{
		Shell: shell, ID: checkout.ID, Status: string(checkout.Status), Amount: checkout.Amount,
		Description: checkout.Description,
		ExternalID:  checkout.ExternalID, CheckoutURL: s.CheckoutURL + "/pay/" + checkout.ID,
		CopyPaste:    checkout.CopyPaste,
		CustomerName: page.Text(checkout.CustomerName), CustomerEmail: page.Text(checkout.CustomerEmail),
		CustomerDocument: page.Text(checkout.CustomerDocument),
		TxID:             checkout.TxID, PaymentLinkID: page.Text(checkout.PaymentLinkID),
		CreatedAt: checkout.CreatedAt, ExpiresAt: checkout.ExpiresAt, PaidAt: checkout.PaidAt,
		CanCancel: may, CanSimulate: may && (checkout.Environment == models.Test || s.LiveSimulated),
	}
	symbol, err := s.Codes.Symbol(checkout.CopyPaste)
	if err != nil {
		return err
	}
	props.QR = components.QRProps{Path: symbol.Path, Modules: symbol.Modules}
	if props.Metadata, err = metadata(checkout.Metadata); err != nil {
		return err
	}
	if checkout.NamesCustomer() {
		props.CustomerID = models.CustomerID(checkout.ID)
	}
	props.CanRepeat = offersSales(page.Visitor(c))
	props.Again = !may && checkout.Status != models.CheckoutPaid && props.CanRepeat
	props.CanMailReceipt = checkout.Status == models.CheckoutPaid && page.Visitor(c).Role.Can(models.Sell)
	props.Send = may && c.Query("send") != ""
	if props.Cancelling, err = s.cancelling(c, checkout); err != nil {
		return err
	}
	props.NoStory = lacks(s.Site, c, "payment", s.addStory(c, &props, checkout))
	props.Events, err = s.eventRows(c, checkout.ID)
	props.NoEvents = lacks(s.Site, c, "events", err)
	lacks(s.Site, c, "request", s.addRequest(c, &props)) // without it the page has one link less
	lacks(s.Site, c, "product", s.addSold(c, &props))    // and so without this
	return page.Render(c, pages.Checkout(props))
}

// cancelling reports whether the bank of a pending checkout has yet to confirm that it takes no payment any
// more.
func (s *dashboard) cancelling(c *fiber.Ctx, checkout *models.Checkout) (bool, error) {
	if checkout.Status != models.CheckoutPending || checkout.Environment == models.Test {
		return false, nil
	}
	charge, err := models.BankChargeByTxID(c.UserContext(), s.DB.Pool, checkout.TxID)
	if errors.Is(err, models.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("dashboard: read the charge of %s: %w", checkout.ID, err)
	}
	return charge.Status == models.BankChargeRemoving, nil
}

// addSold adds the product of the link that created the checkout.
func (s *dashboard) addSold(c *fiber.Ctx, props *pages.CheckoutProps) error {
	if props.PaymentLinkID == "" {
		return nil
	}
	link, err := s.Payments.PaymentLink(c.UserContext(), page.Scope(c), props.PaymentLinkID)
	if err != nil {
		return err
	}
	props.Product, props.ProductHref = link.Product.Name, "/app/produtos/"+link.Product.Slug
	return nil
}

// addRequest adds the API call that created the checkout, for members who may see calls.
func (s *dashboard) addRequest(c *fiber.Ctx, props *pages.CheckoutProps) error {
	if !page.Visitor(c).Role.Can(models.Integrate) {
		return nil
	}
	call, err := models.APIRequestThatMade(c.UserContext(), s.DB.Pool, page.Scope(c), props.ID)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("dashboard: read the call that made %s: %w", props.ID, err)
	}
	props.RequestID, props.RequestHref = call.RequestID, requestPage(call.ID)
	return nil
}

// addStory adds the payments, refunds and events of the checkout.
func (s *dashboard) addStory(c *fiber.Ctx, props *pages.CheckoutProps, checkout *models.Checkout) error {
	story, err := models.CheckoutStoryByID(c.UserContext(), s.DB.Pool, page.Scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read the story of %s: %w", checkout.ID, err)
	}
	props.ClosedAt = story.ClosedAt
	asked := false
	for _, p := range story.Payments {
		if p.Settles {
			asked = s.Payments.StillAsked(checkout.Environment, &p)
			props.EndToEndID = p.EndToEndID
			props.Settlement = &pages.Settlement{
				Status: string(checkout.SettlementStatus), Paid: p.Amount, Fee: p.Fee,
				Net: money.Cents(p.Amount - p.Fee), AvailableAt: story.SettlesAt, Own: p.Own,
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
	refunds, err := models.Refunds(c.UserContext(), s.DB.Pool, page.Scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read the refunds of %s: %w", checkout.ID, err)
	}
	for _, r := range refunds {
		props.Refunds = append(props.Refunds, refundRow(&r))
	}
	if props.Receipts, err = s.receiptRows(c, checkout.ID); err != nil {
		return err
	}
	disputes, err := models.DisputesOfCheckout(c.UserContext(), s.DB.Pool, page.Visitor(c).AccountID, checkout.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read the disputes of %s: %w", checkout.ID, err)
	}
	contested := false
	for _, d := range disputes {
		contested = contested || d.Bars()
		props.Disputes = append(props.Disputes, pages.DisputeRow{ID: d.ID, Status: string(d.Status), Amount: d.Amount,
			AnswerBy: d.AnswerBy, OpenedAt: d.OpenedAt})
	}
	refundable := !contested && props.Settlement != nil && story.Refunded(refunds) < props.Settlement.Paid &&
		page.Visitor(c).Role.Can(models.MoveMoney) && s.Now().Before(checkout.PaidAt.Add(payments.RefundableFor))
	props.CanRefund, props.NotAsked = refundable && asked, refundable && !asked
	return nil
}

func refundRow(r *models.Refund) pages.RefundRow {
	return pages.RefundRow{ID: r.ID, Amount: r.Amount, Status: string(r.Status), Failure: r.Failure,
		ReturnID: page.Text(r.ReturnID), CreatedAt: r.CreatedAt}
}

func (s *dashboard) eventRows(c *fiber.Ctx, checkoutID string) ([]pages.EventRow, error) {
	events, err := models.CheckoutEvents(c.UserContext(), s.DB.Read, page.Scope(c), checkoutID)
	if err != nil {
		return nil, err
	}
	return withDeliveries(s.Site, c, events)
}

// changeCheckout returns the handler of a form on a checkout's page: it calls act and shows
// the page with the result.
func (s *dashboard) changeCheckout(act func(c *fiber.Ctx, id string) error, done string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		// Read within the visitor's scope first: simulations do not check the scope.
		checkout, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), c.Params("id"))
		if err != nil {
			return err
		}
		says := done
		err = act(c, checkout.ID)
		switch {
		case err != nil && refusal.Of(err).Code == refusal.CheckoutNotPending:
			if says, err = s.notPending(c, checkout.ID); err != nil {
				return err
			}
		case errors.Is(err, payments.ErrCancelRequested):
			says = "checkout_cancel_requested"
		case err != nil:
			return err
		}
		if err := s.Flash(c, says); err != nil {
			return err
		}
		return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
	}
}

// notPending returns the message that a checkout could not change: it may have been paid meanwhile.
func (s *dashboard) notPending(c *fiber.Ctx, id string) (message string, err error) {
	now, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), id)
	if err != nil {
		return "", err
	}
	if now.Status == models.CheckoutPaid {
		return "checkout_just_paid", nil
	}
	return "checkout_not_pending", nil
}

func metadata(object []byte) ([]components.KeyValue, error) {
	var members map[string]string
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("dashboard: read metadata: %w", err)
	}
	var out []components.KeyValue
	for name, value := range members {
		out = append(out, components.KeyValue{Key: name, Value: value})
	}
	slices.SortFunc(out, func(a, b components.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}
