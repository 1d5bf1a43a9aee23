package payments_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// The schedule of the contract (6.3): five attempts, 60 s, 5 min, 15 min and
// 60 min apart, each counted from the end of the one before.
func TestRecordAttempt_Schedule(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})

	for i, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 0} {
		d := delivery(t, g, endpoint.ID)
		g.Clock.Advance(5 * time.Second) // the attempt itself
		wait, err := g.RecordAttempt(t.Context(), d, models.Attempt{Number: i + 1, StatusCode: 500, ErrorClass: "status", StartedAt: g.Clock.Now()})
		if err != nil || wait != want {
			t.Fatalf("after attempt %d: wait %s, %v; want %s", i+1, wait, err, want)
		}
		d = delivery(t, g, endpoint.ID)
		if want == 0 {
			if d.Status != models.DeliveryFailed || d.NextAttemptAt != nil || d.Attempts != 5 {
				t.Errorf("after the last: %+v", d)
			}
		} else if d.Status != models.DeliveryPending || d.Attempts != i+1 || !d.NextAttemptAt.Equal(g.Clock.Now().Add(want)) {
			t.Errorf("after attempt %d: %+v", i+1, d)
		}
	}
}

func TestRecordAttempt_Success(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	d := delivery(t, g, endpoint.ID)
	for range 2 { // a record that is repeated changes nothing
		wait, err := g.RecordAttempt(t.Context(), d, models.Attempt{Number: 1, StatusCode: 204, Duration: 12 * time.Millisecond, StartedAt: g.Clock.Now(), Response: []byte("ok")})
		if wait != 0 || err != nil {
			t.Fatalf("wait %s, %v", wait, err)
		}
	}
	d = delivery(t, g, endpoint.ID)
	if d.Status != models.DeliveryDelivered || d.Attempts != 1 || d.Last.StatusCode != 204 || d.Last.Duration != 12*time.Millisecond {
		t.Errorf("got %+v", d)
	}
}

func delivery(t *testing.T, g *paymentstest.Gateway, endpointID string) *models.Delivery {
	t.Helper()
	deliveries, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpointID, 1)
	if err != nil || len(deliveries) != 1 {
		t.Fatalf("%d deliveries, %v", len(deliveries), err)
	}
	return &deliveries[0]
}
