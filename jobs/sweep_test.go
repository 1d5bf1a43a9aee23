package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/payments"
)

// A checkout whose time is over expires by itself, and its endpoint is told; one
// that is not, stays.
func TestSweep_Expiry(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(200))
	g.start(t)
	later := g.checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	g.Endpoint(t, r.url)
	due := g.checkout(t, payments.NewCheckout{ExpiresIn: 50 * time.Millisecond})
	expired, created := r.next(t), r.next(t)
	if bytes.Contains(created.body, []byte(models.EventCheckoutExpired)) { // nothing promises an order
		expired, created = created, expired
	}
	if !bytes.Contains(created.body, []byte(models.EventCheckoutCreated)) {
		t.Errorf("besides came %s", created.body)
	}
	var event struct {
		Type string
		Data struct{ Checkout struct{ ID, Status string } }
	}
	if err := json.Unmarshal(expired.body, &event); err != nil || event.Type != models.EventCheckoutExpired || event.Data.Checkout.ID != due.ID || event.Data.Checkout.Status != "EXPIRED" {
		t.Errorf("of its end came %s, %v", expired.body, err)
	}
	if late := expired.at.Sub(due.ExpiresAt); late < 0 {
		t.Errorf("%s before its time", -late)
	}
	for id, want := range map[string]models.CheckoutStatus{due.ID: models.CheckoutExpired, later.ID: models.CheckoutPending} {
		if c, err := g.payments.Checkout(t.Context(), g.Test, id); err != nil || c.Status != want {
			t.Errorf("%s is %+v, %v; want %s", id, c, err, want)
		}
	}
	g.idle(t)
	r.none(t)
}

// The money of a payment becomes available by itself.
func TestSweep_Settlement(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	g.start(t)
	c := g.checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := g.payments.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a settled checkout", func() bool {
		c, err := g.payments.Checkout(t.Context(), g.Test, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c.SettlementStatus == models.SettlementAvailable && *c.SettlementAmount == 99_01
	})
}

// What falls due while no process runs is found by the next.
func TestStop_Sweep(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	runner := g.start(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := runner.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	due := g.checkout(t, payments.NewCheckout{ExpiresIn: time.Millisecond})
	g.start(t)
	eventually(t, "an expired checkout", func() bool {
		c, err := g.payments.Checkout(t.Context(), g.Test, due.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c.Status == models.CheckoutExpired
	})
}

// The waker calls the queue's listeners by the name that they listen to, however
// often it is asked, and ends with its context.
func TestWaker(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, g.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(ctx, `LISTEN "public.river_insert"`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for range 1000 { // it never blocks
			g.payments.Wake()
		}
		n, err := conn.WaitForNotification(ctx)
		if err != nil || n.Payload != `{"queue": "webhooks"}` {
			t.Fatalf("heard %+v, %v", n, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	jobs.NewWaker(ended, g.DB).Wake()
}
