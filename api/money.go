package api

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// readBalance handles GET /v1/balance (contract 4.4).
func (s *server) readBalance(c *fiber.Ctx) error {
	h := holder(c)
	balance, err := s.Payments.Balance(c.UserContext(), &h.Account, h.Key.Environment)
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendBalance(nil, h.Key.Environment, balance))
}

// refuseTest refuses a withdrawal with a test key. It comes before the check of permissions,
// because a permission would not help a test key (docs/rules.md, "Order of checks").
func (s *server) refuseTest(c *fiber.Ctx) error {
	if holder(c).Key.Environment == models.Test {
		return refusal.New(refusal.TestWithdrawalsNotSupported, "Withdrawals exist in live mode only. Use a live key.")
	}
	if d := s.Limits.Withdrawals.Take(holder(c).Account.ID, s.Now()); !d.Allowed {
		return tooMany(c, d)
	}
	return c.Next()
}

var (
	railRule = rule{false, func(s string) bool { return s == string(models.RailPix) || s == string(models.RailUSDT) },
		"BRL_PIX or USDT_WALLET"}
	amountText = regexp.MustCompile(`^[0-9]{1,10}(\.[0-9]{1,2})?$`)
	amountRule = rule{false, amountText.MatchString,
		`a decimal string such as "150.00", with up to ten digits and two decimals`}
)

// createWithdrawal handles POST /v1/withdrawals (contract 4.5).
func (s *server) createWithdrawal(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	o, hash, err := decode(c.BodyRaw(), refusal.InvalidRequestBody, "rail", "amount")
	if err != nil {
		return err
	}
	rail, amount := o.text("rail", true, railRule), o.text("amount", true, amountRule)
	if *o.err != nil {
		return *o.err
	}
	cents, err := money.ParseDecimal(*amount)
	if err != nil {
		return err // unreachable: the rule accepts only valid amounts
	}
	h := holder(c)
	withdrawal, created, err := s.Payments.RequestWithdrawal(c.UserContext(), &h.Account, payments.NewWithdrawal{
		Rail: models.Rail(*rail), Amount: cents, By: models.Actor{KeyID: h.Key.ID, IP: c.IP()},
		IdempotencyKey: key, RequestHash: hash,
	})
	if err != nil {
		return err
	}
	if created {
		c.Status(fiber.StatusCreated)
	}
	return sendJSON(c, payload.AppendWithdrawal(nil, withdrawal))
}

// listWithdrawals handles GET /v1/withdrawals (docs/rules.md, "Withdrawals").
func (s *server) listWithdrawals(c *fiber.Ctx) error {
	params, err := query(c, "limit", "cursor")
	if err != nil {
		return err
	}
	h := holder(c)
	f := models.WithdrawalFilter{AccountID: h.Account.ID}
	if f.Limit, err = limitOf(params); err != nil {
		return err
	}
	if f.After, err = s.cursorOf(params, payments.ListWithdrawals); err != nil {
		return err
	}
	page, err := s.Payments.AccountWithdrawals(c.UserContext(), h.Key.Environment, f)
	if err != nil {
		return err
	}
	body := []byte(`{"data":[`)
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = payload.AppendWithdrawal(body, &page.Rows[i].Withdrawal)
	}
	return sendJSON(c, endPage(body, s.Payments.Cursor(payments.ListWithdrawals, page.Next)))
}

// readWithdrawal handles GET /v1/withdrawals/{withdrawalId} (contract 4.6).
func (s *server) readWithdrawal(c *fiber.Ctx) error {
	h := holder(c)
	withdrawal, err := s.Payments.Withdrawal(c.UserContext(), h.Account.ID, h.Key.Environment, c.Params("id"))
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendWithdrawal(nil, withdrawal))
}
