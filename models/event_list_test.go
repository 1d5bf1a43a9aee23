package models_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// tell creates n events of the test scope, three in each millisecond, and their deliveries to
// all endpoints, most of them delivered at once.
func tell(t *testing.T, g *paymentstest.Gateway, n int, endpointIDs ...string) {
	t.Helper()
	_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO events (id, project_id, livemode, type, body, created_at)
		SELECT 'evt_' || left(md5('event ' || i), 24), $1, false,
			CASE WHEN i % 50 = 0 THEN 'checkout.cancelled' WHEN i % 3 = 0 THEN 'checkout.paid'
				ELSE 'checkout.created' END, '{}',
			$2::timestamptz + i / 3 * interval '1 millisecond' FROM generate_series(1, $3) AS i`, g.Test.ProjectID,
		g.Clock.Now(), n)
	if err != nil {
		t.Fatal(err)
	}
	for place, id := range endpointIDs {
		_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status,
			attempts, created_at, next_attempt_at, finished_at)
			SELECT 'dlv_' || left(md5($1 || i), 24), 'evt_' || left(md5('event ' || i), 24), $2, status,
				CASE status WHEN 'SKIPPED' THEN 0 ELSE 1 END, at, CASE WHEN status = 'PENDING' THEN at END,
				CASE WHEN status <> 'PENDING' THEN at END
			FROM (SELECT i, $3::timestamptz + i / 3 * interval '1 millisecond' AS at,
				CASE WHEN i % 40 = $4 THEN 'FAILED' WHEN i % 90 = 3 THEN 'SKIPPED' WHEN i % 70 = 1 THEN 'PENDING'
					ELSE 'DELIVERED' END AS status
				FROM generate_series(1, $5) AS i) AS made`, id, id, g.Clock.Now(), place, n)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Pages of any size together contain exactly the events that match the filter, in order.
func TestListEvents(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	two, _ := g.Endpoint(t, "http://127.0.0.1/two")
	gone, _ := g.Endpoint(t, "http://127.0.0.1/gone")
	tell(t, g, 600, one.ID, two.ID)
	modelstest.Exec(t, g.DB, `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, created_at,
		finished_at)
		SELECT 'dlv_' || left(md5(id), 24), id, $1, 'SKIPPED', created_at, created_at FROM events`,
		gone.ID)
	// Missing deliveries of this endpoint no longer count.
	if err := g.Merchants.DeleteEndpoint(t.Context(), g.Owner, g.Test, gone.ID); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		filter models.EventFilter
		where  string
	}{
		{models.EventFilter{}, "true"},
		{models.EventFilter{Type: models.EventCheckoutPaid}, "type = 'checkout.paid'"},
		{models.EventFilter{Type: models.EventCheckoutCancelled}, "type = 'checkout.cancelled'"},
		{models.EventFilter{Undelivered: true}, "lacks"},
		{models.EventFilter{Undelivered: true, Type: models.EventCheckoutPaid}, "lacks AND type = 'checkout.paid'"},
		{models.EventFilter{Undelivered: true, CheckoutIDs: []string{"chk_00000000000000000000"}}, "false"},
		{models.EventFilter{CheckoutIDs: []string{"chk_'"}}, "false"},
	} {
		want := modelstest.Column[string](t, g.DB, `SELECT id FROM (SELECT *, EXISTS (SELECT FROM webhook_deliveries d
			WHERE d.event_id = events.id AND d.status <> 'DELIVERED'
			AND d.endpoint_id <> $1) AS lacks FROM events) AS v WHERE `+tc.where+" ORDER BY created_at DESC, id DESC",
			gone.ID)
		for _, limit := range []int{1, 7, 1000} {
			var got []string
			f := tc.filter
			for f.Limit = limit; ; {
				page, err := models.ListEvents(t.Context(), g.DB.Pool, g.Test, f)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range page {
					got = append(got, e.ID)
					f.After = &models.Position{CreatedAt: e.CreatedAt, ID: e.ID}
				}
				if len(page) < limit || limit == 1 && len(got) == 40 { // 40 pages of one event are enough
					break
				}
			}
			if limit == 1 {
				want = want[:min(40, len(want))]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%+v, %d a page (-want +got)\n%s", tc.filter, limit, diff)
			}
			if limit == 1 && len(want) == 40 {
				break
			}
		}
		if all, err := models.ListEvents(t.Context(), g.DB.Pool, g.Live, models.EventFilter{Limit: 9}); err != nil ||
			len(all) != 0 {
			t.Errorf("live lists %d, %v", len(all), err)
		}
	}
}

// A page walks an index of the events it shows, however many events there are. By the clock of tests they lie in
// the tables "before".
func TestListEvents_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	const n = 20_000
	tell(t, g, n, one.ID)
	modelstest.Exec(t, g.DB, "ANALYZE events, webhook_deliveries, webhook_endpoints")
	deep := &models.Position{CreatedAt: g.Clock.Now().Add(n / 6 * time.Millisecond), ID: "evt_000000000000000000000000"}
	for name, tc := range map[string]struct {
		filter models.EventFilter
		walks  string
	}{
		"all":  {models.EventFilter{}, `using events_before_by_page`},
		"deep": {models.EventFilter{After: deep}, `using events_before_by_page`},
		"paid": {models.EventFilter{Type: models.EventCheckoutPaid, After: deep}, `using events_before_by_page`},
		"cancelled": {models.EventFilter{Type: models.EventCheckoutCancelled, After: deep},
			`using events_before_by_type`},
		"undelivered": {models.EventFilter{Undelivered: true}, `using webhook_deliveries_before_undelivered`},
		"undelivered, deep": {models.EventFilter{Undelivered: true, After: deep, Type: models.EventCheckoutCreated},
			`using webhook_deliveries_before_undelivered`},
	} {
		tc.filter.Limit = 26
		q := &explained{Querier: g.DB.Pool}
		rows, err := models.ListEvents(t.Context(), q, g.Test, tc.filter)
		if err != nil || len(rows) != 26 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		if !regexp.MustCompile(tc.walks).MatchString(q.plan) || strings.Contains(q.plan, "Seq Scan on events_before") ||
			strings.Contains(q.plan, "Seq Scan on webhook_deliveries_before") {
			t.Errorf("%s: the query runs as\n%s", name, q.plan)
		}
	}
}

// Taking a delivery changes no index of its table, because leases are in none. Only the index that is the queue
// has what every delivery changes.
func TestDeliveryIndexes(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	columns := modelstest.Column[string](t, g.DB, `SELECT DISTINCT a.attname
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
		AND (a.attnum = ANY(i.indkey)
		OR pg_get_expr(i.indpred, i.indrelid) ~ ('\m' || a.attname || '\M'))
			WHERE i.indrelid = 'webhook_deliveries'::regclass AND (i.indexrelid <> 'webhook_deliveries_due'::regclass
				OR a.attname = 'leased_until') ORDER BY 1`)
	for _, changes := range []string{"status", "attempts", "next_attempt_at", "finished_at", "leased_until"} {
		if slices.Contains(columns, changes) {
			t.Errorf("an index contains %s, which every delivery changes: %q", changes, columns)
		}
	}
}
