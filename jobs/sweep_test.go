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

// A checkout expires when its time is over, and its endpoint is notified. Other checkouts
// stay as they are.
func TestSweep_Expiry(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(200))
	g.start(t)
	later := g.checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	g.Endpoint(t, r.url)
	due := g.checkout(t, payments.NewCheckout{ExpiresIn: 50 * time.Millisecond})
	expired, created := r.next(t), r.next(t)
	if bytes.Contains(created.body, []byte(models.EventCheckoutExpired)) { // events may arrive in any order
		expired, created = created, expired
	}
	if !bytes.Contains(created.body, []byte(models.EventCheckoutCreated)) {
		t.Errorf("the other event is %s", created.body)
	}
	var event struct {
		Type string
		Data struct{ Checkout struct{ ID, Status string } }
	}
	if err := json.Unmarshal(expired.body, &event); err != nil || event.Type != models.EventCheckoutExpired ||
		event.Data.Checkout.ID != due.ID || event.Data.Checkout.Status != "EXPIRED" {
		t.Errorf("the event of its expiry is %s, %v", expired.body, err)
	}
	if late := expired.at.Sub(due.ExpiresAt); late < 0 {
		t.Errorf("the checkout expired %s too early", -late)
	}
	for id, want := range map[string]models.CheckoutStatus{due.ID: models.CheckoutExpired,
		later.ID: models.CheckoutPending} {
		if c, err := g.payments.Checkout(t.Context(), g.Test, id); err != nil || c.Status != want {
			t.Errorf("%s is %+v, %v; want %s", id, c, err, want)
		}
	}
	g.idle(t)
	r.none(t)
}

// The money of a payment becomes available without a request.
func TestSweep_Settlement(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	g.start(t)
	c := g.checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := g.payments.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the checkout is settled", func() bool {
		c, err := g.payments.Checkout(t.Context(), g.Test, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c.SettlementStatus == models.SettlementAvailable && *c.SettlementAmount == 99_01
	})
}

// A checkout that falls due while no process runs is found by the next process.
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
	eventually(t, "the checkout is expired", func() bool {
		c, err := g.payments.Checkout(t.Context(), g.Test, due.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c.Status == models.CheckoutExpired
	})
}

// The waker notifies the queue's listeners, however often Wake is called, and stops when its
// context ends.
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
	if _, err := conn.Exec(ctx, "LISTEN "+models.DeliveriesChannel); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for range 1000 { // Wake never blocks
			g.payments.Wake()
		}
		n, err := conn.WaitForNotification(ctx)
		if err != nil || n.Channel != models.DeliveriesChannel {
			t.Fatalf("heard %+v, %v", n, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	jobs.NewWaker(ended, g.DB).Wake()
}
