package models_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Each event counts once, on the day it happened. The time of answers is measured; attempts
// without an answer are left out.
func TestEndpointDays(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	other, _ := g.Endpoint(t, "http://127.0.0.1/other")
	start := g.Clock.Now().Truncate(24 * time.Hour)
	days := []time.Time{start, start.Add(24 * time.Hour), start.Add(48 * time.Hour)}
	n := 0
	deliver := func(endpoint string, at time.Time, status models.DeliveryStatus,
		answers ...time.Duration) { // 0 means no answer
		t.Helper()
		n++
		var id string
		err := g.DB.Pool.QueryRow(t.Context(), `WITH v AS (INSERT INTO events (id, project_id, livemode, type,
			body, created_at)
				VALUES ('evt_' || left(md5($1), 24), $2, false, 'checkout.paid', '{}', $3) RETURNING id)
			INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, attempts, created_at, next_attempt_at,
				finished_at)
			SELECT 'dlv_' || left(md5(id), 24), id, $4, $5, $6, $3, CASE WHEN $5 = 'PENDING' THEN $3 END,
				CASE WHEN $5 <> 'PENDING' THEN $3 END
			FROM v RETURNING id`,
			strconv.Itoa(n), g.Test.ProjectID, at, endpoint, status, len(answers)).Scan(&id)
		if err != nil {
			t.Fatal(err)
		}
		for i, took := range answers {
			modelstest.Exec(t, g.DB, `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms,
				status_code, error_class, headers)
				VALUES ($1, $2, $3, $4, nullif($5, 0), $6, '{}')`, id, i+1, at,
				max(took.Milliseconds(), 5000*int64(1-min(1, took.Milliseconds()))),
				200*min(1, took.Milliseconds()), map[bool]string{true: "timeout"}[took == 0])
		}
	}
	for i := range 100 {
		deliver(e.ID, days[0].Add(time.Duration(i)*time.Minute), models.DeliveryDelivered,
			time.Duration(i+1)*time.Millisecond)
	}
	deliver(e.ID, days[1], models.DeliveryDelivered, 0, 300*time.Millisecond) // the first moment of its day
	deliver(e.ID, days[2].Add(-time.Microsecond), models.DeliveryFailed, 0, 0, 0, 0, 0)
	deliver(e.ID, days[2].Add(-time.Hour), models.DeliveryPending, 0)
	deliver(e.ID, days[2].Add(-time.Hour), models.DeliveryPending) // not attempted yet
	deliver(e.ID, days[2].Add(-time.Hour), models.DeliverySkipped)
	deliver(e.ID, days[0].Add(-time.Microsecond), models.DeliveryFailed, time.Second)
	deliver(e.ID, days[2].Add(24*time.Hour), models.DeliveryFailed, time.Second)
	deliver(other.ID, days[0], models.DeliveryFailed, time.Second)

	got, all, err := models.EndpointDays(t.Context(), g.DB.Pool, e.ID, days)
	if err != nil {
		t.Fatal(err)
	}
	want := []models.EndpointDay{
		{Delivered: 100, Answers: models.Answers{Median: 50 * time.Millisecond, Slow: 95 * time.Millisecond}},
		{Retried: 2, Failed: 1, Answers: models.Answers{Median: 300 * time.Millisecond, Slow: 300 * time.Millisecond}},
		{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want := (models.Answers{Median: 51 * time.Millisecond, Slow: 96 * time.Millisecond}); all != want {
		t.Errorf("answers of all days: %v, want %v", all, want)
	}
}
