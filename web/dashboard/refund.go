package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// newRefund shows GET /app/cobrancas/:id/devolver, with all that is left as the amount.
func (s *dashboard) newRefund(c *fiber.Ctx) error {
	return s.showRefund(c, pages.NewRefundProps{Key: page.FormKey("")})
}

// showRefund shows the form, or the charge's page if nothing can be given back.
func (s *dashboard) showRefund(c *fiber.Ctx, props pages.NewRefundProps) (err error) {
	checkout, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), c.Params("id"))
	if err != nil {
		return err
	}
	story, err := models.CheckoutStoryByID(c.UserContext(), s.DB.Pool, page.Scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read the story of %s: %w", checkout.ID, err)
	}
	refunds, err := models.Refunds(c.UserContext(), s.DB.Pool, page.Scope(c), checkout.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read the refunds of %s: %w", checkout.ID, err)
	}
	paid := slices.IndexFunc(story.Payments, func(p models.CheckoutPayment) bool { return p.Settles })
	if paid < 0 {
		return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
	}
	p := story.Payments[paid]
	props.ID, props.Paid, props.Fee, props.Left = checkout.ID, p.Amount, p.Fee,
		p.Amount-story.Refunded(refunds)
	props.Until = checkout.PaidAt.Add(payments.RefundableFor)
	if props.Left == 0 || s.Now().After(props.Until) || !s.Payments.StillAsked(checkout.Environment, &p) {
		return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
	}
	if props.Amount == "" && len(props.Errors) == 0 {
		props.Amount = page.TypedPrice(c, props.Left)
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.NewRefund(props))
}

// createRefund handles POST /app/cobrancas/:id/devolver. A form makes one refund, however often it is sent.
func (s *dashboard) createRefund(c *fiber.Ctx) error {
	ctx := c.UserContext()
	form := pages.NewRefundProps{Key: page.FormKey(page.Field(c, "key")), Amount: page.Field(c, "amount"),
		Reason: input.TrimLine(page.Field(c, "reason"))}
	amount, err := page.ReadPrice(form.Amount)
	if err != nil || amount <= 0 {
		form.Errors = append(form.Errors, components.FieldError{Field: "amount",
			Text: i18n.T(ctx, "problem.refund_amount")})
	}
	reason := form.Reason
	if reason == "" {
		reason = payments.DefaultRefundReason
	}
	if !payments.ValidRefundReason(reason) {
		form.Errors = append(form.Errors, components.FieldError{Field: "reason",
			Text: i18n.T(ctx, "problem.refund_reason")})
	}
	if len(form.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showRefund(c, form)
	}
	said := sha256.Sum256(fmt.Appendf(nil, "%q", []string{c.Params("id"), amount.Decimal(), reason}))
	_, _, err = s.Payments.RefundCheckout(ctx, page.Scope(c), payments.RefundRequest{
		By: page.Actor(c), AccountID: page.Visitor(c).AccountID, CheckoutID: c.Params("id"), Amount: amount,
		Reason: reason, IdempotencyKey: "dashboard:" + form.Key, RequestHash: said[:],
	})
	if err != nil {
		return s.notRefunded(c, form, amount, err)
	}
	if err := s.Flash(c, "refund_requested"); err != nil {
		return err
	}
	return c.Redirect("/app/cobrancas/"+c.Params("id"), fiber.StatusSeeOther)
}

// notRefunded shows the form again with the reason why nothing is given back.
func (s *dashboard) notRefunded(c *fiber.Ctx, form pages.NewRefundProps, amount money.Cents, err error) error {
	ctx := c.UserContext()
	problem := components.FieldError{Field: "amount"}
	switch refusal.Of(err).Code {
	case refusal.InvalidAmount:
		problem.Text = i18n.T(ctx, "problem.refund_too_much", i18n.Money(ctx, amount))
	case refusal.InsufficientBalance:
		problem.Text = i18n.T(ctx, "problem.refund_balance")
	case refusal.RefundNotPossible:
		if !errors.Is(err, payments.ErrContested) { // the charge's page has no button for it any more
			return c.Redirect("/app/cobrancas/"+c.Params("id"), fiber.StatusSeeOther)
		}
		problem = components.FieldError{Text: i18n.T(ctx, "problem.refund_contested")}
	case refusal.IdempotencyConflict: // the member went back and changed the form
		problem = components.FieldError{Text: i18n.T(ctx, "problem.refund_repeated")}
		form.Key = rand.Text()
	case refusal.AccountSuspended:
		problem = components.FieldError{Text: i18n.T(ctx, "problem.refund_suspended")}
	default:
		return err
	}
	form.Errors = components.FieldErrors{problem}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showRefund(c, form)
}
