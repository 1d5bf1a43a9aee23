package console

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
	"garoupa/web/page"
)

// outcomeRefund sends money of a payment back to its buyer.
const outcomeRefund = "REFUND"

// refundCase is the decision to refund a payment.
func (s *console) refundCase() decisionCase {
	return decisionCase{
		show: s.showCheckout,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			checkout, err := models.AnyCheckoutByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			errs := reasonErrors(c, d, nil)
			if amount, err := page.ReadPrice(d.Amount); err != nil || amount <= 0 || amount > checkout.Amount {
				errs = append(components.FieldErrors{{Field: "amount",
					Text: i18n.T(c.UserContext(), "problem.ops_invalid_amount")}}, errs...)
			}
			d.Outcome = outcomeRefund
			refunded, err := s.refundsOf(c, checkout)
			return errs, checkout.Status == models.CheckoutPaid && len(refunded) == d.version, err
		},
		preview: s.previewRefund,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			checkout, err := models.AnyCheckoutByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return "", "", err
			}
			payment, err := s.settling(c, checkout.ID)
			if err != nil {
				return "", "", err
			}
			amount, err := page.ReadPrice(d.Amount)
			if err != nil {
				return "", "", err
			}
			_, err = s.Payments.RefundPayment(c.UserContext(), page.Actor(c), payments.NewRefund{
				PaymentID: payment.ID, Amount: amount,
				Reason: d.Reason, ReturnID: d.Proof, Seen: d.version,
			})
			return "ops_refunded", "/ops/cobrancas/" + d.id, err
		},
	}
}

func (s *console) previewRefund(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	amount, err := page.ReadPrice(d.Amount)
	if err != nil {
		return preview{}, err
	}
	checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	s.Payments.OpenDocument(&checkout.Checkout)
	payment, err := s.settling(c, checkout.ID)
	if err != nil {
		return preview{}, err
	}
	refunded, err := s.refundsOf(c, checkout)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsCheckouts, title: i18n.T(ctx, "ops.preview_title"), back: d.id,
		backHref: "/ops/cobrancas/" + d.id,
		confirm:  i18n.T(ctx, "ops.payment_REFUND"), danger: true,
		effects: []string{i18n.T(ctx, "ops.effect_refund", i18n.Money(ctx, amount))},
		account: checkout.AccountID,
		facts:   refundFacts(c, checkout, payment, refunded, amount),
	}
	if d.Proof != "" {
		p.facts = append(p.facts, components.KeyValue{Key: i18n.T(ctx, "ops.return_id"), Value: d.Proof, Mono: true})
	}
	if payment.BankAccountID != nil {
		bank, err := models.BankAccountByID(ctx, s.DB, *payment.BankAccountID)
		if err != nil || bank.AccountID != nil { // the books have no money that is at the merchant's own bank
			return p, err
		}
	}
	pending := min(amount, payments.Unsettled(payment, checkout.SettlementStatus, refunded))
	p.compare, err = s.balances(c, checkout.AccountID, checkout.Environment,
		models.Balance{Pending: -pending, Available: pending - amount})
	return p, err
}

// refundFacts returns what was paid, by which payment, what went back already, and what is to go back now.
func refundFacts(c *fiber.Ctx, checkout *models.AnyCheckout, payment *models.Payment, refunded []models.Refund,
	amount money.Cents) []components.KeyValue {
	ctx, before := c.UserContext(), money.Cents(0)
	for _, r := range refunded {
		if r.Status != models.RefundFailed {
			before += r.Amount
		}
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.refund_amount"), Value: i18n.Money(ctx, amount)},
		{Key: i18n.T(ctx, "ops.refunded_before"), Value: i18n.Money(ctx, before)},
	}
	for _, r := range refunded {
		facts = append(facts, components.KeyValue{Key: i18n.DateTime(ctx, r.CreatedAt), Href: base.OpsPage(r.ID),
			Value: i18n.Money(ctx, r.Amount) + " · " + base.ActionName(ctx, refundAct(r.Status)) + " · " + r.ID})
	}
	return append(append(facts, checkoutFacts(c, checkout)...),
		components.KeyValue{Key: i18n.T(ctx, "ops.payment_id"), Value: payment.ID, Mono: true},
		components.KeyValue{Key: i18n.T(ctx, "withdrawals.end_to_end_id"), Value: payment.EndToEndID, Mono: true})
}

// settling returns the payment that made a checkout PAID.
func (s *console) settling(c *fiber.Ctx, checkoutID string) (*models.Payment, error) {
	found, err := models.PaymentsOf(c.UserContext(), s.DB.Pool, checkoutID)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Settles {
			return &found[i], nil
		}
	}
	return nil, models.ErrNotFound
}
