package paymentstest

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// gate makes writes to some tables wait while a session holds the gate's lock, without a time
// limit. A transaction that waits there has already locked the rows by which it checks its
// actor.
const gate = `CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
	'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END';
DO $$ DECLARE name text; BEGIN
	FOREACH name IN ARRAY string_to_array(
		'audit_log checkouts payment_links webhook_deliveries webhook_resends access_drafts brands', ' ') LOOP
		EXECUTE format('CREATE TRIGGER gate BEFORE INSERT OR UPDATE ON %I EXECUTE FUNCTION gate()', name);
	END LOOP;
END $$`

// Race starts first and stops its transaction where it writes. Then it starts second, waits
// until second waits for first, lets both continue, and returns their errors. The test fails
// if second does not wait for first.
func (g *Gateway) Race(t *testing.T, first, second func() error) (ofFirst, ofSecond error) {
	t.Helper()
	keeper, err := g.DB.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer keeper.Release()
	g.gate.Do(func() { _, err = keeper.Exec(t.Context(), gate) })
	if err == nil {
		_, err = keeper.Exec(t.Context(), "SELECT pg_advisory_lock(1)")
	}
	if err != nil {
		t.Fatal(err)
	}
	start := func(do func() error) chan error {
		done := make(chan error, 1)
		go func() { done <- do() }()
		return done
	}
	gatekeeper := keeper.Conn().PgConn().PID()
	firstDone := start(first)
	held := g.awaitWaiter(t, firstDone, gatekeeper)
	secondDone := start(second)
	if waiting := g.awaitWaiter(t, secondDone, held, gatekeeper); waiting == 0 {
		t.Error("the second did not wait for the first")
	}
	if _, err := keeper.Exec(context.WithoutCancel(t.Context()), "SELECT pg_advisory_unlock(1)"); err != nil {
		t.Error(err)
	}
	return <-firstDone, <-secondDone
}

// awaitWaiter returns the session that waits for the session by. It returns 0 if done gets an
// error first, or if a session other than by waits for one of others.
func (g *Gateway) awaitWaiter(t *testing.T, done chan error, by uint32, others ...uint32) (waiter uint32) {
	t.Helper()
	for elsewhere := false; waiter == 0 && !elsewhere; {
		select {
		case err := <-done:
			done <- err
			return 0
		default:
		}
		rows, err := g.DB.Pool.Query(t.Context(), `SELECT pid, blocker FROM pg_stat_activity,
			unnest(pg_blocking_pids(pid)) AS blocker WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		if err != nil {
			t.Fatal(err)
		}
		var pid, blocker uint32
		if _, err := pgx.ForEachRow(rows, []any{&pid, &blocker}, func() error {
			if blocker == by {
				waiter = pid
			}
			elsewhere = elsewhere || pid != by && slices.Contains(others, blocker)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return waiter
}
