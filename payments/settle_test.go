package payments_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Net becomes available when the delay is over, once, whoever settles.
func TestSettleDue(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	paid := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	g.Checkout(t, payments.NewCheckout{Amount: 100_00}) // never paid
	if err := g.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(paymentstest.SettlementDelay - time.Millisecond)
	if n, err := g.SettleDue(t.Context()); n != 0 || err != nil {
		t.Fatalf("a millisecond early: %d, %v", n, err)
	}
	g.Clock.Advance(time.Millisecond)
	var settled [5]int
	var group errgroup.Group
	for i := range settled {
		group.Go(func() (err error) { settled[i], err = g.SettleDue(t.Context()); return err })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := settled[0] + settled[1] + settled[2] + settled[3] + settled[4]; n != 1 {
		t.Errorf("settled %v", settled)
	}
	c, err := g.Service.Checkout(t.Context(), g.Test, paid.ID)
	if err != nil || c.SettlementStatus != models.SettlementAvailable || c.SettlementAmount == nil || *c.SettlementAmount != 99_01 {
		t.Errorf("settlement %s %v, %v", c.SettlementStatus, c.SettlementAmount, err)
	}
	for kind, want := range map[ledger.Kind]int64{ledger.Pending: 0, ledger.Available: 99_01} {
		if got, err := ledger.Balance(t.Context(), g.DB.Pool, ledger.Account(g.Account.ID, false, kind)); int64(got) != want || err != nil {
			t.Errorf("%s holds %d, %v; want %d", kind, got, err, want)
		}
	}
	if drift, err := ledger.Check(t.Context(), g.DB.Pool); len(drift) != 0 || err != nil {
		t.Errorf("drift %v, %v", drift, err)
	}
}
