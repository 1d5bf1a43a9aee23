package payments_test

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

func TestExpireDue(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	soon := g.Checkout(t, payments.NewCheckout{ExpiresIn: time.Minute})
	later := g.Checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	paid := g.Checkout(t, payments.NewCheckout{ExpiresIn: time.Minute})
	if err := g.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}

	g.Clock.Advance(time.Minute - time.Millisecond)
	if n, err := g.ExpireDue(t.Context()); n != 0 || err != nil {
		t.Fatalf("a millisecond too early: %d, %v", n, err)
	}
	g.Clock.Advance(time.Millisecond)
	if n, err := g.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("on time: %d, %v", n, err)
	}
	if n, err := g.ExpireDue(t.Context()); n != 0 || err != nil {
		t.Fatalf("again: %d, %v", n, err)
	}
	for id, want := range map[string]models.CheckoutStatus{
		soon.ID: models.CheckoutExpired, later.ID: models.CheckoutPending, paid.ID: models.CheckoutPaid,
	} {
		if got := outcomeOf(t, g, id); got.Status != want {
			t.Errorf("%s is %s, want %s", id, got.Status, want)
		}
	}
}

// Streams are notified of a change once it can be read, and not of an attempt that changes
// nothing. In test the streams of the project are notified, too.
func TestTransition_Tells(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Checkout(t, payments.NewCheckout{})
	var told []string
	g.Tell = func(id string) {
		told = append(told, id)
		if got := outcomeOf(t, g, c.ID); got.Status != models.CheckoutPaid {
			t.Errorf("streams are told of %s while it is %s", c.ID, got.Status)
		}
	}
	for range 2 {
		err := g.SimulatePayment(t.Context(), c.ID)
		if err != nil && refusal.Of(err).Code != refusal.CheckoutNotPending {
			t.Fatal(err)
		}
	}
	if err := g.SimulateExpiry(t.Context(), c.ID); refusal.Of(err).Code != refusal.CheckoutNotPending {
		t.Errorf("expiring a paid checkout: %v", err)
	}
	if want := []string{c.ID, g.Test.ProjectID}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// Several instances expire many checkouts at the same time, each checkout once.
func TestExpireDue_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const n = 250
	for range n {
		g.Checkout(t, payments.NewCheckout{ExpiresIn: time.Minute})
	}
	g.Clock.Advance(time.Hour)
	var expired [4]int
	var group errgroup.Group
	for i := range expired {
		group.Go(func() (err error) {
			expired[i], err = g.ExpireDue(t.Context())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum := expired[0] + expired[1] + expired[2] + expired[3]; sum != n {
		t.Errorf("expired %v, %d in all; want %d", expired, sum, n)
	}
	events := modelstest.One[int](t, g.DB, "SELECT count(*) FROM events WHERE type = 'checkout.expired'")
	if events != n {
		t.Errorf("%d events, want %d", events, n)
	}
}

func TestGiveUp(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for name, tc := range map[string]struct {
		give func(id string) error
		want models.CheckoutStatus
	}{
		"expire": {func(id string) error { return g.SimulateExpiry(t.Context(), id) }, models.CheckoutExpired},
		"cancel": {func(id string) error { return g.CancelCheckout(t.Context(), g.Owner, g.Test, id) },
			models.CheckoutCancelled},
		"remove": {func(id string) error { return g.SimulateCancellation(t.Context(), id) }, models.CheckoutCancelled},
	} {
		c := g.Checkout(t, payments.NewCheckout{})
		if err := tc.give(c.ID); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := outcomeOf(t, g, c.ID); got.Status != tc.want {
			t.Errorf("%s: %s", name, got.Status)
		}
		if err := tc.give(c.ID); refusal.Of(err).Code != refusal.CheckoutNotPending {
			t.Errorf("%s twice: %v", name, err)
		}
		if err := tc.give("chk_00000000000000000000"); refusal.Of(err).Code != refusal.CheckoutNotFound {
			t.Errorf("%s of an unknown checkout: %v", name, err)
		}
	}
	c := g.Checkout(t, payments.NewCheckout{})
	if err := g.CancelCheckout(t.Context(), g.Owner, g.Live, c.ID); refusal.Of(err).Code != refusal.CheckoutNotFound {
		t.Errorf("canceling a test checkout in live: %v", err)
	}
}

// Endpoints receive the events to which they subscribe, and no others. Deliveries to an
// endpoint that is off are skipped.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Checkout(t, payments.NewCheckout{}) // before there are endpoints
	on, _ := g.Endpoint(t, "http://127.0.0.1/on")
	off, _ := g.Endpoint(t, "http://127.0.0.1/off")
	gone, _ := g.Endpoint(t, "http://127.0.0.1/gone")
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, off.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.DeleteEndpoint(t.Context(), g.Owner, g.Test, gone.ID); err != nil {
		t.Fatal(err)
	}
	if n := g.Woken.Load(); n != 0 {
		t.Errorf("Wake was called %d times without deliveries", n)
	}

	c := g.Checkout(t, payments.NewCheckout{})
	if err := g.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]models.DeliveryStatus{on.ID: models.DeliveryPending,
		off.ID: models.DeliverySkipped} {
		deliveries, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, id,
			models.DeliveryFilter{Limit: 10})
		if err != nil || len(deliveries) != 2 {
			t.Fatalf("%s: %d deliveries, %v", id, len(deliveries), err)
		}
		for _, d := range deliveries {
			if d.Status != want {
				t.Errorf("%s: %s is %s, want %s", id, d.Event.Type, d.Status, want)
			}
		}
	}
	var deliveries, pending int
	g.DB.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM webhook_deliveries),
		(SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING')`).Scan(&deliveries, &pending)
	if deliveries != 4 || pending != 2 || g.Woken.Load() != 2 {
		t.Errorf("%d deliveries, %d pending, %d calls of Wake; want 4, 2, 2", deliveries, pending, g.Woken.Load())
	}
}
