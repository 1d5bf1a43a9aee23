package api

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// mayRefund accepts keys that a person has allowed to refund. No permission includes that: it would arm
// keys that were given out before refunds existed (docs/rules.md, "Refunds").
func mayRefund(c *fiber.Ctx) error {
	if !holder(c).Key.Refunds {
		return refusal.New(refusal.APIKeyScopeForbidden,
			"The API key may not refund. A member who handles money can allow that on the key's page in the dashboard.")
	}
	return c.Next()
}

var (
	checkoutIDRule = rule{false, func(s string) bool { return input.Length(s, 1, 64) && input.Plain(s) },
		"a checkout's id"}
	refundReasonRule = rule{true, payments.ValidRefundReason, "1 to 140 characters, without control characters"}
)

// createRefund handles POST /v1/refunds (docs/rules.md, "Refunds").
func (s *server) createRefund(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	o, hash, err := decode(c.BodyRaw(), refusal.InvalidRequestBody, "checkoutId", "amount", "reason")
	if err != nil {
		return err
	}
	id := o.text("checkoutId", true, checkoutIDRule)
	amount, reason := o.integer("amount", false), o.text("reason", false, refundReasonRule)
	if *o.err != nil {
		return *o.err
	}
	h := holder(c)
	in := payments.RefundRequest{By: models.Actor{KeyID: h.Key.ID, IP: c.IP()}, AccountID: h.Account.ID,
		CheckoutID: *id, Reason: payments.DefaultRefundReason, IdempotencyKey: key, RequestHash: hash}
	if reason != nil {
		in.Reason = *reason
	}
	if amount != nil {
		if in.Amount = money.Cents(*amount); in.Amount <= 0 || in.Amount > money.Max {
			return refusal.New(refusal.InvalidAmount, "amount must be 1 to %d centavos.", money.Max)
		}
	}
	refund, created, err := s.Payments.RefundCheckout(c.UserContext(), h.Scope(), in)
	if err != nil {
		return err
	}
	if created {
		c.Status(fiber.StatusCreated)
	}
	return sendJSON(c, payload.AppendRefund(nil, refund))
}

// readRefund handles GET /v1/refunds/{refundId}.
func (s *server) readRefund(c *fiber.Ctx) error {
	refund, err := s.Payments.Refund(c.UserContext(), holder(c).Scope(), c.Params("id"))
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendRefund(nil, refund))
}

// listRefunds handles GET /v1/refunds.
func (s *server) listRefunds(c *fiber.Ctx) error {
	params, err := query(c, "checkoutId", "limit", "cursor")
	if err != nil {
		return err
	}
	id, given := params["checkoutId"]
	if given && !checkoutIDRule.accepts(id) {
		return refusal.New(refusal.InvalidRequestBody, "checkoutId must be %s.", checkoutIDRule.wants)
	}
	f := models.RefundFilter{CheckoutID: id}
	if f.Limit, err = limitOf(params); err != nil {
		return err
	}
	if f.After, err = s.cursorOf(params, payments.ListRefunds); err != nil {
		return err
	}
	page, err := s.Payments.Refunds(c.UserContext(), holder(c).Scope(), f)
	if err != nil {
		return err
	}
	body := []byte(`{"data":[`)
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = payload.AppendRefund(body, &page.Rows[i])
	}
	return sendJSON(c, endPage(body, s.Payments.Cursor(payments.ListRefunds, page.Next)))
}
