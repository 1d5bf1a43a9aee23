package payments_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// An answer may ask for a longer wait than the schedule's, never for a shorter one or for more
// attempts (docs/rules.md, "Webhook deliveries").
func TestRecordAttempt_RetryAfter(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	for i, test := range []struct{ asks, want time.Duration }{
		{30 * time.Second, time.Minute},
		{30 * time.Minute, 30 * time.Minute},
		{time.Hour, time.Hour},
		{59 * time.Minute, time.Hour},
		{time.Hour, 0},
	} {
		d := delivery(t, g, endpoint.ID)
		a := models.Attempt{StatusCode: 503, ErrorClass: "status", StartedAt: g.Clock.Now(), RetryAfter: test.asks}
		if err := g.RecordAttempt(t.Context(), d, nil, a); err != nil {
			t.Fatal(err)
		}
		d = delivery(t, g, endpoint.ID)
		if test.want == 0 {
			if d.Status != models.DeliveryFailed || d.NextAttemptAt != nil {
				t.Errorf("after the last attempt: %+v", d)
			}
			continue
		}
		due := g.Clock.Now().Add(test.want)
		if d.NextAttemptAt == nil || !d.NextAttemptAt.Equal(due) {
			t.Errorf("attempt %d asks for %s: the next is due at %v, want %s", i+1, test.asks, d.NextAttemptAt, due)
		}
		a.Manual, a.RetryAfter = true, time.Hour
		if err := g.RecordAttempt(t.Context(), d, nil, a); err != nil {
			t.Fatal(err)
		}
		if d = delivery(t, g, endpoint.ID); !d.NextAttemptAt.Equal(due) {
			t.Errorf("a manual attempt moved the next one from %s to %s", due, d.NextAttemptAt)
		}
	}
}

// The answer 410 turns an endpoint off at once, with one mail to the owner, however many
// attempts get it together. The deliveries end (docs/rules.md, "Webhook endpoints").
func TestRecordAttempt_Gone(t *testing.T) {
	t.Parallel()
	for environment, kind := range map[models.Environment]string{
		models.Live: "webhook_gone", models.Test: "webhook_gone_test",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFailing(t, environment)
			const n = 4
			for range n {
				f.Checkout(t, payments.NewCheckout{})
			}
			var group errgroup.Group
			for _, d := range f.deliveries(t, n) {
				group.Go(func() error { return f.RecordAttempt(t.Context(), d, nil, f.gone()) })
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, d := range f.deliveries(t, n) {
				if d.Status != models.DeliveryFailed || d.Attempts != 1 || d.NextAttemptAt != nil ||
					d.FinishedAt == nil {
					t.Errorf("the delivery is %s after %d attempts", d.Status, d.Attempts)
				}
			}
			if e := f.read(t); e.Active || e.DisabledReason != models.DisabledGone ||
				!e.DisabledAt.Equal(f.Clock.Now()) {
				t.Errorf("the endpoint is %+v", e)
			}
			f.got(t, map[string]int{kind + " " + f.Email: 1})
			turnedOff(t, f.Gateway, f.endpoint.ID, "webhook_endpoint.turned_off_gone")
			f.Clock.Advance(time.Second)
			f.Checkout(t, payments.NewCheckout{})
			if d := delivery(t, f.Gateway, f.endpoint.ID); d.Status != models.DeliverySkipped {
				t.Errorf("the next delivery is %s", d.Status)
			}
			if err := f.Merchants.SwitchEndpoint(t.Context(), f.Owner, f.Test, f.endpoint.ID, true); err != nil {
				t.Fatal(err)
			}
			if e := f.read(t); !e.Active || e.DisabledAt != nil || e.DisabledReason != "" {
				t.Errorf("after it was turned on again: %+v", e)
			}
		})
	}
}

// A manual attempt that is answered by 410 turns the endpoint off, too. The delivery stays as
// it was.
func TestRecordAttempt_GoneByHand(t *testing.T) {
	t.Parallel()
	f := newFailing(t, models.Test)
	f.attempt(t, "")
	a := f.gone()
	a.Manual = true
	d := delivery(t, f.Gateway, f.endpoint.ID)
	for range 2 { // the second time the endpoint is off
		if err := f.RecordAttempt(t.Context(), d, nil, a); err != nil {
			t.Fatal(err)
		}
		f.Clock.Advance(time.Second)
	}
	if d = delivery(t, f.Gateway, f.endpoint.ID); d.Status != models.DeliveryDelivered || d.Manual != 2 {
		t.Errorf("the delivery is %+v", d)
	}
	if e := f.read(t); e.Active || e.DisabledReason != models.DisabledGone {
		t.Errorf("the endpoint is %+v", e)
	}
	f.got(t, map[string]int{"webhook_gone_test " + f.Email: 1})
}

// What the previous address answers does not turn off an endpoint that has a new one.
func TestRecordAttempt_GoneElsewhere(t *testing.T) {
	t.Parallel()
	f := newFailing(t, models.Test)
	f.Checkout(t, payments.NewCheckout{})
	d := delivery(t, f.Gateway, f.endpoint.ID)
	if err := f.Merchants.UpdateEndpoint(t.Context(), f.Owner, f.Test, f.endpoint.ID,
		merchants.NewEndpoint{URL: "http://127.0.0.1:8091/new", Types: f.endpoint.Types}); err != nil {
		t.Fatal(err)
	}
	if err := f.RecordAttempt(t.Context(), d, nil, f.gone()); err != nil {
		t.Fatal(err)
	}
	if e := f.read(t); !e.Active || e.DisabledAt != nil {
		t.Errorf("the endpoint is %+v", e)
	}
	f.got(t, map[string]int{})
}

// gone returns an attempt that was answered by 410.
func (f *failing) gone() models.Attempt {
	return models.Attempt{StatusCode: 410, ErrorClass: "status", StartedAt: f.Clock.Now(), RetryAfter: time.Hour}
}

// deliveries returns all n deliveries of the endpoint, each as before an attempt.
func (f *failing) deliveries(t *testing.T, n int) (all []*models.Delivery) {
	t.Helper()
	list, err := models.EndpointDeliveries(t.Context(), f.DB.Pool, f.Test, f.endpoint.ID,
		models.DeliveryFilter{Limit: n + 1})
	if err != nil || len(list) != n {
		t.Fatalf("%d deliveries, %v", len(list), err)
	}
	for _, each := range list {
		d, err := models.DeliveryOf(t.Context(), f.DB.Pool, f.Test, each.ID)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

func (f *failing) read(t *testing.T) *models.Endpoint {
	t.Helper()
	e, err := models.EndpointByID(t.Context(), f.DB.Pool, f.Test, f.endpoint.ID)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// got fails the test unless these mails were written, by kind and address.
func (f *failing) got(t *testing.T, want map[string]int) {
	t.Helper()
	mails, err := models.LatestMails(t.Context(), f.DB.Pool, 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range mails {
		got[m.Kind+" "+m.To]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}
