package models_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Parts of plans: the index of our own errors of a week, and a table of calls that is read whole and not empty.
var (
	brokenCalls = regexp.MustCompile(`using api_requests_20\w+_project_id_livemode_id_idx2 on`)
	wholeCalls  = regexp.MustCompile(`Seq Scan on api_requests.*cost=0\.00\.\.[^0]`)
)

// Calls that failed because of an internal error are found at once, whatever the number of
// later calls that failed because of the caller. A page reads a limited number of those, and
// the next page continues after them.
func TestAPIRequests_Many(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const refused = 20_001
	modelstest.Exec(t, g.DB, `INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status,
		duration, key_id)
		SELECT $1, false, 'req_' || i, now(), CASE i WHEN 1 THEN 'GET' ELSE 'POST' END, '/v1/checkouts',
			CASE WHEN i = 0 THEN 503 WHEN i % 2 = 1 THEN 404 ELSE 201 END, 100, 'key_1'
		FROM generate_series(0, $2) i`, g.Test.ProjectID, 2*refused)
	modelstest.Exec(t, g.DB, "ANALYZE api_requests")
	q := &explained{Querier: g.DB.Pool}
	list := func(f models.APIRequestFilter) (statuses []int, next *models.Position) {
		t.Helper()
		f.Limit = 50
		page, err := models.APIRequests(t.Context(), q, g.Test, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Rows {
			statuses = append(statuses, c.Status)
		}
		return statuses, page.Next
	}
	if got, next := list(models.APIRequestFilter{Class: 5}); !slices.Equal(got, []int{503}) || next != nil {
		t.Errorf("internal errors: %v, next is %v", got, next)
	}
	if !brokenCalls.MatchString(q.plan) || wholeCalls.MatchString(q.plan) {
		t.Errorf("the query runs as\n%s", q.plan)
	}
	got, next := list(models.APIRequestFilter{Class: 4, Method: "GET"})
	if len(got) != 0 || next == nil {
		t.Errorf("the first page has %v, next is %v", got, next)
	}
	if got, next = list(models.APIRequestFilter{Class: 4, Method: "GET", Before: next.Number()}); !slices.Equal(got,
		[]int{404}) || next != nil {
		t.Errorf("the second page has %v, next is %v", got, next)
	}
}

// The page of a call reads the table of its week alone; lists read those of the weeks one after the other, by an
// index of each, until they are full.
func TestAPIRequests_Plans(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	now, other := time.Now(), g.Merchant(t, "other@example.com")
	const each = 3_000
	for week := range 4 {
		at := now.AddDate(0, 0, 7*week)
		if _, err := models.MakeCallWeeks(t.Context(), g.DB.Pool, at); err != nil {
			t.Fatal(err)
		}
		modelstest.Exec(t, g.DB, `INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status,
				duration, key_id, object_id)
			SELECT CASE WHEN n % 3 = 0 THEN $1 ELSE $2 END, false, $4::text || '-' || n, $3, 'POST', '/v1/checkouts',
				CASE n % 1000 WHEN 0 THEN 503 WHEN 3 THEN 404 ELSE 201 END, 100, 'key_1', 'chk_' || $4::text || '-' || n
			FROM generate_series(1, $5::int) n`, g.Test.ProjectID, other.Test.ProjectID, at, fmt.Sprint(week), each)
	}
	modelstest.Exec(t, g.DB, "ANALYZE api_requests")
	q := &explained{Querier: g.DB.Pool}
	for what, f := range map[string]struct {
		filter models.APIRequestFilter
		rows   int
		sorted bool // the plan may sort, as the rows are few
	}{
		"all":        {models.APIRequestFilter{}, 50, false},
		"failed":     {models.APIRequestFilter{Failed: true}, 8, true},
		"broken":     {models.APIRequestFilter{Class: 5}, 4, true},
		"a request":  {models.APIRequestFilter{RequestID: "1-9"}, 1, true},
		"an object":  {models.APIRequestFilter{ObjectID: "chk_2-12"}, 1, true},
		"the oldest": {models.APIRequestFilter{Before: 1}, 0, true},
	} {
		f.filter.Limit = 50
		page, err := models.APIRequests(t.Context(), q, g.Test, f.filter)
		if err != nil || len(page.Rows) != f.rows {
			t.Errorf("%s: %d rows, %v", what, len(page.Rows), err)
		}
		if wholeCalls.MatchString(q.plan) || strings.Contains(q.plan, "Sort") && !f.sorted {
			t.Errorf("%s: the query runs as\n%s", what, q.plan)
		}
	}
	page, err := models.APIRequests(t.Context(), g.DB.Pool, g.Test, models.APIRequestFilter{RequestID: "1-9", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := models.APIRequestByID(t.Context(), q, g.Test, page.Rows[0].ID); err != nil ||
		strings.Count(q.plan, " on api_requests") != 1 || !strings.Contains(q.plan, "_pkey on api_requests_") {
		t.Errorf("%v: a call runs as\n%s", err, q.plan)
	}
	if _, err := models.APIRequestThatMade(t.Context(), q, g.Test, "chk_3-6"); err != nil ||
		wholeCalls.MatchString(q.plan) {
		t.Errorf("%v: what made a charge runs as\n%s", err, q.plan)
	}
}
