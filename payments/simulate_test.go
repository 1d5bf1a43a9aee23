package payments_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// The last two digits of a test amount select a special behavior of the simulator
// (docs/rules.md, "Simulator").
func TestAmountRules(t *testing.T) {
	t.Parallel()
	created, paid := []string{models.EventCheckoutCreated}, []string{models.EventCheckoutCreated,
		models.EventCheckoutPaid}
	for amount, want := range map[money.Cents]outcome{
		10_00: {Status: "PAID", PaidAt: "12:00:00", Events: paid, Payments: 1, Pending: 9_90, Fees: 10},
		10_47: {Status: "PENDING", Events: created, Payments: 1, Exceptions: []string{"UNDERPAID"}, Suspense: 10_46},
		10_57: {Status: "PAID", PaidAt: "12:00:00", Events: paid, Payments: 2, Exceptions: []string{"DUPLICATE"},
			Pending: 10_47, Fees: 10, Suspense: 10_57},
	} {
		g := paymentstest.New(t)
		c := g.Checkout(t, payments.NewCheckout{Amount: amount})
		if err := g.SimulatePayment(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, outcomeOf(t, g, c.ID)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", amount.Decimal(), diff)
		}
	}

	g := paymentstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{Amount: 10_37, IdempotencyKey: "k"})
	for range 2 {
		if _, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account,
			in); refusal.Of(err).Code != refusal.ProviderUnavailable {
			t.Errorf("10.37: %v", err)
		}
	}
	if n := count(t, g, "checkouts"); n != 0 {
		t.Errorf("10.37 created %d checkouts", n)
	}
}

// Checkouts with 07 centavos are paid automatically after five seconds; others wait for a
// payment.
func TestPayDue(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	own, other := g.Checkout(t, payments.NewCheckout{Amount: 10_07}), g.Checkout(t, payments.NewCheckout{Amount: 10_08})
	statuses := func() [2]models.CheckoutStatus {
		if err := g.PayDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		return [2]models.CheckoutStatus{outcomeOf(t, g, own.ID).Status, outcomeOf(t, g, other.ID).Status}
	}
	g.Clock.Advance(5*time.Second - time.Millisecond)
	if got := statuses(); got != [2]models.CheckoutStatus{"PENDING", "PENDING"} {
		t.Errorf("a millisecond too early: %v", got)
	}
	g.Clock.Advance(time.Millisecond)
	for range 2 {
		if got := statuses(); got != [2]models.CheckoutStatus{"PAID", "PENDING"} {
			t.Errorf("on time: %v", got)
		}
	}
}

// Several instances and people pay a test checkout at the same time; it is paid once.
func TestSimulatePayment_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	own := g.Checkout(t, payments.NewCheckout{Amount: 10_07})
	g.Clock.Advance(5 * time.Second)
	var group errgroup.Group
	for range 20 {
		group.Go(func() error { return g.PayDue(t.Context()) })
		group.Go(func() error {
			if err := g.SimulatePayment(t.Context(), own.ID); err != nil &&
				refusal.Of(err).Code != refusal.CheckoutNotPending {
				return err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := outcomeOf(t, g, own.ID); got.Status != "PAID" || got.Payments != 1 || len(got.Exceptions) != 0 ||
		len(got.Events) != 2 {
		t.Errorf("got %+v", got)
	}
}

// Balance returns the amounts of the books (contract 2.4).
func TestBalance(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for range 2 {
		if err := g.SimulatePayment(t.Context(), g.Checkout(t, payments.NewCheckout{Amount: 100_00}).ID); err != nil {
			t.Fatal(err)
		}
	}
	g.Clock.Advance(paymentstest.SettlementDelay)
	if n, err := g.SettleDue(t.Context()); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if err := g.SimulatePayment(t.Context(), g.Checkout(t, payments.NewCheckout{Amount: 50_00}).ID); err != nil {
		t.Fatal(err)
	}
	got, err := g.Balance(t.Context(), g.Account, models.Test)
	want := models.Balance{Gross: 250_00, Fee: 2*99 + 50, Pending: 49_50, Available: 198_02}
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := g.Balance(t.Context(), g.Account, models.Live); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("in live before the approval: %v", err)
	}
	g.Approve(t)
	g.Account.Suspended, g.Account.WithdrawalsBlocked = true, true
	if got, err := g.Balance(t.Context(), g.Account, models.Live); err != nil || got != (models.Balance{}) {
		t.Errorf("in live, suspended: %+v, %v", got, err)
	}
}
