package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// sellLive makes a paid live charge, of which some is given back.
func sellLive(t *testing.T, g *paymentstest.Gateway, amount, refunded money.Cents) *models.Checkout {
	t.Helper()
	c, _, err := g.CreateCheckout(t.Context(), g.Live, g.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: amount}))
	if err == nil {
		err = g.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, int64(amount), g.Clock.Now()))
	}
	if err == nil && refunded > 0 {
		_, err = g.RefundPayment(t.Context(), g.Staff(t), payments.NewRefund{Amount: refunded,
			Reason:    paymentstest.Reason,
			PaymentID: modelstest.One[string](t, g.DB, "SELECT id FROM payments WHERE checkout_id = $1", c.ID)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// calendar reads the releases of live, and checks that they are all of the pending balance.
func calendar(t *testing.T, g *paymentstest.Gateway, when string) payments.Calendar {
	t.Helper()
	c, err := g.Calendar(t.Context(), g.Account, models.Live)
	books := balance(t, g, models.Live)
	if err != nil || c.Pending != books.Pending || c.Rest() != 0 {
		t.Errorf("%s: %+v, %v; the books have %+v", when, c, err, books)
	}
	return c
}

// The days of the calendar together are the pending balance, after refunds, with fees, with money that staff
// accepted, with other delays and with delays that have become shorter.
func TestCalendar(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.SetFee(t, money.Fee{BasisPoints: 149, Fixed: 10})
	if c := calendar(t, g, "empty"); len(c.Days) > 0 || c.Uncovered.Count > 0 {
		t.Errorf("%+v", c)
	}
	longer := int64(30 * 24 * 3600)
	g.SetLimits(t, models.Limits{SettlementDelay: &longer})
	sellLive(t, g, 100_00, 30_00)
	sellLive(t, g, 5, 0) // its fee is all of it
	g.Clock.Advance(6 * time.Hour)
	sellLive(t, g, 200_00, 0)
	day := int64(24 * 3600)
	g.SetLimits(t, models.Limits{SettlementDelay: &day})
	g.Clock.Advance(9 * time.Hour) // to midnight in Brasília
	sellLive(t, g, 50_00, 0)
	accepted := sellLive(t, g, 10_00, 0)
	if err := g.ConfirmPayment(t.Context(), models.Live, simulator.Pay(accepted.TxID, 10_00,
		g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 2})
	if err == nil {
		_, err = g.AcceptException(t.Context(), g.Staff(t), open[0].PaymentID, paymentstest.Reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := calendar(t, g, "three days")
	midnight := time.Date(2026, 3, 3, 3, 0, 0, 0, time.UTC)
	if len(c.Days) != 2 || !c.Days[0].Day.Equal(midnight) || !c.Days[1].Day.Equal(midnight.AddDate(0, 0, 28)) ||
		c.Days[0].Count != 2 || c.Days[0].Net() != 60_00-85-25 || c.Days[1].Count != 3 ||
		c.Days[1].Refunded != 30_00 || c.Days[1].Fee != 1_59+5+3_08 {
		t.Errorf("%+v", c)
	}
	settleAfter(t, g, 24*time.Hour)
	c = calendar(t, g, "one day later")
	if len(c.Days) != 1 || c.Uncovered != (models.Uncovered{Count: 2, Amount: 60_00 - 85 - 25}) {
		t.Errorf("%+v", c)
	}
	// What is due is released today, even if the settlement is late.
	g.Clock.Advance(40 * 24 * time.Hour)
	c = calendar(t, g, "late")
	if len(c.Days) != 1 || !c.Days[0].Day.Equal(time.Date(2026, 4, 12, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
	settleAfter(t, g, 0)
	if c = calendar(t, g, "settled"); len(c.Days) > 0 {
		t.Errorf("%+v", c)
	}
	if c, err := g.Calendar(t.Context(), g.Account, models.Test); err != nil || len(c.Days) > 0 {
		t.Errorf("test has %+v, %v", c, err)
	}
}

// Pending money is in the calendar even if the installation's delay was longer when it was paid, and live money only
// with production access.
func TestCalendar_ShorterDelay(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if _, err := g.Calendar(t.Context(), g.Account, models.Live); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("before approval: %v", err)
	}
	g.GoLive(t)
	slow := sellLive(t, g, 70_00, 0)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET settles_at = settles_at + interval '20 days' WHERE id = $1", slow.ID)
	g.Clock.Advance(10 * 24 * time.Hour)
	if c := calendar(t, g, "another delay"); len(c.Days) != 1 || c.Days[0].Count != 1 {
		t.Errorf("%+v", c)
	}
}

// settleAfter settles what is due after a while.
func settleAfter(t *testing.T, g *paymentstest.Gateway, while time.Duration) {
	t.Helper()
	g.Clock.Advance(while)
	if _, err := g.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.CoverDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}
