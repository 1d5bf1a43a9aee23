package console

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// checkout shows GET /ops/cobrancas/:id: any merchant's checkout, with the buyer's data
// masked.
func (s *console) checkout(c *fiber.Ctx) error {
	return s.showCheckout(c, decision{id: c.Params("id")}, nil, false)
}

// showBuyer handles POST /ops/cobrancas/:id/pagador: its answer shows the buyer's data once.
func (s *console) showBuyer(c *fiber.Ctx) error {
	if err := s.Merchants.ShowBuyer(c.UserContext(), page.Actor(c), c.Params("id")); err != nil {
		return err
	}
	c.Locals(buyerShown{}, true)
	return s.checkout(c)
}

// buyerShown is the key of the request's local value that shows the buyer's data unmasked.
type buyerShown struct{}

// showCheckout answers with the page of a checkout.
func (s *console) showCheckout(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	s.Payments.OpenDocument(&checkout.Checkout)
	props := pages.CaseProps{
		Section: layouts.OpsCheckouts, Href: "/ops/cobrancas", Title: i18n.Money(ctx, checkout.Amount),
		Test:  checkout.Environment == models.Test,
		Badge: components.StatusBadge(components.Checkout, string(checkout.Status)),
		Parts: []pages.Part{{ID: "checkout", Title: i18n.T(ctx, "ops.kind_checkout"),
			Facts: checkoutFacts(c, checkout)}},
	}
	if c.Locals(buyerShown{}) == nil && (page.Text(checkout.CustomerName) != "" ||
		page.Text(checkout.CustomerEmail) != "" || page.Text(checkout.CustomerDocument) != "") {
		props.Parts[0].Reveal = "/ops/cobrancas/" + checkout.ID + "/pagador"
	}
	if props.Parts, err = s.withDisputes(c, props.Parts, checkout); err != nil {
		return err
	}
	payments, err := s.paymentItems(c, checkout, "")
	if err != nil {
		return err
	}
	props.Others = &pages.Others{Title: i18n.T(ctx, "ops.payments_same"), None: i18n.T(ctx, "ops.payments_none"),
		Items: payments}
	if props.History, err = s.checkoutHistory(c, checkout); err != nil {
		return err
	}
	if checkout.Status == models.CheckoutPaid {
		refunded, err := s.refundsOf(c, checkout)
		if err != nil {
			return err
		}
		props.Decision = &pages.DecisionForm{
			Kind: "payment", Action: "/ops/cobrancas/" + checkout.ID, Version: strconv.Itoa(len(refunded)),
			Outcomes: []string{outcomeRefund}, AskAmount: i18n.T(ctx, "ops.refund_amount"),
			AskProof: i18n.T(ctx, "ops.return_id"), ProofHint: i18n.T(ctx, "ops.return_id_hint"),
			ReasonLabel: i18n.T(ctx, "ops.reason_kept_label"), ReasonHint: i18n.T(ctx, "ops.reason_kept"),
			Fields: d.DecisionFields, Errors: errs,
		}
		if changed && len(refunded) > 0 { // changed by a refund; the checkout's own acts are others
			if props.Changed, err = s.lastAct(c, refunded[len(refunded)-1].ID); err != nil {
				return err
			}
		}
	}
	return s.showCase(c, props, checkout.AccountID, checkout.ID, changed)
}

// checkoutFacts returns the facts about a checkout for staff.
func checkoutFacts(c *fiber.Ctx, checkout *models.AnyCheckout) []components.KeyValue {
	ctx, hidden := c.UserContext(), masked
	if c.Locals(buyerShown{}) != nil {
		hidden = func(text, _ string) string { return text }
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.checkout_id"), Value: checkout.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.amount"), Value: i18n.Money(ctx, checkout.Amount)},
		{Key: i18n.T(ctx, "ops.status"), Value: i18n.T(ctx, "status.checkout_"+string(checkout.Status))},
		{Key: i18n.T(ctx, "ops.description"), Value: checkout.Description},
		{Key: i18n.T(ctx, "ops.external_id"), Value: checkout.ExternalID, Mono: true},
		{Key: i18n.T(ctx, "ops.txid"), Value: checkout.TxID, Mono: true},
		{Key: i18n.T(ctx, "ops.created_at"), Value: i18n.DateTime(ctx, checkout.CreatedAt)},
		{Key: i18n.T(ctx, "ops.expires_at"), Value: i18n.DateTime(ctx, checkout.ExpiresAt)},
		{Key: i18n.T(ctx, "ops.buyer"), Value: hidden(page.Text(checkout.CustomerName), " ")},
		{Key: i18n.T(ctx, "auth.email"), Value: hidden(page.Text(checkout.CustomerEmail), "@")},
		{Key: i18n.T(ctx, "access.document"), Value: hidden(page.Text(checkout.CustomerDocument), "")},
	}
	if checkout.PaidAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.checkout_paid_at"),
			Value: i18n.DateTime(ctx, *checkout.PaidAt)})
	}
	return facts
}

// masked keeps only as much of a buyer's text as distinguishes buyers: the first letter and,
// if the text contains mark, the part after it.
func masked(text, mark string) string {
	if text == "" {
		return ""
	}
	first := string([]rune(text)[:1]) + "•••"
	if mark == "@" {
		if i := strings.LastIndex(text, mark); i >= 0 {
			return first + text[i:]
		}
	}
	return first
}

// paymentItems returns the payments of a checkout except one.
func (s *console) paymentItems(c *fiber.Ctx, checkout *models.AnyCheckout, except string) (shown []pages.Item,
	err error) {
	found, err := models.PaymentsOf(c.UserContext(), s.DB.Pool, checkout.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if p.ID == except {
			continue
		}
		amount, item := p.Amount, pages.Item{Title: p.EndToEndID, Detail: p.ID, Since: p.PaidAt}
		item.Amount, item.Href = &amount, "/ops/excecoes/"+p.ID
		if p.Settles {
			item.Href, item.Badge = "/ops/cobrancas/"+
				checkout.ID, components.StatusBadge(components.Checkout, string(models.CheckoutPaid))
		}
		shown = append(shown, item)
	}
	return shown, nil
}

// checkoutHistory returns the acts on a checkout, its refunds and its events.
func (s *console) checkoutHistory(c *fiber.Ctx, checkout *models.AnyCheckout) (history []pages.Event, err error) {
	ctx := c.UserContext()
	refunds, err := s.refundsOf(c, checkout)
	if err != nil {
		return nil, err
	}
	if history, err = s.acts(c, checkout.ID); err != nil {
		return nil, err
	}
	for _, r := range refunds {
		detail := i18n.Money(ctx, r.Amount) + "\n" + r.Reason
		if r.Status == models.RefundFailed {
			detail += "\n" + r.Failure
		}
		history = append(history, pages.Event{At: r.CreatedAt, Badge: pages.ActBadge(refundAct(r.Status)),
			Detail: detail})
	}
	told, err := models.CheckoutEvents(ctx, s.DB.Read, scopeOf(checkout), checkout.ID)
	if err != nil {
		return nil, err
	}
	for i := len(told) - 1; i >= 0; i-- {
		history = append(history, pages.Event{At: told[i].CreatedAt, Badge: pages.ActBadge(told[i].Type),
			Detail: told[i].ID})
	}
	return history, nil
}

// refundAct returns the act that made a refund what it is.
func refundAct(status models.RefundStatus) string {
	switch status {
	case models.RefundFailed:
		return "payment.refund_failed"
	case models.RefundRequested, models.RefundProcessing:
		return "payment.refund_requested"
	}
	return "payment.refunded"
}

func scopeOf(checkout *models.AnyCheckout) models.Scope {
	return models.Scope{ProjectID: checkout.ProjectID, Environment: checkout.Environment}
}

func (s *console) refundsOf(c *fiber.Ctx, checkout *models.AnyCheckout) ([]models.Refund, error) {
	return models.Refunds(c.UserContext(), s.DB.Pool, scopeOf(checkout), checkout.ID)
}
