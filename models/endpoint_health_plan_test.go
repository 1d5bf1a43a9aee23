package models_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// executed keeps the plans by which queries ran.
type executed struct {
	models.Querier
	plans strings.Builder
}

// Query implements models.Querier.
func (e *executed) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.Querier.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+sql, args...)
	if err != nil {
		return nil, err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	e.plans.WriteString(strings.Join(lines, "\n") + "\n")
	return e.Querier.Query(ctx, sql, args...)
}

// lookedInOther finds a part of a plan that looked for attempts in the table of other months.
var lookedInOther = regexp.MustCompile(`on webhook_attempts_other .*actual rows`)

// What the pages of an endpoint show of attempts is looked for in the month of each delivery alone.
func TestEndpointPages_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	today := g.Clock.Now().Truncate(24 * time.Hour)
	modelstest.Exec(t, g.DB, `INSERT INTO events (id, project_id, livemode, type, body, created_at)
		SELECT 'evt_' || left(md5(n::text), 24), $1, false, 'checkout.paid', '{}', $2::timestamptz - n * interval '20 s'
		FROM generate_series(1, 20000) n`, g.Test.ProjectID, today)
	modelstest.Exec(t, g.DB, `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, attempts, created_at,
			finished_at)
		SELECT 'dlv_' || substr(id, 5), id, $1, 'DELIVERED', 1, created_at, created_at FROM events`, e.ID)
	modelstest.Exec(t, g.DB, `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, status_code,
			error_class, headers)
		SELECT id, 1, created_at, 80, 200, '', '{}' FROM webhook_deliveries`)
	modelstest.Exec(t, g.DB, "ANALYZE events, webhook_deliveries, webhook_attempts")
	q := &executed{Querier: g.DB.Pool}
	days, all, err := models.EndpointDays(t.Context(), q, e.ID, []time.Time{today.AddDate(0, 0, -2),
		today.AddDate(0, 0, -1)})
	if plan := q.plans.String(); err != nil || days[1].Delivered != 4320 || all.Median != 80*time.Millisecond ||
		lookedInOther.MatchString(plan) {
		t.Errorf("days: %+v, %v, %v by\n%s", days, all, err, plan)
	}
	q = &executed{Querier: g.DB.Pool}
	list, err := models.EndpointDeliveries(t.Context(), q, g.Test, e.ID, models.DeliveryFilter{Limit: 20})
	if plan := q.plans.String(); err != nil || len(list) != 20 || list[0].Last.StatusCode != 200 ||
		lookedInOther.MatchString(plan) {
		t.Errorf("list: %d, %v by\n%s", len(list), err, plan)
	}
}
