package payments_test

import (
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// creating is a text that occurs only in the statement that creates checkouts.
const creating = "insert into checkouts"

// If the answer to a commit is lost, one request creates one charge, with a key or without:
// the repeated write finds the first one, and created is true.
func TestCreateCheckout_AnswerLost(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"without a key": "", "with a key": "key-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, proxy := paymentstest.NewBehind(t)
			const clients, rounds = 64, 3
			var created atomic.Int64
			for round := range rounds {
				proxy.LoseAnswers(2, creating)
				var group errgroup.Group
				for i := range clients {
					in := paymentstest.Filled(payments.NewCheckout{Amount: 10_00})
					if key != "" {
						in.IdempotencyKey = key + string(rune('A'+round)) + string(rune('0'+i))
						in.RequestHash = make([]byte, 32)
					}
					group.Go(func() error {
						c, first, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
						if err != nil {
							return err
						}
						if !first {
							t.Errorf("%s: created is false for the request that created it", c.ID)
						}
						created.Add(1)
						return nil
					})
				}
				if err := group.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			if proxy.Lost() == 0 {
				t.Fatal("no answer was lost")
			}
			if n, events := count(t, g, "checkouts"), count(t, g, "events"); int64(n) != created.Load() || events != n {
				t.Errorf("%d answers, %d checkouts, %d events", created.Load(), n, events)
			}
		})
	}
}

// A request that repeats a key gets created = false even when its own write is repeated.
func TestCreateCheckout_AnswerLostToRepeat(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	in := paymentstest.Filled(payments.NewCheckout{Amount: 10_00, IdempotencyKey: "k"})
	first, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	proxy.LoseAnswers(1, creating)
	c, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil || created || c.ID != first.ID || proxy.Lost() != 1 {
		t.Errorf("%+v, %v, %v; %d lost", c, created, err, proxy.Lost())
	}
}

// If the answer to the commit is lost, paying, expiring or canceling a test checkout succeeds
// and does not report that the checkout is no longer pending. A later call reports that.
func TestSimulate_AnswerLost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		amount   int64
		do       func(g *paymentstest.Gateway, id string) error
		want     models.CheckoutStatus
		payments int
	}{
		"pay": {10_00,
			func(g *paymentstest.Gateway, id string) error { return g.SimulatePayment(t.Context(), id) }, "PAID", 1},
		"pay twice": {10_57,
			func(g *paymentstest.Gateway, id string) error { return g.SimulatePayment(t.Context(), id) }, "PAID", 2},
		"underpay": {10_47,
			func(g *paymentstest.Gateway, id string) error { return g.SimulatePayment(t.Context(), id) }, "PENDING", 1},
		"expire": {10_00,
			func(g *paymentstest.Gateway, id string) error { return g.SimulateExpiry(t.Context(), id) }, "EXPIRED", 0},
		"cancel": {10_00,
			func(g *paymentstest.Gateway, id string) error { return g.SimulateCancellation(t.Context(), id) },
			"CANCELLED", 0},
		"a member cancels": {10_00,
			func(g *paymentstest.Gateway, id string) error {
				return g.CancelCheckout(t.Context(), g.Owner, g.Test, id)
			},
			"CANCELLED", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, proxy := paymentstest.NewBehind(t)
			c := g.Checkout(t, payments.NewCheckout{Amount: money.Cents(tc.amount)})
			proxy.LoseAnswers(1, "commit")
			if err := tc.do(g, c.ID); err != nil || proxy.Lost() != 1 {
				t.Errorf("%v; %d answers lost", err, proxy.Lost())
			}
			got := outcomeOf(t, g, c.ID)
			if got.Status != tc.want || got.Payments != tc.payments {
				t.Errorf("got %+v", got)
			}
			if tc.want != "PENDING" {
				if err := tc.do(g, c.ID); refusal.Of(err).Code != refusal.CheckoutNotPending {
					t.Errorf("the second call: %v", err)
				}
			}
			if again := outcomeOf(t, g, c.ID); len(again.Events) != len(got.Events) {
				t.Errorf("events %v, then %v", got.Events, again.Events)
			}
		})
	}
}

// Simulated payments that are due are made once, although two sweeps and a person pay at the
// same time and answers are lost.
func TestPayDue_AnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	c := g.Checkout(t, payments.NewCheckout{Amount: 10_07})
	g.Clock.Advance(5 * time.Second)
	proxy.LoseAnswers(2, "commit")
	var group errgroup.Group
	var paid atomic.Int64
	for range 4 {
		group.Go(func() error { return g.PayDue(t.Context()) })
		group.Go(func() error {
			err := g.SimulatePayment(t.Context(), c.ID)
			if err == nil {
				paid.Add(1)
			} else if refusal.Of(err).Code == refusal.CheckoutNotPending {
				err = nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := outcomeOf(t, g, c.ID); got.Status != "PAID" || got.Payments != 1 || len(got.Events) != 2 ||
		paid.Load() > 1 {
		t.Errorf("the outcome is %+v, and %d calls succeeded", got, paid.Load())
	}
}

// Payments whose commits lose their answers are booked once each.
func TestConfirmPayment_AnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	const n = 40
	ids := make([]*models.Checkout, n)
	for i := range ids {
		ids[i] = g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	}
	proxy.LoseAnswers(3, "commit")
	var group errgroup.Group
	for _, c := range ids {
		group.Go(func() error {
			return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now()))
		})
	}
	group.Go(func() error {
		return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay("nobody", 1_00, g.Clock.Now()))
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if proxy.Lost() == 0 {
		t.Fatal("no answer was lost")
	}
	if got := outcomeOf(t, g, ids[0].ID); got.Status != "PAID" || got.Payments != n+1 || got.Pending != n*99_01 ||
		got.Suspense != 1_00 || len(got.Exceptions) != 1 {
		t.Errorf("got %+v", got)
	}
}

// Clients repeat operations that are not repeated automatically, with the same key: a link, a
// buyer's charge at it, and a withdrawal are created once each.
func TestRepeated_AnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	g.GoLive(t)
	g.Destination(t, models.RailPix)
	g.Fund(t, models.Live, 100_00)
	product(t, g, g.Test)
	withdrawal := paymentstest.Withdrawal(models.RailPix, 60_00)
	for name, tc := range map[string]struct {
		losing string
		ask    func() (id string, created bool, err error)
		table  string
	}{
		"a link": {"payment_links", func() (string, bool, error) {
			l, created, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
			if err != nil {
				return "", false, err
			}
			return l.ID, created, nil
		}, "payment_links"},
		"a withdrawal": {"commit", func() (string, bool, error) {
			w, created, err := g.RequestWithdrawal(t.Context(), g.Account, withdrawal)
			if err != nil {
				return "", false, err
			}
			return w.ID, created, nil
		}, "withdrawals"},
	} {
		proxy.LoseAnswers(1, tc.losing)
		before := proxy.Lost()
		id, created, err := tc.ask()
		if proxy.Lost() != before+1 {
			t.Fatalf("%s: no answer was lost", name)
		}
		if err != nil && !models.Unavailable(err) || err == nil && !created {
			t.Errorf("%s: the first request: created %t, %v", name, created, err)
		}
		again, createdAgain, err := tc.ask()
		if err != nil || createdAgain || id != "" && id != again {
			t.Errorf("%s: first %s, repeated %s, created %t, %v", name, id, again, createdAgain, err)
		}
		if n := count(t, g, tc.table); n != 1 {
			t.Errorf("%s: %d in %s", name, n, tc.table)
		}
	}
	if b := balance(t, g, models.Live); b.Available != 40_00 || b.Reserved != 60_00 {
		t.Errorf("balance %+v", b)
	}
	sound(t, g)
}

// Sweeps whose commits lose their answers do all work once.
func TestSweeps_AnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	paid, open := g.Checkout(t, payments.NewCheckout{Amount: 10_00}), g.Checkout(t, payments.NewCheckout{})
	if err := g.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Hour)
	sweeps := map[string]func() error{
		"expire": func() error { _, err := g.ExpireDue(t.Context()); return err },
		"settle": func() error { _, err := g.SettleDue(t.Context()); return err },
	}
	for name, sweep := range sweeps {
		proxy.LoseAnswers(1, "commit")
		if err := sweep(); err != nil && !models.Unavailable(err) {
			t.Errorf("%s: %v", name, err)
		}
		for range 2 {
			if err := sweep(); err != nil {
				t.Errorf("%s again: %v", name, err)
			}
		}
	}
	if got := outcomeOf(t, g, open.ID); got.Status != "EXPIRED" || len(got.Events) != 2 || proxy.Lost() != 2 {
		t.Errorf("the outcome is %+v; %d answers were lost", got, proxy.Lost())
	}
	if c, err := g.Service.Checkout(t.Context(), g.Test, paid.ID); err != nil ||
		c.SettlementStatus != models.SettlementAvailable {
		t.Errorf("got %+v, %v", c, err)
	}
	sound(t, g)
}
