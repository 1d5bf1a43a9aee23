package payments_test

import (
	"cmp"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// outcome is everything that a payment can change.
type outcome struct {
	Status     models.CheckoutStatus
	PaidAt     string
	Events     []string
	Payments   int
	Exceptions []string
	Pending    money.Cents // of the merchant
	Fees       money.Cents // of the platform
	Suspense   money.Cents
}

func outcomeOf(t *testing.T, g *paymentstest.Gateway, id string) (got outcome) {
	t.Helper()
	c, err := g.Service.Checkout(t.Context(), g.Test, id)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status = c.Status; c.PaidAt != nil {
		got.PaidAt = c.PaidAt.UTC().Format(time.TimeOnly)
	}
	got.Events = modelstest.Column[string](t, g.DB, `SELECT type FROM events WHERE checkout_id = $1
		ORDER BY created_at, type`, id)
	got.Exceptions = modelstest.Column[string](t, g.DB, "SELECT kind FROM payment_exceptions ORDER BY kind")
	got.Payments = count(t, g, "payments")
	for book, balance := range map[ledger.Book]*money.Cents{
		ledger.Account(g.Account.ID, models.Test, ledger.Pending): &got.Pending,
		ledger.Fees(models.Test):                                  &got.Fees,
		ledger.Suspense(models.Test):                              &got.Suspense,
	} {
		*balance = modelstest.Held(t, g.DB, book)
	}
	return got
}

var (
	createdEvents = []string{models.EventCheckoutCreated}
	paidEvents    = []string{models.EventCheckoutCreated, models.EventCheckoutPaid}
	paidOnce      = outcome{Status: "PAID", PaidAt: "12:00:00", Events: paidEvents, Payments: 1, Pending: 99_01,
		Fees: 99}
)

// confirmation is a checkout of 100.00, payments of it, and what they change.
type confirmation struct {
	name    string
	amount  money.Cents // of the checkout; 100.00 if 0
	arrange func(*testing.T, *paymentstest.Gateway, *models.Checkout)
	pay     []psp.Payment // TxID "" means the checkout's, a zero PaidAt means now
	want    outcome
}

func confirms(t *testing.T, confirmations []confirmation) {
	t.Helper()
	for _, tc := range confirmations {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			c := g.Checkout(t, payments.NewCheckout{Amount: cmp.Or(tc.amount, 100_00)})
			if tc.arrange != nil {
				tc.arrange(t, g, c)
			}
			for _, p := range tc.pay {
				p.TxID = cmp.Or(p.TxID, c.TxID)
				if p.PaidAt.IsZero() {
					p.PaidAt = g.Clock.Now()
				}
				if err := g.ConfirmPayment(t.Context(), models.Test, p); err != nil {
					t.Fatal(err)
				}
				g.Clock.Advance(time.Second)
			}
			if diff := gocmp.Diff(tc.want, outcomeOf(t, g, c.ID)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A payment of the amount pays the checkout. All other money is an exception.
func TestConfirmPayment(t *testing.T) {
	t.Parallel()
	confirms(t, []confirmation{
		{name: "paid once", pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_00}}, want: paidOnce},
		{name: "the institution repeats the notice", pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_00},
			{EndToEndID: "E1", Amount: 100_00}}, want: paidOnce},
		{name: "a fee of zero", amount: 50, pay: []psp.Payment{{EndToEndID: "E1", Amount: 50}},
			want: outcome{Status: "PAID", PaidAt: "12:00:00", Events: paidEvents, Payments: 1, Pending: 50}},
		{name: "too little", pay: []psp.Payment{{EndToEndID: "E1", Amount: 99_99}},
			want: outcome{Status: "PENDING", Events: createdEvents, Payments: 1, Exceptions: []string{"UNDERPAID"},
				Suspense: 99_99}},
		{name: "too much", pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_01}},
			want: outcome{Status: "PENDING", Events: createdEvents, Payments: 1, Exceptions: []string{"OVERPAID"},
				Suspense: 100_01}},
		{name: "too little, then right", pay: []psp.Payment{{EndToEndID: "E1", Amount: 1},
			{EndToEndID: "E2", Amount: 100_00}},
			want: outcome{Status: "PAID", PaidAt: "12:00:01", Events: paidEvents, Payments: 2,
				Exceptions: []string{"UNDERPAID"}, Pending: 99_01, Fees: 99, Suspense: 1}},
		{name: "twice", pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_00}, {EndToEndID: "E2", Amount: 100_00}},
			want: outcome{Status: "PAID", PaidAt: "12:00:00", Events: paidEvents, Payments: 2,
				Exceptions: []string{"DUPLICATE"}, Pending: 99_01, Fees: 99, Suspense: 100_00}},
		{name: "an unknown charge", pay: []psp.Payment{{EndToEndID: "E1", TxID: "unknown", Amount: 100_00}},
			want: outcome{Status: "PENDING", Events: createdEvents, Payments: 1, Exceptions: []string{"UNMATCHED"},
				Suspense: 100_00}},
	})
}

// What counts is when the buyer paid, not when the institution reports it.
func TestConfirmPayment_ReportedLate(t *testing.T) {
	t.Parallel()
	confirms(t, []confirmation{
		{name: "sent in time, reported after the expiry", arrange: expire,
			pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_00,
				PaidAt: time.Date(2026, 3, 1, 12, 29, 59, 0, time.UTC)}},
			want: outcome{Status: "PAID", PaidAt: "12:29:59",
				Events:   []string{models.EventCheckoutCreated, models.EventCheckoutExpired, models.EventCheckoutPaid},
				Payments: 1, Pending: 99_01, Fees: 99}},
		{name: "sent after the expiry", arrange: expire,
			pay: []psp.Payment{{EndToEndID: "E1", Amount: 100_00,
				PaidAt: time.Date(2026, 3, 1, 12, 30, 1, 0, time.UTC)}},
			want: outcome{Status: "EXPIRED", Events: []string{models.EventCheckoutCreated, models.EventCheckoutExpired},
				Payments: 1, Exceptions: []string{"LATE"}, Suspense: 100_00}},
		{name: "sent in time, reported after a cancellation", arrange: cancel,
			pay:  []psp.Payment{{EndToEndID: "E1", Amount: 100_00}},
			want: paidOnce},
	})
}

func expire(t *testing.T, g *paymentstest.Gateway, c *models.Checkout) {
	g.Clock.Advance(c.ExpiresAt.Sub(g.Clock.Now()))
	if n, err := g.ExpireDue(t.Context()); err != nil || n != 1 {
		t.Fatalf("expired %d, %v", n, err)
	}
	g.Clock.Advance(time.Minute)
}

func cancel(t *testing.T, g *paymentstest.Gateway, c *models.Checkout) {
	if err := g.CancelCheckout(t.Context(), g.Owner, g.Test, c.ID); err != nil {
		t.Fatal(err)
	}
}

// Fifty concurrent confirmations of one payment pay once.
func TestConfirmPayment_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	receipt := simulator.Pay(c.TxID, 100_00, g.Clock.Now())
	var group errgroup.Group
	for range 50 {
		group.Go(func() error { return g.ConfirmPayment(t.Context(), models.Test, receipt) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	want := outcome{
		Status: "PAID", PaidAt: "12:00:00", Events: []string{models.EventCheckoutCreated, models.EventCheckoutPaid},
		Payments: 1, Pending: 99_01, Fees: 99,
	}
	if diff := gocmp.Diff(want, outcomeOf(t, g, c.ID)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Of fifty concurrent payments of one checkout, one pays it and the others become exceptions.
func TestConfirmPayment_ConcurrentDuplicates(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	var group errgroup.Group
	for range 50 {
		group.Go(func() error {
			return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now()))
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	got := outcomeOf(t, g, c.ID)
	if got.Status != "PAID" || got.Payments != 50 || len(got.Exceptions) != 49 || got.Pending != 99_01 ||
		got.Suspense != 49*100_00 || len(got.Events) != 2 {
		t.Errorf("got %+v", got)
	}
}

// Receipts of all kinds that arrive together share commits, and each has the same effect as
// alone: nothing is lost, nothing happens twice, and a receipt that cannot be written does not
// affect the others.
func TestConfirmPayment_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const n = 40
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/on")
	var group errgroup.Group
	confirm := func(p psp.Payment) { group.Go(func() error { return g.ConfirmPayment(t.Context(), models.Test, p) }) }
	for range n {
		c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
		exact, short := simulator.Pay(c.TxID, 100_00, g.Clock.Now()), simulator.Pay(c.TxID, 99_99, g.Clock.Now())
		for range 3 {
			confirm(exact)
		}
		confirm(short)
		confirm(simulator.Pay("nobody", 1_00, g.Clock.Now()))
		broken := simulator.Pay(c.TxID, -1, g.Clock.Now())
		group.Go(func() error {
			if err := g.ConfirmPayment(t.Context(), models.Test, broken); err == nil {
				t.Error("a negative amount was accepted")
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for name, query := range map[string]string{
		"paid": "SELECT count(*) FROM checkouts WHERE status = 'PAID' AND paid_at IS NOT NULL AND settles_at " +
			"IS NOT NULL",
		"payments":   "SELECT count(*) FROM payments",
		"settling":   "SELECT count(*) FROM payments WHERE settles AND fee = 99",
		"unmatched":  "SELECT count(*) FROM payment_exceptions WHERE kind = 'UNMATCHED'",
		"exceptions": "SELECT count(*) FROM payment_exceptions WHERE kind IN ('UNDERPAID', 'DUPLICATE')",
		"facts":      "SELECT count(DISTINCT fact) FROM ledger_transfers",
		"events":     "SELECT count(*) FROM events WHERE type = 'checkout.paid'",
		"deliveries": "SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING' AND endpoint_id = '" +
			endpoint.ID + "'",
	} {
		var count int
		if err := g.DB.Pool.QueryRow(t.Context(), query).Scan(&count); err != nil {
			t.Fatal(err)
		}
		counts[name] = count
	}
	want := map[string]int{
		"paid": n, "payments": 3 * n, "settling": n, "unmatched": n, "exceptions": n, "facts": 3 * n, "events": n,
		"deliveries": 2 * n,
	}
	if diff := gocmp.Diff(want, counts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if drift, err := g.CheckBooks(t.Context()); err != nil || len(drift) > 0 {
		t.Errorf("drift of the books: %v, %v", drift, err)
	}
}

// Payment, expiry and cancellation run at the same time: the checkout gets one final status
// with its one event, and a payment is never lost.
func TestRace(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for range 20 {
		c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
		var group errgroup.Group
		group.Go(func() error {
			return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now()))
		})
		group.Go(func() error { _ = g.SimulateExpiry(t.Context(), c.ID); return nil })
		group.Go(func() error { _ = g.CancelCheckout(t.Context(), g.Owner, g.Test, c.ID); return nil })
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		// The money was sent in time, so PAID wins every race.
		if got := outcomeOf(t, g, c.ID); got.Status != models.CheckoutPaid {
			t.Fatalf("got %+v", got)
		}
	}
	if n := count(t, g, "payment_exceptions"); n != 0 {
		t.Errorf("%d exceptions", n)
	}
}
