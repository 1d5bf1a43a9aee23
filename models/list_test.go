package models_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// fill creates n checkouts in the scope, three in each millisecond. Each tenth has the
// external id "tenth", and each hundredth is paid.
func fill(t *testing.T, g *paymentstest.Gateway, scope models.Scope, n int) {
	t.Helper()
	modelstest.Exec(t, g.DB, `INSERT INTO checkouts (id, project_id, livemode, status, amount, description,
		external_id, txid, copy_paste,
			created_at, expires_at, paid_at)
		SELECT 'chk_' || left(md5($1::text || i), 20), $2, $3,
			CASE WHEN i % 100 = 0 THEN 'PAID' ELSE 'PENDING' END, 1, 'x',
			CASE WHEN i % 10 = 0 THEN 'tenth' ELSE 'p-' || i END, md5(i || $4::text), 'code', at,
			at + interval '1 hour',
			CASE WHEN i % 100 = 0 THEN at END
		FROM (SELECT i, $5::timestamptz + i / 3 * interval '1 millisecond' AS at
			FROM generate_series(1, $6) AS i) AS made`,
		fmt.Sprint(scope), scope.ProjectID, scope.Environment, fmt.Sprint(scope), g.Clock.Now(), n)
}

// pages reads a whole list, page by page, and calls between after each page.
func pages(t *testing.T, g *paymentstest.Gateway, scope models.Scope, f models.CheckoutFilter,
	between func()) (all []models.Checkout) {
	t.Helper()
	for {
		page, err := models.ListCheckouts(t.Context(), g.DB.Pool, scope, f)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > f.Limit {
			t.Fatalf("a page has %d checkouts, want at most %d", len(page), f.Limit)
		}
		all = append(all, page...)
		if len(page) < f.Limit {
			return all
		}
		f.After = &models.Position{CreatedAt: page[len(page)-1].CreatedAt, ID: page[len(page)-1].ID}
		between()
	}
}

// Pages of any size together are the whole list, in order, and only of the scope.
func TestListCheckouts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 300)
	fill(t, g, g.Live, 50)
	for _, tc := range []struct {
		scope  models.Scope
		filter models.CheckoutFilter
		want   int
	}{
		{g.Test, models.CheckoutFilter{}, 300},
		{g.Live, models.CheckoutFilter{}, 50},
		{models.Scope{ProjectID: models.NewProjectID()}, models.CheckoutFilter{}, 0},
		{g.Test, models.CheckoutFilter{Status: models.CheckoutPaid}, 3},
		{g.Test, models.CheckoutFilter{Status: models.CheckoutPending}, 297},
		{g.Test, models.CheckoutFilter{Status: models.CheckoutExpired}, 0},
		{g.Test, models.CheckoutFilter{ExternalID: "tenth"}, 30},
		{g.Live, models.CheckoutFilter{ExternalID: "tenth"}, 5},
		{g.Test, models.CheckoutFilter{ExternalID: "tenth", Status: models.CheckoutPaid}, 3},
		{g.Test, models.CheckoutFilter{ExternalID: "TENTH"}, 0},
	} {
		for _, limit := range []int{1, 7, 100, 1000} {
			tc.filter.Limit = limit
			all := pages(t, g, tc.scope, tc.filter, func() {})
			if len(all) != tc.want || !slices.IsSortedFunc(all, newestFirst) {
				t.Errorf("%+v: %d checkouts, in order: %v; want %d", tc.filter, len(all),
					slices.IsSortedFunc(all, newestFirst), tc.want)
			}
			for _, c := range all {
				if c.ProjectID != tc.scope.ProjectID || c.Environment != tc.scope.Environment ||
					tc.filter.Status != "" && c.Status != tc.filter.Status ||
					tc.filter.ExternalID != "" && c.ExternalID != tc.filter.ExternalID {
					t.Errorf("%+v in %+v lists %+v", tc.filter, tc.scope, c)
				}
			}
		}
	}
}

func newestFirst(a, b models.Checkout) int {
	if d := b.CreatedAt.Compare(a.CreatedAt); d != 0 {
		return d
	}
	return strings.Compare(b.ID, a.ID)
}

// Checkouts that are created while a list is paged shift and repeat nothing.
func TestListCheckouts_WhileMade(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	there := map[string]int{}
	for i := range 60 {
		if i%4 == 0 {
			g.Clock.Advance(time.Millisecond)
		}
		there[g.Checkout(t, payments.NewCheckout{}).ID] = 0
	}
	made := 0
	seen := pages(t, g, g.Test, models.CheckoutFilter{Limit: 7}, func() {
		for range 5 { // some at the time of the latest checkout, some later
			g.Checkout(t, payments.NewCheckout{})
			made++
		}
		g.Clock.Advance(time.Millisecond)
	})
	repeated := map[string]bool{}
	for _, c := range seen {
		if repeated[c.ID] {
			t.Errorf("%s twice", c.ID)
		}
		repeated[c.ID] = true
		delete(there, c.ID)
	}
	if len(there) != 0 || made < 40 {
		t.Errorf("%d existing checkouts were skipped while %d were created", len(there), made)
	}
}

// explained runs each query twice: once for its result, and once to explain how PostgreSQL
// runs it.
type explained struct {
	models.Querier
	plan string
}

func (e *explained) explain(ctx context.Context, sql string, args []any) error {
	rows, err := e.Querier.Query(ctx, "EXPLAIN "+sql, args...)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	e.plan = strings.Join(lines, "\n")
	return err
}

// Query implements models.Querier.
func (e *explained) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := e.explain(ctx, sql, args); err != nil {
		return nil, err
	}
	return e.Querier.Query(ctx, sql, args...)
}

// QueryRow implements models.Querier.
func (e *explained) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := e.explain(ctx, sql, args); err != nil {
		e.plan = err.Error()
	}
	return e.Querier.QueryRow(ctx, sql, args...)
}

// Exec implements models.Querier. It explains nothing.
func (e *explained) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return e.Querier.Exec(ctx, sql, args...)
}

// The frequently used lists walk an index in order: they neither scan the table nor sort, on
// the first page and on a late one.
func TestListCheckouts_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const n = 20_000
	fill(t, g, g.Test, n)
	fill(t, g, g.Live, 2_000)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	deep := &models.Position{CreatedAt: g.Clock.Now().Add(n / 6 * time.Millisecond), ID: "chk_00000000000000000000"}
	walks := regexp.MustCompile(`Index Scan( Backward)? using checkouts_\w+ on checkouts`)
	for name, filter := range map[string]models.CheckoutFilter{
		"all": {}, "deep": {After: deep},
		"status": {Status: models.CheckoutPaid}, "status, common": {Status: models.CheckoutPending},
		"status, deep": {Status: models.CheckoutPaid, After: deep},
		"externalId":   {ExternalID: "tenth"}, "externalId, rare": {ExternalID: "p-77"},
		"externalId, deep": {ExternalID: "tenth", After: deep},
	} {
		filter.Limit = 21
		q := &explained{Querier: g.DB.Pool}
		rows, err := models.ListCheckouts(t.Context(), q, g.Test, filter)
		if err != nil || len(rows) == 0 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		if !walks.MatchString(q.plan) || strings.Contains(q.plan, "Seq Scan") || strings.Contains(q.plan, "Sort") {
			t.Errorf("%s: the query runs as\n%s", name, q.plan)
		}
	}
}
