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
		wait, err := g.RecordAttempt(t.Context(), d, models.Attempt{StatusCode: 500, ErrorClass: "status", StartedAt: g.Clock.Now()})
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
		wait, err := g.RecordAttempt(t.Context(), d, models.Attempt{StatusCode: 204, Duration: 12 * time.Millisecond, StartedAt: g.Clock.Now(), Response: []byte("ok")})
		if wait != 0 || err != nil {
			t.Fatalf("wait %s, %v", wait, err)
		}
	}
	d = delivery(t, g, endpoint.ID)
	if d.Status != models.DeliveryDelivered || d.Attempts != 1 || d.Last.StatusCode != 204 || d.Last.Duration != 12*time.Millisecond {
		t.Errorf("got %+v", d)
	}
}

// What a person asks for is recorded with the next number and stands outside of the
// schedule: a failure moves nothing, a success delivers whatever the status was.
func TestRecordAttempt_Manual(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	record := func(manual bool, errorClass string) *models.Delivery {
		t.Helper()
		a := models.Attempt{Manual: manual, ErrorClass: errorClass, StartedAt: g.Clock.Now()}
		if _, err := g.RecordAttempt(t.Context(), delivery(t, g, endpoint.ID), a); err != nil {
			t.Fatal(err)
		}
		return delivery(t, g, endpoint.ID)
	}
	due := *record(false, "status").NextAttemptAt
	if d := record(true, "timeout"); d.Status != models.DeliveryPending || d.NextAttemptAt == nil || !d.NextAttemptAt.Equal(due) || d.Attempts != 2 || d.Manual != 1 {
		t.Errorf("after a failure by hand: %+v", d)
	}
	for range 3 {
		record(false, "status")
	}
	if d := record(false, "status"); d.Status != models.DeliveryFailed || d.Attempts != 6 {
		t.Errorf("after the fifth of the schedule: %+v", d)
	}
	if d := record(true, "status"); d.Status != models.DeliveryFailed || d.FinishedAt == nil || d.Attempts != 7 {
		t.Errorf("after another failure by hand: %+v", d)
	}
	g.Clock.Advance(time.Hour)
	if d := record(true, ""); d.Status != models.DeliveryDelivered || !d.FinishedAt.Equal(g.Clock.Now()) || d.Attempts != 8 || d.Last.ErrorClass != "" {
		t.Errorf("after a success by hand: %+v", d)
	}
	attempts, err := models.DeliveryAttempts(t.Context(), g.DB.Pool, []string{delivery(t, g, endpoint.ID).ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range attempts {
		for i, a := range list {
			if a.Number != 8-i || a.Manual != (a.Number == 2 || a.Number > 6) {
				t.Errorf("attempt %d is kept as %d, by hand %t", 8-i, a.Number, a.Manual)
			}
		}
	}
}

func delivery(t *testing.T, g *paymentstest.Gateway, endpointID string) *models.Delivery {
	t.Helper()
	deliveries, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpointID, models.DeliveryFilter{Limit: 1})
	if err != nil || len(deliveries) != 1 {
		t.Fatalf("%d deliveries, %v", len(deliveries), err)
	}
	return &deliveries[0]
}
