package payments_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A process on a machine whose clock is hours off expires and settles checkouts at the same
// time as the others.
func TestClock_OtherMachine(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Service.SettlementDelayTest = 10 * time.Minute
	use := func(ahead time.Duration) {
		t.Helper()
		clock, err := models.NewClock(t.Context(), g.DB, func() time.Time { return time.Now().Add(ahead) })
		if err != nil {
			t.Fatal(err)
		}
		g.Service.Now = clock.Now
	}
	use(-5 * time.Hour)
	open, paid := g.Checkout(t, payments.NewCheckout{}), g.Checkout(t, payments.NewCheckout{})
	if err := g.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	use(5 * time.Hour)
	expired, err := g.ExpireDue(t.Context())
	if err != nil || expired != 0 {
		t.Errorf("expired %d of %s, %v", expired, open.ExpiresAt, err)
	}
	settled, err := g.SettleDue(t.Context())
	if err != nil || settled != 0 {
		t.Errorf("settled %d, %v", settled, err)
	}
	if off := time.Until(open.CreatedAt).Abs(); off > time.Minute {
		t.Errorf("on a machine whose clock is behind the checkout was created at %s", open.CreatedAt)
	}
}
