package api

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/wire"
)

// readBalance handles GET /v1/balance (contract 4.4).
func (s *server) readBalance(c *fiber.Ctx) error {
	h := holder(c)
	balance, err := s.Payments.Balance(c.UserContext(), &h.Account, h.Key.Livemode)
	if err != nil {
		return err
	}
	return sendJSON(c, wire.AppendBalance(nil, h.Key.Livemode, balance))
}

// refuseTest answers a withdrawal with a test key, before its permission is looked
// at: it is the answer that helps (decisions, 2.6).
func (s *server) refuseTest(c *fiber.Ctx) error {
	if !holder(c).Key.Livemode {
		return fault.New(fault.TestWithdrawalsNotSupported, "Withdrawals exist in live mode only. Use a live key.")
	}
	if d := s.Limits.Withdrawals.Take(holder(c).Account.ID, s.Now()); !d.Allowed {
		return tooMany(c, d)
	}
	return c.Next()
}

var (
	railRule   = rule{false, func(s string) bool { return s == string(payments.RailPix) || s == string(payments.RailUSDT) }, "BRL_PIX or USDT_WALLET"}
	amountText = regexp.MustCompile(`^[0-9]{1,10}(\.[0-9]{1,2})?$`)
	amountRule = rule{false, amountText.MatchString, `a decimal string such as "150.00", with up to ten digits and two decimals`}
)

// createWithdrawal handles POST /v1/withdrawals (contract 4.5).
func (s *server) createWithdrawal(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	o, hash, err := decode(c.BodyRaw(), fault.InvalidRequestBody, "rail", "amount")
	if err != nil {
		return err
	}
	rail, amount := o.text("rail", true, railRule), o.text("amount", true, amountRule)
	if *o.err != nil {
		return *o.err
	}
	cents, err := money.ParseDecimal(*amount)
	if err != nil || cents < payments.MinWithdrawal {
		return fault.New(fault.InvalidAmount, "amount must be at least %s.", payments.MinWithdrawal.Decimal())
	}
	return s.Payments.CreateWithdrawal(c.UserContext(), &holder(c).Account, payments.NewWithdrawal{
		Rail: payments.Rail(*rail), Amount: cents, IdempotencyKey: key, RequestHash: hash,
	})
}

// listWithdrawals handles GET /v1/withdrawals (decisions, 7).
func (s *server) listWithdrawals(c *fiber.Ctx) error {
	params, err := query(c, "limit", "cursor")
	if err != nil {
		return err
	}
	if _, err := limitOf(params); err != nil {
		return err
	}
	if _, given := params["cursor"]; given {
		return errCursor // no page has given one out
	}
	return sendJSON(c, endPage([]byte(`{"data":[`), ""))
}

// readWithdrawal handles GET /v1/withdrawals/{withdrawalId} (contract 4.6).
func (s *server) readWithdrawal(*fiber.Ctx) error {
	return fault.New(fault.WithdrawalNotFound, "No withdrawal has this id.")
}
