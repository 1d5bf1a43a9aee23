package models_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// hours returns the hours of a scope, ordered by time.
func hours(t *testing.T, g *paymentstest.Gateway, scope models.Scope) []models.CheckoutHour {
	t.Helper()
	all, err := models.CheckoutHours(t.Context(), g.DB.Pool, scope,
		g.Clock.Now().Add(-30*24*time.Hour).Truncate(time.Hour), g.Clock.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b models.CheckoutHour) int { return a.Hour.Compare(b.Hour) })
	for i := range all {
		all[i].Hour = all[i].Hour.UTC()
	}
	return all
}

func rollUp(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	for _, rollUp := range []func(*models.Tx, time.Time) (bool, error){models.RollUpHours, models.RollUpLinkDays} {
		for more := true; more; {
			err := g.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
				more, err = rollUp(tx, g.Clock.Now())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The hours are the same before, during and after the roll-up, even with a payment that the
// institution reports late.
func TestCheckoutHours(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	start := g.Clock.Now().Truncate(time.Hour)
	late := g.Checkout(t, payments.NewCheckout{Amount: 30_00})
	paidAt := g.Clock.Now()
	g.Clock.Advance(61 * time.Minute)
	for _, amount := range []int64{10_00, 20_00} {
		c := g.Checkout(t, payments.NewCheckout{Amount: 10_00})
		modelstest.Exec(t, g.DB, "UPDATE checkouts SET amount = $1 WHERE id = $2", amount, c.ID)
		if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, amount, g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	want := []models.CheckoutHour{{Hour: start, Created: 1},
		{Hour: start.Add(time.Hour), Created: 2, Paid: 2, Volume: 30_00, Converted: 2}}
	check := func(when string) {
		t.Helper()
		all, err := models.TotalsOf(t.Context(), g.DB.Pool, start.Add(-time.Hour), g.Account.ID)
		totals := all[g.Account.ID]
		if paid := want[0].Paid + want[1].Paid; err != nil || totals.PaidTest != paid || totals.PaidLive != 0 ||
			totals.Volume != 0 {
			t.Errorf("%s: the account's totals are %+v, %v; want %d paid", when, totals, err, paid)
		}
		if diff := cmp.Diff(want, hours(t, g, g.Test)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", when, diff)
		}
		if other := hours(t, g, g.Live); len(other) > 0 {
			t.Errorf("%s: live has %v", when, other)
		}
	}
	check("counted")
	rollUp(t, g)
	check("partly rolled up")
	g.Clock.Advance(2 * time.Hour)
	rollUp(t, g)
	check("rolled up")
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(late.TxID, 30_00, paidAt)); err != nil {
		t.Fatal(err)
	}
	rollUp(t, g)
	want[0].Paid, want[0].Volume, want[0].Converted = 1, 30_00, 1
	check("after a late payment")
	// A program without the column counts hours, and this one counts them again, also long after.
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours SET converted = 0")
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours_until SET converted = '2020-01-01T00:00:00Z'")
	rollUp(t, g)
	check("counted again")
	if totals, err := models.TotalsOf(t.Context(), g.DB.Pool, start.Add(time.Hour), g.Account.ID); err != nil ||
		totals[g.Account.ID].PaidTest != 2 {
		t.Errorf("the totals since an hour later: %+v, %v", totals, err)
	}
	modelstest.Exec(t, g.DB, "DELETE FROM checkout_hours WHERE hour = $1", start)
	if len(hours(t, g, g.Test)) != 1 {
		t.Error("hours that are rolled up were counted again")
	}
}

// A checkout counts as paid in the hour in which it was created, however much later it is paid.
func TestCheckoutHours_PaidLater(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	slow := g.Checkout(t, payments.NewCheckout{Amount: 5_00, ExpiresIn: 24 * time.Hour})
	created := g.Clock.Now().Truncate(time.Hour)
	g.Clock.Advance(3 * time.Hour)
	rollUp(t, g)
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(slow.TxID, 5_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	rollUp(t, g)
	want := []models.CheckoutHour{{Hour: created, Created: 1, Converted: 1},
		{Hour: created.Add(3 * time.Hour), Paid: 1, Volume: 5_00}}
	if diff := cmp.Diff(want, hours(t, g, g.Test)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
