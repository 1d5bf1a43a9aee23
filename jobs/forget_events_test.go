package jobs_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// kept are the rows about events that are left, by table.
func kept(t *testing.T, g *paymentstest.Gateway) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range []string{"events", "webhook_deliveries", "webhook_attempts", "webhook_answers"} {
		counts[table] = modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM "+table)
	}
	return counts
}

// partitions returns the names of the tables of months that exist.
func partitions(t *testing.T, g *paymentstest.Gateway) []string {
	t.Helper()
	return modelstest.Column[string](t, g.DB, `SELECT relname::text FROM pg_class JOIN pg_inherits ON inhrelid = oid
		WHERE relkind = 'r' AND relname ~ '^(events|webhook).*20[0-9]{2}_[0-9]{2}$' ORDER BY relname`)
}

// attempted creates a checkout at the gateway's time, with one failed attempt of its delivery, and returns the
// delivery's id.
func attempted(t *testing.T, g *paymentstest.Gateway) (deliveryID string) {
	t.Helper()
	id := g.Checkout(t, payments.NewCheckout{}).ID
	deliveryID = modelstest.One[string](t, g.DB, `SELECT d.id FROM webhook_deliveries d
		JOIN events v ON v.id = d.event_id WHERE v.checkout_id = $1`, id)
	d, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, deliveryID)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.RecordAttempt(t.Context(), d, nil, models.Attempt{StartedAt: g.Clock.Now(), ErrorClass: "status",
		StatusCode: 500, Response: []byte("the shop is closed")}); err != nil {
		t.Fatal(err)
	}
	return deliveryID
}

// Events, deliveries and attempts end with the tables of their month, and the answers to attempts sooner; what is
// still to be delivered keeps its month. A month without tables is deleted row by row.
func TestForget_Events(t *testing.T) {
	t.Parallel()
	for name, months := range map[string]bool{"months": true, "other": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			g.Endpoint(t, "http://127.0.0.1/hook")
			at := time.Date(2031, 3, 14, 12, 0, 0, 0, time.UTC)
			g.Clock.Advance(at.Sub(g.Clock.Now()))
			if months {
				makeMonths(t, g, at)
			}
			delivery := attempted(t, g)
			one := map[string]int{"events": 1, "webhook_deliveries": 1, "webhook_attempts": 1, "webhook_answers": 1}
			forget(t, g, at.AddDate(0, 0, 30).Add(-time.Hour), one)
			withoutAnswers := maps.Clone(one)
			withoutAnswers["webhook_answers"] = 0
			forget(t, g, at.AddDate(0, 2, 0), withoutAnswers)
			forget(t, g, at.AddDate(1, 0, 0), withoutAnswers) // it is still pending
			modelstest.Exec(t, g.DB, `UPDATE webhook_deliveries SET status = 'FAILED', next_attempt_at = NULL,
				finished_at = $1`, at)
			modelstest.Exec(t, g.DB, `INSERT INTO webhook_resends (delivery_id, token, endpoint_id, requested_at)
				SELECT id, sha256('x'), endpoint_id, $1 FROM webhook_deliveries`, at)
			forget(t, g, at.AddDate(1, 0, 0), withoutAnswers) // it is to be sent again
			modelstest.Exec(t, g.DB, "UPDATE webhook_resends SET finished_at = $1", at)
			end := at.AddDate(0, 0, 90).Add(time.Microsecond)
			if months {
				end = time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 90)
			}
			forget(t, g, end.Add(-time.Microsecond), withoutAnswers)
			forget(t, g, end, map[string]int{"events": 0, "webhook_deliveries": 0,
				"webhook_attempts": 0, "webhook_answers": 0})
			if _, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, delivery); err == nil {
				t.Error("the delivery is found")
			}
			g.Checkout(t, payments.NewCheckout{}) // of a month that has no tables any more
			if got := kept(t, g); got["events"] != 1 || got["webhook_deliveries"] != 1 {
				t.Errorf("after a new charge: %v", got)
			}
		})
	}
}

// makeMonths makes the tables of the month of a time and of the next one.
func makeMonths(t *testing.T, g *paymentstest.Gateway, at time.Time) {
	t.Helper()
	if inUse, err := models.MakeEventMonths(t.Context(), g.DB.Pool, at); inUse || err != nil {
		t.Fatalf("in use %t, %v", inUse, err)
	}
}

// forget runs Forget at a time and fails the test unless these rows are left.
func forget(t *testing.T, g *paymentstest.Gateway, now time.Time, want map[string]int) {
	t.Helper()
	if err := jobs.Forget(t.Context(), g.DB.Pool, now, 90*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, kept(t, g)); diff != "" {
		t.Errorf("at %s (-want +got)\n%s", now.Format(time.DateTime), diff)
	}
}

// All events of a charge lie in the month of its creation, so that the month can promise one of each type; and an
// event that is written late keeps the month for its own time.
func TestForget_LateEvent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	created := time.Date(2031, 1, 31, 23, 59, 0, 0, time.UTC)
	g.Clock.Advance(created.Sub(g.Clock.Now()))
	for _, at := range []time.Time{created, created.AddDate(0, 0, 2)} {
		makeMonths(t, g, at)
	}
	checkout := g.Checkout(t, payments.NewCheckout{})
	g.Clock.Advance(2 * time.Minute)
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(checkout.TxID, int64(checkout.Amount),
		g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	where := modelstest.Column[string](t, g.DB, `SELECT tableoid::regclass || ' ' || type FROM events
		WHERE checkout_id = $1 ORDER BY created_at`, checkout.ID)
	want := []string{"events_2031_01 checkout.created", "events_2031_01 checkout.paid"}
	if diff := cmp.Diff(want, where); diff != "" {
		t.Fatalf("the events lie in (-want +got)\n%s", diff)
	}
	_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO events (id, month, project_id, livemode, type, checkout_id, body,
		created_at) SELECT 'evt_' || repeat('0', 24), month, project_id, livemode, type, checkout_id, body, created_at
		FROM events WHERE type = 'checkout.paid'`)
	if !models.Violates(err, "events_one_each_checkout_2031_01") {
		t.Errorf("a second event of the type: %v", err)
	}
	modelstest.Exec(t, g.DB, "UPDATE events SET created_at = $1 WHERE type = 'checkout.paid'", created.AddDate(0, 1, 0))
	forget(t, g, created.AddDate(0, 0, 100), map[string]int{"events": 2, "webhook_deliveries": 0, "webhook_attempts": 0,
		"webhook_answers": 0})
}

// Months that exist are made once, also by several processes at the same time, while charges are created; and
// tables that are in use are left for later.
func TestEventMonths_InUse(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	at := time.Date(2031, 3, 14, 12, 0, 0, 0, time.UTC)
	tx, err := g.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) // nothing to do after the one below
	if _, err := tx.Exec(t.Context(), "SELECT FROM events, webhook_answers"); err != nil {
		t.Fatal(err)
	}
	before := partitions(t, g)
	if inUse, err := models.MakeEventMonths(t.Context(), g.DB.Pool, at); !inUse || err != nil {
		t.Errorf("while the tables are read: in use %t, %v", inUse, err)
	}
	if err := jobs.Forget(t.Context(), g.DB.Pool, at.AddDate(9, 0, 0), 90*24*time.Hour); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, partitions(t, g)); diff != "" {
		t.Errorf("tables (-before +after)\n%s", diff)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			_, err := models.MakeEventMonths(t.Context(), g.DB.Pool, at)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	makeMonths(t, g, at)
	want := before
	for _, table := range []string{"events", "webhook_answers", "webhook_attempts", "webhook_deliveries"} {
		want = append(want, fmt.Sprintf("%s_2031_03", table), fmt.Sprintf("%s_2031_04", table))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, partitions(t, g)); diff != "" {
		t.Errorf("tables (-want +got)\n%s", diff)
	}
}
