package models_test

import (
	"slices"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
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
	if !strings.Contains(q.plan, "using api_requests_broken on api_requests") {
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
