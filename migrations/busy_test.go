package migrations_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/internal/faulttest"
	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// waiting counts the sessions that wait for a lock of the table $1.
const waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass"

// A migration that finds its table in use gives up soon, so that other statements do not
// wait behind it for long, and is tried again until the table is free.
func TestUp_TableInUse(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	pool := open(t, url, 2)
	schemas[len(schemas)-1].build(t, pool)
	release := faulttest.Hold(t, url, "LOCK TABLE events IN ACCESS SHARE MODE") // a long read

	upgraded := up(t, url)
	for range 2 {
		await(t, pool, 1, waiting, "events")
		// As a creation of charges waits, see package models. It comes after the migration, which gives up before.
		run(t, pool, "BEGIN; SET LOCAL lock_timeout = '500ms'; LOCK TABLE events IN ROW EXCLUSIVE MODE; COMMIT")
	}
	release()
	if err := <-upgraded; err != nil {
		t.Fatal(err)
	}
	if !current(t, pool) {
		t.Error("the schema is not current")
	}
}

// A migration that loses a deadlock with a serving program is tried again.
func TestUp_Deadlock(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	pool := open(t, url, 2)
	landed{files: "1-16 18"}.build(t, pool)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	// Migration 19 builds an index on checkouts and then one on payments. This transaction
	// locks them in the opposite order, and lets the migration detect the deadlock.
	exec("BEGIN; SET LOCAL deadlock_timeout = '10min'; LOCK TABLE payments IN ROW EXCLUSIVE MODE")
	upgraded := up(t, url)
	await(t, pool, 1, waiting, "payments")
	exec("LOCK TABLE checkouts IN ROW EXCLUSIVE MODE; COMMIT")
	if err := <-upgraded; err != nil {
		t.Fatal(err)
	}
	if !current(t, pool) {
		t.Error("the schema is not current")
	}
}

// What an interrupted migration outside of a transaction leaves behind is removed by the
// next run.
func TestUp_CutOff(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	pool := open(t, url, 2)
	schemas[len(schemas)-1].build(t, pool)
	// At its end, building an index concurrently waits for the transactions that began
	// before it.
	release := faulttest.Hold(t, url, "DECLARE reading CURSOR FOR SELECT FROM accounts")
	upgraded := up(t, url)
	await(t, pool, 1, "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('events_by_epoch') "+
		"AND NOT indisvalid")
	run(t, pool, "SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index "+
		"WHERE datname = current_database()")
	if err := <-upgraded; err == nil {
		t.Fatal("the migration was not interrupted")
	}
	release()
	if err := migrations.Up(limited(t), pool); err != nil {
		t.Fatal(err)
	}
	makeMonths(t, pool)
	if diff := cmp.Diff(catalog(t, open(t, modelstest.NewURL(t), 1)), catalog(t, pool)); diff != "" {
		t.Errorf("the schema differs from a new one (-new +upgraded)\n%s", diff)
	}
}

// Older programs wait for the migration lock in one statement, and building an index
// concurrently waits for the end of that statement. If PostgreSQL aborts the index, the older
// program gets the lock, and the index is built afterwards.
func TestUp_OldProgramWaits(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	pool := open(t, url, 2)
	schemas[len(schemas)-1].build(t, pool)
	release := faulttest.Hold(t, url, "LOCK TABLE events IN ACCESS SHARE MODE")
	upgraded := up(t, url)
	await(t, pool, 1, waiting, "events") // the migration holds its lock
	old, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Exec(t.Context(), "SET deadlock_timeout = '10min'"); err != nil { // so the index is aborted
		t.Fatal(err)
	}
	had := make(chan error, 1)
	go func() {
		_, err := old.Exec(context.Background(), "SELECT pg_advisory_lock(x'6761726f757061'::bigint)")
		had <- errors.Join(err, old.Close(context.Background()))
	}()
	await(t, pool, 1, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	release()
	if err := errors.Join(<-had, <-upgraded); err != nil {
		t.Fatal(err)
	}
	if !current(t, pool) {
		t.Error("the schema is not current")
	}
}

// up runs Up with connections of its own, as another process would.
func up(t *testing.T, url string) (ended chan error) {
	t.Helper()
	pool, ended := open(t, url, 2), make(chan error, 1)
	ctx := limited(t)
	go func() { ended <- migrations.Up(ctx, pool) }()
	return ended
}

// await returns when a counting query returns n.
func await(t *testing.T, pool *pgxpool.Pool, n int, query string, args ...any) {
	t.Helper()
	ctx := limited(t)
	for {
		var got int
		if err := pool.QueryRow(ctx, query, args...).Scan(&got); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got == n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
