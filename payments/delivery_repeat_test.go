package payments_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// fail records failed attempts of a delivery until there are n, as the worker does.
func fail(t *testing.T, g *paymentstest.Gateway, deliveryID string, n int) {
	t.Helper()
	for range n {
		d, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, deliveryID)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.RecordAttempt(t.Context(), d, nil,
			models.Attempt{StatusCode: 500, ErrorClass: "status", Detail: "answered 500", StartedAt: g.Clock.Now(),
				Duration: 30 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
}

// resends returns the number of attempts that persons asked for.
func resends(t *testing.T, g *paymentstest.Gateway) (n int) { return count(t, g, "webhook_resends") }

// pending returns the number of deliveries that are pending.
func pending(t *testing.T, g *paymentstest.Gateway) (n int) {
	return count(t, g, "webhook_deliveries WHERE status = 'PENDING'")
}

// A form that is sent twice, even at the same time, resends once. Another form resends again.
// A resent delivery keeps its schedule.
func TestResendDelivery(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	d := delivery(t, g, endpoint.ID)
	fail(t, g, d.ID, 1)
	woken := g.Woken.Load()
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return g.ResendDelivery(t.Context(), g.Owner, g.Test, d.ID, "a form") })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := resends(t, g); n != 1 || g.Woken.Load() != woken+1 {
		t.Errorf("one form sent four times: %d resends, %d calls of Wake", n, g.Woken.Load()-woken)
	}
	// A finished resend is kept for a day; the form must not resend within that day.
	modelstest.Exec(t, g.DB, "UPDATE webhook_resends SET finished_at = now()")
	if err := g.ResendDelivery(t.Context(), g.Owner, g.Test, d.ID, "a form"); err != nil || resends(t, g) != 1 {
		t.Errorf("the form sent again after the attempt: %v, %d resends", err, resends(t, g))
	}
	if underWay, err := models.ResendUnderWay(t.Context(), g.DB.Pool, d.ID); underWay || err != nil {
		t.Errorf("ResendUnderWay after the attempt: %v, %v", underWay, err)
	}
	if err := g.ResendDelivery(t.Context(), g.Owner, g.Test, d.ID, "another form"); err != nil ||
		resends(t, g) != 2 {
		t.Errorf("another form: %v, %d resends", err, resends(t, g))
	}
	if underWay, err := models.ResendUnderWay(t.Context(), g.DB.Pool, d.ID); !underWay || err != nil {
		t.Errorf("ResendUnderWay after another form: %v, %v", underWay, err)
	}
	if now := delivery(t, g, endpoint.ID); now.Status != models.DeliveryPending || now.Attempts != 1 ||
		now.NextAttemptAt == nil {
		t.Errorf("the delivery changed: %+v", now)
	}
	for name, scope := range map[string]models.Scope{"live": g.Live,
		"another project": {ProjectID: models.NewProjectID()}} {
		if err := g.ResendDelivery(t.Context(), g.Owner, scope, d.ID, name); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("from %s: %v", name, err)
		}
	}
	for _, unknown := range []string{"", "dlv_\x00", "dlv_" + strings.Repeat("0", 24)} {
		if err := g.ResendDelivery(t.Context(), g.Owner, g.Test, unknown, "x"); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
}

// A replay sends the failed and skipped deliveries of its period once, even if it is requested
// several times at once.
func TestReplayDeliveries(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	deliver := func(n int) *models.Delivery {
		g.Checkout(t, payments.NewCheckout{})
		d := delivery(t, g, endpoint.ID)
		fail(t, g, d.ID, n)
		g.Clock.Advance(time.Minute)
		return d
	}
	early := deliver(5)
	since := g.Clock.Now()
	failed, retrying := deliver(5), deliver(2)
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, endpoint.ID, false); err != nil {
		t.Fatal(err)
	}
	skipped := deliver(0)
	until := g.Clock.Now()
	g.Clock.Advance(time.Minute)
	late := deliver(0)
	period := models.Replay{EndpointID: endpoint.ID, Since: since, Until: until}

	if n, err := g.CountReplay(t.Context(), g.Test, period); n != 2 || err != nil {
		t.Fatalf("CountReplay returned %d, %v; want 2", n, err)
	}
	if _, err := g.ReplayDeliveries(t.Context(), g.Owner, g.Test, period); !errors.Is(err,
		payments.ErrEndpointOff) {
		t.Errorf("ReplayDeliveries while the endpoint is off: %v", err)
	}
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, endpoint.ID, true); err != nil {
		t.Fatal(err)
	}
	before := pending(t, g)
	var taken [3]int
	var group errgroup.Group
	for i := range taken {
		group.Go(func() error {
			done, err := g.ReplayDeliveries(t.Context(), g.Owner, g.Test, period)
			taken[i] = done.Count
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum := taken[0] + taken[1] + taken[2]; sum != 2 || pending(t, g) != before+2 {
		t.Errorf("three concurrent replays returned %v, with %d more pending; want 2", taken, pending(t, g)-before)
	}
	for name, tc := range map[string]struct {
		id   string
		want models.DeliveryStatus
	}{
		"before": {early.ID, models.DeliveryFailed}, "failed": {failed.ID, models.DeliveryPending},
		"retrying": {retrying.ID, models.DeliveryPending},
		"skipped":  {skipped.ID, models.DeliveryPending}, "after": {late.ID, models.DeliverySkipped},
	} {
		if d, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, tc.id); err != nil || d.Status != tc.want {
			t.Errorf("%s: %s, %v; want %s", name, d.Status, err, tc.want)
		}
	}
	if _, err := g.ReplayDeliveries(t.Context(), g.Owner, g.Live, period); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("ReplayDeliveries in live: %v", err)
	}
}

// A delivery that a replay repeats gets the whole schedule again.
func TestReplayDeliveries_Schedule(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	since := g.Clock.Now()
	g.Checkout(t, payments.NewCheckout{})
	failed := delivery(t, g, endpoint.ID)
	fail(t, g, failed.ID, 5)
	g.Clock.Advance(time.Minute)
	period := models.Replay{EndpointID: endpoint.ID, Since: since, Until: g.Clock.Now()}
	if done, err := g.ReplayDeliveries(t.Context(), g.Owner, g.Test, period); done.Count != 1 || err != nil {
		t.Fatalf("ReplayDeliveries returned %+v, %v; want 1", done, err)
	}
	for i, want := range []models.DeliveryStatus{models.DeliveryPending, models.DeliveryPending, models.DeliveryPending,
		models.DeliveryPending, models.DeliveryFailed} {
		fail(t, g, failed.ID, 1)
		if d, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, failed.ID); err != nil || d.Status != want ||
			d.Attempts != 6+i {
			t.Errorf("replay attempt %d: %s, %d attempts, %v, want %s", i+1, d.Status, d.Attempts, err, want)
		}
	}
}

// Staff can replay deliveries of merchants, but not of accounts of which they are members.
func TestReplayAsStaff(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	fail(t, g, delivery(t, g, endpoint.ID).ID, 5)
	period := models.Replay{EndpointID: endpoint.ID, Since: g.Clock.Now().Add(-time.Hour), Until: g.Clock.Now()}
	if _, err := g.ReplayAsStaff(t.Context(), g.Owner, g.Test, period); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("a member: %v", err)
	}
	if done, err := g.ReplayAsStaff(t.Context(), g.Staff(t), g.Test, period); err != nil || done.Count != 1 {
		t.Errorf("staff: %+v, %v", done, err)
	}
}

// Concurrent replays repeat each delivery once.
func TestReplayDeliveries_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	const n = 2_500 // more than one transaction repeats
	modelstest.Exec(t, g.DB, `WITH v AS (INSERT INTO events (id, project_id, livemode, type, body, created_at)
			SELECT 'evt_' || left(md5(i::text), 24), $1, false, 'checkout.paid', '{}',
				$2::timestamptz - i * interval '1 second' FROM generate_series(1, $3) AS i
			RETURNING id, created_at)
		INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, attempts, created_at, finished_at)
		SELECT 'dlv_' || left(md5(id), 24), id, $4, 'FAILED', 5, created_at, created_at FROM v`, g.Test.ProjectID,
		g.Clock.Now(), n, endpoint.ID)
	var taken [4]int
	var group errgroup.Group
	for i := range taken {
		group.Go(func() error {
			done, err := g.ReplayDeliveries(t.Context(), g.Owner, g.Test, models.Replay{EndpointID: endpoint.ID,
				Since: g.Clock.Now().Add(-time.Hour), Until: g.Clock.Now()})
			taken[i] = done.Count
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum := taken[0] + taken[1] + taken[2] + taken[3]; sum != n || pending(t, g) != n {
		t.Errorf("the replays returned %v, %d in all, with %d pending; want %d", taken, sum, pending(t, g), n)
	}
}

// A test event goes only to its endpoint, is marked as a test, and does not replace a
// checkout's event.
func TestSendTestEvent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Approve(t)
	for name, scope := range map[string]models.Scope{"test": g.Test, "live": g.Live} {
		one, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, scope,
			merchants.NewEndpoint{URL: "https://loja.example/hook",
				Types: []string{models.EventCheckoutPaid, models.EventCheckoutCancelled}})
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, scope,
			merchants.NewEndpoint{URL: "https://loja.example/other", Types: models.EventTypes})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // any number is allowed
			id, err := g.SendTestEvent(t.Context(), g.Owner, scope, one.ID, models.EventCheckoutPaid, "Evento de teste")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			d, err := models.DeliveryOf(t.Context(), g.DB.Pool, scope, id)
			if err != nil || d.Status != models.DeliveryPending || d.Endpoint.ID != one.ID || !d.Event.Test ||
				d.Event.CheckoutID != "" {
				t.Fatalf("%s: %+v, %v", name, d, err)
			}
			var body struct {
				ID, Type    string
				Environment models.Environment `json:"livemode"`
				Data        struct {
					Checkout struct{ Status, Description, ExternalID, PaidAt string }
				}
			}
			if err := json.Unmarshal(d.Event.Body, &body); err != nil || body.ID != d.Event.ID ||
				body.Type != models.EventCheckoutPaid || body.Environment != scope.Environment {
				t.Errorf("%s: the body is %s, %v", name, d.Event.Body, err)
			}
			if c := body.Data.Checkout; c.Status != "PAID" || c.PaidAt == "" || c.Description != "Evento de teste" ||
				c.ExternalID != "test_event" {
				t.Errorf("%s: the checkout is %+v", name, c)
			}
		}
		if all, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, scope, other.ID,
			models.DeliveryFilter{Limit: 9}); err != nil || len(all) != 0 {
			t.Errorf("%s: the other endpoint has %d deliveries, %v", name, len(all), err)
		}
		if _, err := g.SendTestEvent(t.Context(), g.Owner, scope, one.ID, models.EventCheckoutCreated,
			"x"); !errors.Is(err, payments.ErrNotSubscribed) {
			t.Errorf("%s: a type to which it does not subscribe: %v", name, err)
		}
		if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, scope, one.ID, false); err != nil {
			t.Fatal(err)
		}
		if _, err := g.SendTestEvent(t.Context(), g.Owner, scope, one.ID, models.EventCheckoutPaid,
			"x"); !errors.Is(err, payments.ErrEndpointOff) {
			t.Errorf("%s: an endpoint that is off: %v", name, err)
		}
	}
}

// checkout.cancelled is written only if an endpoint subscribes to it, and only such endpoints
// receive it.
func TestCancelCheckout_Event(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	types := func(id string) (types []string) {
		events, err := models.CheckoutEvents(t.Context(), g.DB.Pool, g.Test, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			types = append(types, e.Type)
		}
		return types
	}
	cancel := func() string {
		c := g.Checkout(t, payments.NewCheckout{})
		g.Clock.Advance(time.Second)
		if err := g.CancelCheckout(t.Context(), g.Owner, g.Test, c.ID); err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	plain, _ := g.Endpoint(t, "http://127.0.0.1/plain")
	if diff := cmp.Diff([]string{"checkout.created"}, types(cancel())); diff != "" {
		t.Errorf("without a subscription (-want +got)\n%s", diff)
	}
	asked, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, g.Test,
		merchants.NewEndpoint{URL: "http://127.0.0.1/asked", Types: []string{models.EventCheckoutCancelled}})
	if err != nil {
		t.Fatal(err)
	}
	id := cancel()
	if diff := cmp.Diff([]string{"checkout.created", "checkout.cancelled"}, types(id)); diff != "" {
		t.Errorf("with a subscription (-want +got)\n%s", diff)
	}
	for endpoint, want := range map[string][]string{plain.ID: {"checkout.created", "checkout.created"},
		asked.ID: {"checkout.cancelled"}} {
		all, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpoint, models.DeliveryFilter{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range all {
			got = append(got, d.Event.Type)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", endpoint, diff)
		}
	}
	var body []byte
	if err := g.DB.Pool.QueryRow(t.Context(),
		"SELECT body FROM events WHERE type = 'checkout.cancelled'").Scan(&body); err != nil ||
		!strings.Contains(string(body), `"status":"CANCELLED"`) {
		t.Errorf("the event is %s, %v", body, err)
	}
}
