package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// pageSize is how many rows a list of the dashboard shows.
const pageSize = 25

// listCheckouts shows GET /app/cobrancas.
func (s *server) listCheckouts(c *fiber.Ctx) error {
	query := strings.TrimSpace(c.Query("q"))
	if strings.HasPrefix(query, "chk_") { // an id leads to its checkout
		if found, err := s.Payments.Checkout(c.UserContext(), scope(c), query); err == nil {
			return c.Redirect("/app/cobrancas/"+found.ID, fiber.StatusSeeOther)
		}
	}
	filter := models.CheckoutFilter{Limit: pageSize, ExternalID: typed(query)}
	if status := models.CheckoutStatus(c.Query("status")); slices.Contains([]models.CheckoutStatus{
		models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired, models.CheckoutCancelled}, status) {
		filter.Status = status
	}
	if cursor := c.Query("cursor"); cursor != "" {
		// A cursor that is not ours starts the list over: the address may be old.
		filter.After, _ = s.Payments.ReadCursor(payments.ListCheckouts, cursor)
	}
	page, err := s.Payments.Checkouts(c.UserContext(), scope(c), filter)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.CheckoutsProps{Shell: shell, Status: string(filter.Status), Query: query, Checkouts: checkoutRows(page.Checkouts), APIURL: s.BaseURL}
	props.Pager = pager(props, filter.After != nil, page.NextCursor)
	return render(c, pages.Checkouts(props))
}

func pager(p pages.CheckoutsProps, deep bool, next string) components.PagerProps {
	address := func(cursor string) string {
		q := url.Values{}
		for name, value := range map[string]string{"status": p.Status, "q": p.Query, "cursor": cursor} {
			if value != "" {
				q.Set(name, value)
			}
		}
		return strings.TrimSuffix("/app/cobrancas?"+q.Encode(), "?")
	}
	var out components.PagerProps
	if deep {
		out.Previous = address("")
	}
	if next != "" {
		out.Next = address(next)
	}
	return out
}

func checkoutRows(checkouts []models.Checkout) []pages.CheckoutRow {
	var rows []pages.CheckoutRow
	for _, c := range checkouts {
		rows = append(rows, pages.CheckoutRow{
			ID: c.ID, Status: string(c.Status), Amount: c.Amount, Description: c.Description, ExternalID: c.ExternalID, CreatedAt: c.CreatedAt,
		})
	}
	return rows
}

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
	pending := checkout.Status == models.CheckoutPending
	props := pages.CheckoutProps{
		Shell: shell, ID: checkout.ID, Status: string(checkout.Status), Amount: checkout.Amount, Description: checkout.Description,
		ExternalID: checkout.ExternalID, CheckoutURL: s.CheckoutHost + "/pay/" + checkout.ID, CopyPaste: checkout.CopyPaste,
		CustomerName: text(checkout.CustomerName), CustomerEmail: text(checkout.CustomerEmail), CustomerDocument: text(checkout.CustomerDocument),
		CreatedAt: checkout.CreatedAt, ExpiresAt: checkout.ExpiresAt, PaidAt: checkout.PaidAt,
		CanCancel: pending, CanSimulate: pending && (!checkout.Livemode || s.LiveSimulated),
	}
	symbol, err := s.codes.symbol(checkout.CopyPaste)
	if err != nil {
		return err
	}
	props.QR = components.QRProps{Path: symbol.Path, Modules: symbol.Modules}
	if props.Metadata, err = metadata(checkout.Metadata); err != nil {
		return err
	}
	if err := s.addPayment(c, &props); err != nil {
		return err
	}
	if props.Events, err = s.eventRows(c, checkout.ID); err != nil {
		return err
	}
	return render(c, pages.Checkout(props))
}

// addPayment fills in what is known once the checkout is paid.
func (s *server) addPayment(c *fiber.Ctx, props *pages.CheckoutProps) error {
	if props.PaidAt == nil {
		return nil
	}
	payment, err := models.SettlingPayment(c.UserContext(), s.DB.Pool, scope(c), props.ID)
	if err != nil {
		return err
	}
	props.EndToEndID = payment.EndToEndID
	props.Settlement = &pages.Settlement{Status: string(payment.SettlementStatus), Fee: payment.Fee, Net: money.Cents(payment.Amount - payment.Fee)}
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
