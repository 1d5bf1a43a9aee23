package models_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Whatever a key or a member asks for, a page of events walks an index and reads little more than it shows.
func TestListEvents_PlanFilters(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	const n = 20_000
	tell(t, g, n, one.ID)
	checkout := g.Checkout(t, payments.NewCheckout{}).ID
	modelstest.Exec(t, g.DB, "ANALYZE events, webhook_deliveries, webhook_endpoints")
	from, until := g.Clock.Now().Add(n/12*time.Millisecond), g.Clock.Now().Add(n/6*time.Millisecond)
	event := modelstest.One[string](t, g.DB, "SELECT id FROM events LIMIT 1")
	for name, tc := range map[string]struct {
		filter models.EventFilter
		walks  []string
		rows   int
	}{
		"period": {models.EventFilter{From: from, Until: until, NoTests: true},
			[]string{"using events_before_by_page"}, 26},
		"arrived": {models.EventFilter{Arrived: true, NoTests: true},
			[]string{"using events_before_by_page", "using webhook_deliveries_once"}, 26},
		"arrived in a period": {
			models.EventFilter{Arrived: true, From: from, Until: until, Type: models.EventCheckoutPaid},
			[]string{"using events_before_by_page", "using webhook_deliveries_once"}, 26},
		"undelivered in a period": {models.EventFilter{Undelivered: true, From: from, Until: until, NoTests: true},
			[]string{"using webhook_deliveries_before_undelivered", "using events_pkey"}, 26},
		"about a checkout": {models.EventFilter{CheckoutIDs: []string{checkout}},
			[]string{"on events_one_each_checkout", "on events_before_refunds_by_checkout"}, 1},
		"undelivered about a checkout": {models.EventFilter{CheckoutIDs: []string{checkout}, Undelivered: true},
			[]string{"on events_one_each_checkout", "on events_before_refunds_by_checkout"}, 0},
		"one": {models.EventFilter{ID: event}, []string{"using events_pkey"}, 1},
	} {
		tc.filter.Limit = 26
		q := &explained{Querier: g.DB.Pool}
		rows, err := models.ListEvents(t.Context(), q, g.Test, tc.filter)
		if err != nil || len(rows) != tc.rows {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		indexed(t, name, q.plan, tc.walks...)
	}
	q := &explained{Querier: g.DB.Pool}
	if rows, err := models.CheckoutEvents(t.Context(), q, g.Test, checkout); err != nil || len(rows) != 1 {
		t.Errorf("of a checkout: %d rows, %v", len(rows), err)
	}
	indexed(t, "of a checkout", q.plan, "using events_one_each_checkout", "using events_before_refunds_by_checkout",
		"using events_pkey")
}

// indexed fails the test unless a plan has these steps and does not read the whole table of a month with rows, which
// is "before" by the clock of tests.
func indexed(t *testing.T, name, plan string, steps ...string) {
	t.Helper()
	for _, step := range steps {
		if !strings.Contains(plan, step) {
			t.Errorf("%s: no step is %q:\n%s", name, step, plan)
		}
	}
	if strings.Contains(plan, "Seq Scan on events_before") ||
		strings.Contains(plan, "Seq Scan on webhook_deliveries_before") {
		t.Errorf("%s reads a whole table:\n%s", name, plan)
	}
}

// What a replay counts and takes, and where it goes on, is found by an index for each choice.
func TestReplay_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	two, _ := g.Endpoint(t, "http://127.0.0.1/two")
	const n = 20_000
	tell(t, g, n, one.ID, two.ID)
	modelstest.Exec(t, g.DB, "ANALYZE events, webhook_deliveries, webhook_endpoints")
	for delivered, index := range map[bool]string{false: "webhook_deliveries_before_undelivered",
		true: "webhook_deliveries_before_by_endpoint"} {
		r := models.Replay{EndpointID: one.ID, Since: g.Clock.Now(), Until: g.Clock.Now().Add(time.Hour),
			Delivered: delivered, FinishedBy: g.Clock.Now().Add(time.Hour)}
		q := &explained{Querier: g.DB.Pool}
		if _, err := models.NextRepeatable(t.Context(), q, r); err != nil {
			t.Error(err)
		}
		indexed(t, "next", q.plan, "using "+index)
		if n, err := models.CountRepeatable(t.Context(), q, r, 101); err != nil || n != 101 {
			t.Errorf("counted %d, %v", n, err)
		}
		indexed(t, "count", q.plan, index)
	}
}

// A replay goes on after the last delivery that it took, even if the clock of who delivered it again is slow.
func TestRepeatDeliveries_Resumed(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	tell(t, g, 40, one.ID)
	modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET status = 'DELIVERED', finished_at = created_at")
	r := models.Replay{EndpointID: one.ID, Since: g.Clock.Now(), Until: g.Clock.Now().Add(time.Hour), Delivered: true,
		FinishedBy: g.Clock.Now().Add(time.Hour)}
	for taken := 0; taken < 40; {
		var n int
		var last models.Position
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
			n, last, err = models.RepeatDeliveries(tx, r, g.Clock.Now(), 7)
			return err
		})
		if taken += n; err != nil || n == 0 {
			t.Fatalf("%d of 40 taken, %v", taken, err)
		}
		modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET status = 'DELIVERED', finished_at = created_at")
		r = r.Resumed(last)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM webhook_deliveries WHERE priority = 3"); n != 40 {
		t.Errorf("%d of 40 were repeated", n)
	}
}
