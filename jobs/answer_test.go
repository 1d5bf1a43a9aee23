package jobs_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
)

// The answer 410 ends the delivery and turns the endpoint off: nothing more is sent to it.
func TestDelivery_Gone(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(http.StatusGone))
	endpoint, _ := g.Endpoint(t, r.url)
	g.start(t)
	g.checkout(t, payments.NewCheckout{})
	r.next(t)
	g.idle(t)
	if d := g.deliveries(t, endpoint.ID); len(d) != 1 || d[0].Status != models.DeliveryFailed || d[0].Attempts != 1 {
		t.Errorf("the delivery is %+v", d)
	}
	g.checkout(t, payments.NewCheckout{})
	g.idle(t)
	if d := g.deliveries(t, endpoint.ID); len(d) != 2 || d[0].Status != models.DeliverySkipped || d[0].Attempts != 0 {
		t.Errorf("the deliveries are %+v", d)
	}
	r.none(t)
}

// The next attempt is made when the endpoint asked for it, although the schedule is faster.
func TestDelivery_RetryAfter(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	var posts atomic.Int32
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if posts.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	endpoint, _ := g.Endpoint(t, r.url)
	g.start(t)
	g.checkout(t, payments.NewCheckout{})
	first, second := r.next(t), r.next(t)
	if passed := second.at.Sub(first.at); passed < time.Second {
		t.Errorf("repeated after %s, although the endpoint asked for a second", passed)
	}
	g.idle(t)
	if d := g.deliveries(t, endpoint.ID); len(d) != 1 || d[0].Status != models.DeliveryDelivered || d[0].Attempts != 2 {
		t.Errorf("the delivery is %+v", d)
	}
	r.none(t)
}
