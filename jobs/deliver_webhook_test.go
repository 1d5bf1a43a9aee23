package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/webhook"
)

// Events arrive as the bytes that were stored, signed, with the documented headers (contract,
// section 6; docs/rules.md, "Webhook deliveries").
func TestDelivery(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(204))
	endpoint, secret := g.Endpoint(t, r.url)
	g.start(t)
	phone := "11 98765-4321"
	c := g.checkout(t, payments.NewCheckout{Customer: payments.Customer{Phone: &phone}})
	created := r.next(t)
	if err := g.payments.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	for kind, p := range map[string]post{models.EventCheckoutCreated: created, models.EventCheckoutPaid: r.next(t)} {
		var event struct {
			ID, Type  string
			CreatedAt time.Time
			Livemode  *bool
			Data      struct{ Checkout struct{ ID, Status string } }
		}
		if err := json.Unmarshal(p.body, &event); err != nil {
			t.Fatalf("%s: %v", p.body, err)
		}
		if event.Type != kind || event.Livemode == nil || *event.Livemode || event.Data.Checkout.ID != c.ID ||
			bytes.Contains(bytes.ReplaceAll(p.body, []byte("-"), nil), []byte("987654321")) {
			t.Errorf("%s reads %s", kind, p.body)
		}
		var stored []byte
		if err := g.DB.Pool.QueryRow(t.Context(), "SELECT body FROM events WHERE id = $1",
			event.ID).Scan(&stored); err != nil ||
			!bytes.Equal(stored, p.body) {
			t.Errorf("%s was stored as %s, %v; sent as %s", kind, stored, err, p.body)
		}
		if !webhook.Verify(secret, p.header.Get("x-svc-signature"), p.body) {
			t.Errorf("%s has the signature %q", kind, p.header.Get("x-svc-signature"))
		}
		if library, err := standardwebhooks.NewWebhook(secret); err != nil || library.Verify(p.body, p.header) != nil ||
			p.header.Get("webhook-id") != event.ID {
			t.Errorf("%s has the headers %v for the library of Standard Webhooks, %v", kind, p.header, err)
		}
		sent, err := time.Parse("2006-01-02T15:04:05.000Z", p.header.Get("x-svc-timestamp"))
		if err != nil || time.Since(sent).Abs() > time.Minute || event.CreatedAt.IsZero() {
			t.Errorf("%s was sent at %q, %v", kind, p.header.Get("x-svc-timestamp"), err)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "Garoupa-Webhooks/1.0", "x-svc-event-id": event.ID,
			"x-svc-attempt": "1",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s has %s %q, want %q", kind, name, got, want)
			}
		}
	}
	g.idle(t)
	for _, d := range g.deliveries(t, endpoint.ID) {
		if d.Status != models.DeliveryDelivered || d.Attempts != 1 || d.Last.StatusCode != 204 ||
			d.Last.ErrorClass != "" || d.NextAttemptAt != nil || d.FinishedAt == nil {
			t.Errorf("the delivery of %s is %+v", d.Event.Type, d)
		}
	}
	r.none(t)
}

// A failed attempt is repeated after its wait, not earlier, and with the same bytes.
func TestDelivery_Retry(t *testing.T) {
	t.Parallel()
	const wait = 400 * time.Millisecond
	g := newGateway(t, wait, time.Hour, time.Hour, time.Hour)
	r := newReceiver(t, answers(500, 200))
	endpoint, secret := g.Endpoint(t, r.url)
	g.start(t)
	g.checkout(t, payments.NewCheckout{})
	first, second := r.next(t), r.next(t)
	if passed := second.at.Sub(first.at); passed < wait {
		t.Errorf("repeated after %s, want %s at least", passed, wait)
	}
	if !bytes.Equal(first.body, second.body) || !webhook.Verify(secret, second.header.Get("x-svc-signature"),
		second.body) {
		t.Errorf("the first body is %s, the second %s", first.body, second.body)
	}
	if a, b := first.header.Get("x-svc-attempt"), second.header.Get("x-svc-attempt"); a != "1" || b != "2" {
		t.Errorf("the attempts are numbered %s and %s", a, b)
	}
	g.idle(t)
	if d := g.deliveries(t, endpoint.ID); len(d) != 1 || d[0].Status != models.DeliveryDelivered || d[0].Attempts != 2 {
		t.Errorf("the delivery is %+v", d)
	}
	r.none(t)
}

// A delivery to an endpoint that never succeeds ends after exactly five attempts, whether
// the endpoint fails, redirects or does not exist. Each attempt is kept.
func TestDelivery_GivenUp(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	target := newReceiver(t, answers(200))
	receivers := map[string]*receiver{
		"status": newReceiver(t, answers(500, 404, 199+300, 503, 429)),
		"redirect": newReceiver(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.url, http.StatusTemporaryRedirect)
		}),
	}
	endpoints := map[string]string{}
	for class, r := range receivers {
		endpoint, _ := g.Endpoint(t, r.url)
		endpoints[class] = endpoint.ID
	}
	gone, _ := g.Endpoint(t, "http://127.0.0.1:1/hook")
	endpoints["connect"] = gone.ID
	g.start(t)
	g.checkout(t, payments.NewCheckout{})

	for class, r := range receivers {
		first := r.next(t)
		for i := range 4 {
			if again := r.next(t); !bytes.Equal(again.body, first.body) ||
				again.header.Get("x-svc-event-id") != first.header.Get("x-svc-event-id") {
				t.Errorf("%s: attempt %d has another body: %s", class, i+2, again.body)
			}
		}
	}
	g.idle(t)
	for class, id := range endpoints {
		list := g.deliveries(t, id)
		if len(list) != 1 || list[0].Status != models.DeliveryFailed || list[0].Attempts != 5 ||
			list[0].NextAttemptAt != nil || list[0].FinishedAt == nil {
			t.Fatalf("%s: the delivery is %+v", class, list)
		}
		attempts, err := models.DeliveryAttempts(t.Context(), g.DB.Pool, []string{list[0].ID})
		if err != nil || len(attempts[list[0].ID]) != 5 {
			t.Fatalf("%s: %d attempts are kept, %v", class, len(attempts[list[0].ID]), err)
		}
		for i, a := range attempts[list[0].ID] {
			if a.Number != 5-i || a.ErrorClass != class {
				t.Errorf("%s: attempt %+v", class, a)
			}
		}
	}
	for _, r := range receivers {
		r.none(t)
	}
	target.none(t) // redirects are not followed
}

// Deliveries of an endpoint that is switched off or deleted are skipped, including those
// that a person requested before the endpoint was deleted.
func TestDelivery_SwitchedOff(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(200))
	off, _ := g.Endpoint(t, r.url)
	deleted, _ := g.Endpoint(t, r.url)
	g.checkout(t, payments.NewCheckout{})
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, off.ID, false); err != nil {
		t.Fatal(err)
	}
	g.resend(t, deleted.ID)
	if err := g.Merchants.DeleteEndpoint(t.Context(), g.Owner, g.Test, deleted.ID); err != nil {
		t.Fatal(err)
	}
	g.start(t)
	g.idle(t)
	r.none(t)
	for _, id := range []string{off.ID, deleted.ID} {
		if d := g.deliveries(t, id); len(d) != 1 || d[0].Status != models.DeliverySkipped || d[0].Attempts != 0 ||
			d[0].FinishedAt == nil {
			t.Errorf("the delivery is %+v", d)
		}
	}
}

// A manual resend makes one attempt at once, with the next number, even if the endpoint is off
// or the delivery has ended. No attempt follows it.
func TestDelivery_Manual(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(500, 500, 500, 500, 500, 500, 200))
	endpoint, secret := g.Endpoint(t, r.url)
	g.start(t)
	g.checkout(t, payments.NewCheckout{})
	var first post
	for range 5 {
		first = r.next(t)
	}
	g.idle(t)
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, endpoint.ID, false); err != nil {
		t.Fatal(err)
	}
	for i, want := range []models.DeliveryStatus{models.DeliveryFailed, models.DeliveryDelivered} {
		g.resend(t, endpoint.ID)
		p := r.next(t)
		if !bytes.Equal(p.body, first.body) || p.header.Get("x-svc-attempt") != strconv.Itoa(6+i) ||
			!webhook.Verify(secret, p.header.Get("x-svc-signature"), p.body) {
			t.Errorf("the manual attempt: %v %s", p.header, p.body)
		}
		g.idle(t)
		if d := g.deliveries(t, endpoint.ID)[0]; d.Status != want || d.Attempts != 6+i || d.Manual != 1+i {
			t.Errorf("after attempt %d the delivery is %+v", 6+i, d)
		}
	}
	r.none(t)
}

// An endpoint that hangs delays neither other endpoints nor a stop. The interrupted attempt
// does not count, and the next process repeats it.
func TestStop_Hanging(t *testing.T) {
	t.Parallel()
	g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
	release := make(chan struct{})
	hanging := newReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	healthy := newReceiver(t, answers(200))
	slow, secret := g.Endpoint(t, hanging.url)
	prompt, _ := g.Endpoint(t, healthy.url)
	runner := g.startWith(t, func(o *jobs.Options) { // the attempt may take longer than the test waits for the stop
		o.Webhooks = webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: 10 * patience})
	})
	g.checkout(t, payments.NewCheckout{})
	first := hanging.next(t)
	healthy.next(t)
	eventually(t, "the healthy delivery is recorded",
		func() bool { return g.deliveries(t, prompt.ID)[0].Status == models.DeliveryDelivered })

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := runner.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if d := g.deliveries(t, slow.ID); len(d) != 1 || d[0].Status != models.DeliveryPending || d[0].Attempts != 0 {
		t.Errorf("after the stop the delivery is %+v", d)
	}

	close(release)
	g.start(t)
	again := hanging.next(t)
	if !bytes.Equal(again.body, first.body) || again.header.Get("x-svc-attempt") != "1" ||
		!webhook.Verify(secret, again.header.Get("x-svc-signature"), again.body) {
		t.Errorf("the repeated attempt: %v %s", again.header, again.body)
	}
	g.idle(t)
	if d := g.deliveries(t, slow.ID); len(d) != 1 || d[0].Status != models.DeliveryDelivered || d[0].Attempts != 1 {
		t.Errorf("in the end the delivery is %+v", d)
	}
	healthy.none(t)
}

// Processes that share a database share the work: each event arrives once.
func TestRunners_Together(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(200))
	g.Endpoint(t, r.url)
	g.start(t)
	g.start(t)
	const n = 60
	for range n {
		g.checkout(t, payments.NewCheckout{})
	}
	seen := map[string]int{}
	for range n {
		seen[r.next(t).header.Get("x-svc-event-id")]++
	}
	g.idle(t)
	r.none(t)
	if len(seen) != n {
		t.Errorf("%d of %d events arrived: %v", len(seen), n, seen)
	}
}

// An attempt that cannot be recorded is not repeated in a loop.
func TestDelivery_Unrecorded(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	refused, healthy := newReceiver(t, answers(200)), newReceiver(t, answers(200))
	endpoint, _ := g.Endpoint(t, refused.url)
	modelstest.Exec(t, g.DB, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'no room left'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON webhook_deliveries FOR EACH ROW
		WHEN (OLD.endpoint_id = '`+endpoint.ID+`' AND NEW.attempts > OLD.attempts) EXECUTE FUNCTION refuse()`)
	g.checkout(t, payments.NewCheckout{})
	g.start(t)
	seen := map[string]bool{refused.next(t).header.Get("x-svc-event-id"): true}
	g.Endpoint(t, healthy.url)
	for range 3 { // the queue is looked at once for each
		g.checkout(t, payments.NewCheckout{})
		healthy.next(t)
		event := refused.next(t).header.Get("x-svc-event-id")
		if seen[event] {
			t.Errorf("%s was posted again", event)
		}
		seen[event] = true
	}
	refused.none(t)
	for _, d := range g.deliveries(t, endpoint.ID) {
		if d.Status != models.DeliveryPending || d.Attempts != 0 {
			t.Errorf("the delivery is %+v", d)
		}
	}
}

// A panic in an attempt ends neither the process nor the other deliveries of the endpoint.
func TestDelivery_Panic(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	healthy := newReceiver(t, answers(200))
	endpoint, _ := g.Endpoint(t, healthy.url)
	g.checkout(t, payments.NewCheckout{})
	g.checkout(t, payments.NewCheckout{})
	var calls atomic.Int64
	g.startWith(t, func(o *jobs.Options) {
		o.Now = func() time.Time {
			_, asks, _, _ := runtime.Caller(1) // other jobs ask for the time too
			if filepath.Base(asks) == "deliver_webhook.go" && calls.Add(1) == 1 {
				panic("a clock that breaks once")
			}
			return time.Now()
		}
	})
	healthy.next(t)
	eventually(t, "one of the two deliveries arrived", func() bool {
		delivered := 0
		for _, d := range g.deliveries(t, endpoint.ID) {
			if d.Status == models.DeliveryDelivered {
				delivered++
			}
		}
		return delivered == 1
	})
}
