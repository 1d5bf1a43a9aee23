package payments_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Two processes make the same attempt, because the first lost its lease. The one that is recorded first takes its
// place in the schedule. The other is kept among the attempts, however often it is recorded, and schedules
// nothing; but if it succeeded, the delivery has arrived.
func TestRecordAttempt_Late(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, late string // classes of errors
		want        models.DeliveryStatus
	}{
		"late failure":                 {"timeout", "status", models.DeliveryPending},
		"late success":                 {"timeout", "", models.DeliveryDelivered},
		"late failure of what arrived": {"", "timeout", models.DeliveryDelivered},
		"twice arrived":                {"", "", models.DeliveryDelivered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
			g.Checkout(t, payments.NewCheckout{})
			taken := delivery(t, g, endpoint.ID)
			late := models.Attempt{ErrorClass: test.late, StartedAt: g.Clock.Now()}
			g.Clock.Advance(10 * time.Second)
			if err := g.RecordAttempt(t.Context(), taken, nil, models.Attempt{ErrorClass: test.first,
				StartedAt: g.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
			next := delivery(t, g, endpoint.ID).NextAttemptAt
			g.Clock.Advance(time.Minute)
			for range 2 {
				if err := g.RecordAttempt(t.Context(), taken, nil, late); err != nil {
					t.Fatal(err)
				}
			}
			d := delivery(t, g, endpoint.ID)
			if d.Status != test.want || d.Attempts != 2 || d.Scheduled() != 1 {
				t.Errorf("the delivery is %+v", d)
			}
			if d.Status == models.DeliveryPending && !d.NextAttemptAt.Equal(*next) {
				t.Errorf("the next attempt moved from %s to %s", next, d.NextAttemptAt)
			}
			all, err := models.DeliveryAttempts(t.Context(), g.DB.Pool, []string{d.ID})
			if err != nil || len(all[d.ID]) != 2 || !all[d.ID][0].Late || all[d.ID][1].Late ||
				all[d.ID][0].ErrorClass != test.late {
				t.Errorf("the attempts are %+v, %v", all[d.ID], err)
			}
		})
	}
}

// A resend that two processes made is kept twice, and one that is recorded twice once.
func TestRecordAttempt_LateResend(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	d := delivery(t, g, endpoint.ID)
	if err := g.ResendDelivery(t.Context(), g.Owner, g.Test, d.ID, "a form"); err != nil {
		t.Fatal(err)
	}
	token := paymentstest.Take(t, g.DB, g.Clock.Now(), 1)[0].Resend
	record := func(class string) {
		t.Helper()
		if err := g.RecordAttempt(t.Context(), d, token, models.Attempt{Manual: true, ErrorClass: class,
			StartedAt: g.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	record("timeout")
	record("timeout") // the answer of the database was lost
	g.Clock.Advance(time.Second)
	record("status")
	if d = delivery(t, g, endpoint.ID); d.Attempts != 2 || d.Manual != 2 || d.Status != models.DeliveryPending {
		t.Errorf("the delivery is %+v", d)
	}
	if underWay, err := models.ResendUnderWay(t.Context(), g.DB.Pool, d.ID); underWay || err != nil {
		t.Errorf("the resend is under way, %v", err)
	}
}
