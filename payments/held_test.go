package payments_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/faulttest"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// patience is how long a test waits for something that should happen at once.
const patience = time.Minute

// addressOf returns the URL of the gateway's database.
func addressOf(g *paymentstest.Gateway) string { return g.DB.Pool.Config().ConnString() }

// holdCheckouts locks the rows of checkouts, like a process that hangs in the middle of a
// transaction.
func holdCheckouts(t *testing.T, g *paymentstest.Gateway, checkouts ...*models.Checkout) (release func()) {
	t.Helper()
	ids := make([]string, len(checkouts))
	for i, c := range checkouts {
		ids[i] = c.ID
	}
	return faulttest.Hold(t, addressOf(g), "SELECT FROM checkouts WHERE id = ANY($1) FOR UPDATE", ids)
}

// Payments of checkouts that another process has locked delay no other payment, are not taken
// for payments without a checkout, and are booked once: when the row is free, or when the bank
// repeats the notice.
func TestConfirmPayment_Held(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	checkout := func() *models.Checkout { return g.Checkout(t, payments.NewCheckout{Amount: 100_00}) }
	first, second := checkout(), checkout()
	release := holdCheckouts(t, g, first, second)

	var held errgroup.Group
	receipts := map[*models.Checkout]psp.Payment{}
	for _, c := range []*models.Checkout{first, second} {
		p := simulator.Pay(c.TxID, 100_00, g.Clock.Now())
		receipts[c] = p
		for range 3 { // the bank repeats its notice
			held.Go(func() error { return g.ConfirmPayment(t.Context(), models.Test, p) })
		}
	}
	const n = 40
	var others errgroup.Group
	for range n {
		c := checkout()
		others.Go(func() error {
			return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now()))
		})
	}
	others.Go(func() error {
		return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay("nobody", 1_00, g.Clock.Now()))
	})
	if err := others.Wait(); err != nil { // while the rows are locked
		t.Fatal(err)
	}
	if got := outcomeOf(t, g, first.ID); got.Status != "PENDING" || got.Payments != n+1 || len(got.Exceptions) != 1 ||
		got.Suspense != 1_00 {
		t.Errorf("while the rows are locked: %+v", got)
	}
	release()
	if err := held.Wait(); err != nil && !models.Unavailable(err) {
		t.Error(err)
	}
	for c, p := range receipts {
		if err := g.ConfirmPayment(t.Context(), models.Test, p); err != nil {
			t.Errorf("after the repeated notice: %v", err)
		}
		if got := outcomeOf(t, g, c.ID); got.Status != "PAID" || len(got.Events) != 2 {
			t.Errorf("got %+v", got)
		}
	}
	got := outcomeOf(t, g, first.ID)
	if got.Payments != n+3 || len(got.Exceptions) != 1 || got.Pending != (n+2)*99_01 {
		t.Errorf("at the end: %+v", got)
	}
}

// ConfirmPayment of a checkout that stays locked returns before its caller gives up. Whether
// or not the payment is recorded then, it is recorded once after the bank repeats its notice.
func TestConfirmPayment_HeldForLong(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c, other := g.Checkout(t, payments.NewCheckout{Amount: 100_00}), g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	release := holdCheckouts(t, g, c, other)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	p := simulator.Pay(c.TxID, 100_00, g.Clock.Now())
	for name, err := range map[string]error{
		"a bank":   g.ConfirmPayment(ctx, models.Test, p),
		"a person": g.SimulatePayment(ctx, other.ID),
	} {
		if !models.Unavailable(err) {
			t.Errorf("%s: ConfirmPayment returned %v", name, err)
		}
	}
	release()
	if err := g.ConfirmPayment(t.Context(), models.Test, p); err != nil {
		t.Error(err)
	}
	var paid int
	err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM payments WHERE checkout_id = $1 AND settles`,
		c.ID).Scan(&paid)
	if got := outcomeOf(t, g, c.ID); got.Status != "PAID" || len(got.Exceptions) > 0 || paid != 1 || err != nil {
		t.Errorf("after the repeated notice: %+v, paid %d times, %v", got, paid, err)
	}
}

// If another process is writing a payment without a checkout, only that payment waits.
func TestConfirmPayment_HeldUnmatched(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	p := simulator.Pay("nobody", 1_00, g.Clock.Now())
	writing, written, goOn := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() {
		written <- g.DB.InTx(context.Background(), func(tx *models.Tx) error {
			_, err := models.TakePaymentNames(tx, []models.PaymentName{{EndToEndID: p.EndToEndID}})
			if err == nil {
				_, err = models.InsertPayments(tx, []models.Payment{{
					ID: models.NewPaymentID(), EndToEndID: p.EndToEndID, TxID: p.TxID, Amount: money.Cents(p.Amount),
					PaidAt: p.PaidAt, RecordedAt: p.PaidAt,
				}})
			}
			close(writing)
			<-goOn
			return err
		})
	}()
	<-writing
	twin := make(chan error, 1)
	go func() { twin <- g.ConfirmPayment(context.Background(), models.Test, p) }()
	for range 3 {
		c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
		if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	close(goOn)
	if err := errors.Join(<-written, <-twin); err != nil {
		t.Error(err)
	}
	if n := count(t, g, "payments"); n != 4 {
		t.Errorf("%d payments, want 4", n)
	}
}

// The sweeps that pay, settle and expire skip rows that another process has locked, and handle
// them later.
func TestSweeps_Held(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	held, free := g.Checkout(t, payments.NewCheckout{Amount: 10_07}), g.Checkout(t, payments.NewCheckout{Amount: 10_07})
	heldOpen, freeOpen := g.Checkout(t, payments.NewCheckout{}), g.Checkout(t, payments.NewCheckout{})
	states := func() (states [4]string) {
		t.Helper()
		for i, c := range []*models.Checkout{held, free, heldOpen, freeOpen} {
			now, err := g.Service.Checkout(t.Context(), g.Test, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			states[i] = string(now.Status) + " " + string(now.SettlementStatus)
		}
		return states
	}
	settle := func(ctx context.Context) error { _, err := g.SettleDue(ctx); return err }
	expire := func(ctx context.Context) error { _, err := g.ExpireDue(ctx); return err }
	const open, paid, settled, expired = "PENDING PENDING", "PAID PENDING", "PAID AVAILABLE", "EXPIRED PENDING"
	for _, step := range []struct {
		name      string
		wait      time.Duration
		sweep     func(context.Context) error
		while, at [4]string // while two are locked, and after the release
	}{
		{"pay", 5 * time.Second, g.PayDue, [4]string{open, paid, open, open}, [4]string{paid, paid, open, open}},
		{"settle", paymentstest.SettlementDelay, settle, [4]string{paid, settled, open, open},
			[4]string{settled, settled, open, open}},
		{"expire", time.Hour, expire, [4]string{settled, settled, open, expired},
			[4]string{settled, settled, expired, expired}},
	} {
		g.Clock.Advance(step.wait)
		release := holdCheckouts(t, g, held, heldOpen)
		sweep := func() [4]string {
			if err := step.sweep(t.Context()); err != nil {
				t.Errorf("%s: %v", step.name, err)
			}
			return states()
		}
		if got := sweep(); got != step.while {
			t.Errorf("%s, while two are locked: %q, want %q", step.name, got, step.while)
		}
		release()
		got := sweep()
		for end := time.Now().Add(patience); got != step.at && time.Now().Before(end); got = sweep() {
			time.Sleep(time.Millisecond) // the server may still be rolling back
		}
		if got != step.at {
			t.Errorf("%s, after the release: %q, want %q", step.name, got, step.at)
		}
	}
}

// Creations in a project whose row is locked delay those of another project only for a moment:
// the others are written while the row is locked.
func TestCreateCheckout_Held(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	other := models.Scope{ProjectID: "prj_" + strings.Repeat("0", 20)}
	modelstest.Exec(t, g.DB, `INSERT INTO projects
		SELECT (jsonb_populate_record(p, jsonb_build_object('id', $1::text))).*
		FROM projects p WHERE id = $2`, other.ProjectID, g.Test.ProjectID)
	release := faulttest.Hold(t, addressOf(g), "SELECT FROM projects WHERE id = $1 FOR UPDATE", other.ProjectID)
	create := func(scope models.Scope) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // like a request's context
		defer cancel()
		_, _, err := g.CreateCheckout(ctx, scope, g.Account, paymentstest.Filled(payments.NewCheckout{}))
		return err
	}
	var held, free errgroup.Group
	for range 4 {
		held.Go(func() error { return create(other) })
	}
	for range 40 {
		free.Go(func() error { return create(g.Test) })
	}
	if err := free.Wait(); err != nil {
		t.Error(err)
	}
	if err := held.Wait(); !models.Unavailable(err) {
		t.Errorf("creations in the locked project: %v", err)
	}
	release()
	if n := count(t, g, "checkouts"); n != 40 {
		t.Errorf("%d checkouts, want 40, without those that were refused", n)
	}
	if err := create(other); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Attempts that change the health of an endpoint whose row is locked delay attempts at other
// endpoints only for a moment. They are recorded when the row is free.
func TestRecordAttempt_Held(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	failing, other := endpoints(t, g)
	for range 6 {
		g.Checkout(t, payments.NewCheckout{})
	}
	record := func(d *models.DueDelivery) error {
		return g.RecordAttempt(t.Context(), &d.Delivery, nil, models.Attempt{
			StatusCode: 200, StartedAt: g.Clock.Now(),
		})
	}
	taken := paymentstest.Take(t, g.DB, g.Clock.Now(), 100)
	release := faulttest.Hold(t, addressOf(g), "SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE", failing)
	var held, free errgroup.Group
	for _, d := range taken {
		group := &free
		if d.Endpoint.ID == failing {
			group = &held
		}
		group.Go(func() error { return record(d) })
	}
	if err := free.Wait(); err != nil {
		t.Error(err)
	}
	if err := held.Wait(); !models.Unavailable(err) {
		t.Errorf("attempts at the locked endpoint: %v", err)
	}
	release()
	delivered := func(endpointID string) (n int) {
		n = modelstest.One[int](t, g.DB, `SELECT count(*) FROM webhook_deliveries
			WHERE endpoint_id = $1 AND status = 'DELIVERED'`,
			endpointID)
		return n
	}
	if a, b := delivered(failing), delivered(other); a != 0 || b != 6 {
		t.Errorf("%d attempts at the locked endpoint are recorded, %d at the other", a, b)
	}
	for _, d := range taken {
		if d.Endpoint.ID != failing {
			continue
		}
		if err := record(d); err != nil {
			t.Error(err)
		}
	}
	if a := delivered(failing); a != 6 {
		t.Errorf("after the release %d attempts at the locked endpoint are recorded", a)
	}
}

// endpoints registers a failing endpoint and another one.
func endpoints(t *testing.T, g *paymentstest.Gateway) (failing, other string) {
	t.Helper()
	a, _ := g.Endpoint(t, "http://127.0.0.1/a")
	b, _ := g.Endpoint(t, "http://127.0.0.1/b")
	modelstest.Exec(t, g.DB, "UPDATE webhook_endpoints SET failing_since = now() WHERE id = $1", a.ID)
	return a.ID, b.ID
}

// A member who is changing an endpoint does not delay charges of the project.
func TestCreateCheckout_EndpointHeld(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/on")
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := models.LockEndpoint(tx, g.Test, endpoint.ID); err != nil {
			return err
		}
		c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
		return g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 100_00, g.Clock.Now()))
	})
	if err != nil {
		t.Error(err)
	}
}

// Money that left an account completes its checkouts, even if another book's checkouts are
// locked.
func TestCoverDue_Held(t *testing.T) {
	t.Parallel()
	g := live(t, 0)
	by := g.Staff(t)
	held, free := g.Fund(t, models.Test, 10_00), g.Fund(t, models.Live, 10_00) // test's book is handled first
	for _, c := range []*models.Checkout{held, free} {
		var id string
		must(t, g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1", c.ID).Scan(&id))
		_, err := g.RefundPayment(t.Context(), by,
			payments.NewRefund{PaymentID: id, Amount: 10_00, Reason: paymentstest.Reason})
		must(t, err)
	}
	release := holdCheckouts(t, g, held)
	if n, err := g.CoverDue(t.Context()); n != 1 || !models.Unavailable(err) {
		t.Errorf("while one is locked: %d, %v", n, err)
	}
	if c, err := g.Service.Checkout(t.Context(), g.Live, free.ID); err != nil ||
		c.SettlementStatus != models.SettlementCompleted {
		t.Errorf("the checkout that is not locked: %+v, %v", c, err)
	}
	release()
	if n, err := g.CoverDue(t.Context()); n != 1 || err != nil {
		t.Errorf("after the release: %d, %v", n, err)
	}
}
