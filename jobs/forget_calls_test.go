package jobs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

const week = 7 * 24 * time.Hour

// monday returns the first moment of this week by the real clock, by which the database has the tables of calls.
func monday() time.Time {
	days := int(time.Now().UTC().Weekday()+6) % 7
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
}

// makeWeeks makes the tables of the week of a time and of the next one.
func makeWeeks(t *testing.T, g *paymentstest.Gateway, at time.Time) {
	t.Helper()
	if inUse, err := models.MakeCallWeeks(t.Context(), g.DB.Pool, at); inUse || err != nil {
		t.Fatalf("in use %t, %v", inUse, err)
	}
}

// call records a call of the API at a time.
func call(t *testing.T, g *paymentstest.Gateway, requestID string, at time.Time) {
	t.Helper()
	if err := models.InsertAPIRequests(t.Context(), g.DB.Pool, []models.APIRequest{{ProjectID: g.Test.ProjectID,
		RequestID: requestID, At: at, Method: "GET", Path: "/v1/checkouts", Status: 200, KeyID: "key"}}); err != nil {
		t.Fatal(err)
	}
}

// calls returns the ids of the requests that are left, each with its table, in the order of their writing.
func calls(t *testing.T, g *paymentstest.Gateway) []string {
	t.Helper()
	return modelstest.Column[string](t, g.DB, `SELECT request_id || ' in ' || tableoid::regclass FROM api_requests
		ORDER BY id`)
}

// weekOf returns the name of the table of a week.
func weekOf(at time.Time) string { return at.Format("api_requests_2006_01_02") }

// forgetCalls runs Forget at a time and fails the test unless these calls are left.
func forgetCalls(t *testing.T, g *paymentstest.Gateway, now time.Time, want ...string) {
	t.Helper()
	if err := jobs.Forget(t.Context(), g.DB.Pool, now, 90*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, calls(t, g)...)); diff != "" {
		t.Errorf("at %s (-want +got)\n%s", now.Format(time.DateTime), diff)
	}
}

// Calls of the API end with the table of their week, 30 days after the week. If the job did not run, calls go on into
// the table that is there, and end with that, 30 days after the last.
func TestForget_Calls(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	first := monday()
	second, fourth := first.Add(week), first.Add(3*week)
	makeWeeks(t, g, first)
	call(t, g, "one", first.Add(time.Hour))
	makeWeeks(t, g, second)
	call(t, g, "two", second)
	call(t, g, "three", fourth) // the fourth week has no table yet
	one, two, three := "one in "+weekOf(first), "two in "+weekOf(second), "three in "+weekOf(second)
	const kept = 30 * 24 * time.Hour
	forgetCalls(t, g, second.Add(kept-time.Microsecond), one, two, three)
	if tables := modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM pg_inherits WHERE inhparent = "+
		"'api_requests'::regclass"); tables != 3 {
		t.Errorf("there are %d tables, want those of the last two weeks and the next", tables)
	}
	forgetCalls(t, g, second.Add(kept), two, three)
	forgetCalls(t, g, fourth.Add(kept+week), two, three) // calls are still written there
	makeWeeks(t, g, fourth)
	call(t, g, "four", fourth)
	four := "four in " + weekOf(fourth)
	forgetCalls(t, g, fourth.Add(kept), two, three, four)
	forgetCalls(t, g, fourth.Add(kept+time.Microsecond), four)
	makeWeeks(t, g, second) // by a process whose clock is late
	call(t, g, "five", second)
	forgetCalls(t, g, second, four, "five in "+weekOf(fourth))
}

// The tables of calls are made once, also by several processes at the same time, while calls are written, and no
// call waits for that. A table that is read is dropped later. A process whose clock is far ahead makes none.
func TestCallWeeks_InUse(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	first := monday()
	makeWeeks(t, g, first.AddDate(1, 0, 0).Truncate(week))
	call(t, g, "now", first)
	if diff := cmp.Diff([]string{"now in " + weekOf(first)}, calls(t, g)); diff != "" {
		t.Errorf("after a clock that was ahead (-want +got)\n%s", diff)
	}
	tx, err := g.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) // nothing to do after the one below
	if _, err := tx.Exec(t.Context(), "DELETE FROM api_requests WHERE request_id = 'never'"); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 50
	var group errgroup.Group
	for range writers {
		group.Go(func() error {
			_, err := models.MakeCallWeeks(t.Context(), g.DB.Pool, first.Add(week))
			return err
		})
		group.Go(func() error {
			for range each {
				if err := models.InsertAPIRequests(t.Context(), g.DB.Pool, []models.APIRequest{{RequestID: "many",
					ProjectID: g.Test.ProjectID, At: first.Add(week)}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	makeWeeks(t, g, first.Add(week)) // while a statement of another process is under way
	call(t, g, "next", first.Add(week))
	if got := len(calls(t, g)); got != writers*each+2 {
		t.Errorf("there are %d calls", got)
	}
	if last := calls(t, g)[writers*each+1]; last != "next in "+weekOf(first.Add(week)) {
		t.Errorf("the last call is %s", last)
	}
	if err := jobs.Forget(t.Context(), g.DB.Pool, first.AddDate(9, 0, 0), 90*24*time.Hour); err != nil {
		t.Error(err)
	}
	if got := len(calls(t, g)); got != writers*each+2 {
		t.Errorf("%d calls are left of tables that are in use", got)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	forgetCalls(t, g, first.AddDate(9, 0, 0), calls(t, g)[modelstest.One[int](t, g.DB, fmt.Sprintf(
		"SELECT count(*)::int FROM %s", weekOf(first))):]...)
}

// A program of schema 94 writes calls as it does, into the table of the week, and deletes the oldest of all weeks.
func TestCallWeeks_OlderProgram(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	first := monday()
	for n, at := range []time.Time{first, first.Add(week)} {
		makeWeeks(t, g, at)
		modelstest.Exec(t, g.DB, `INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status,
				duration, key_id, error_code, object_id, request, answer)
			SELECT $1, false, $2, $3, 'GET', '/v1/checkouts', 200, 1, 'key', '', '', '', ''`, g.Test.ProjectID,
			fmt.Sprint(n), at)
	}
	if diff := cmp.Diff([]string{"0 in " + weekOf(first), "1 in " + weekOf(first.Add(week))}, calls(t, g)); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
	modelstest.Exec(t, g.DB, `DELETE FROM api_requests WHERE at < $1
		AND id IN (SELECT id FROM api_requests ORDER BY id LIMIT $2)`, first.Add(time.Hour), 5000)
	if diff := cmp.Diff([]string{"1 in " + weekOf(first.Add(week))}, calls(t, g)); diff != "" {
		t.Errorf("calls after its deletion (-want +got)\n%s", diff)
	}
}
