package migrations_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// open returns a pool of its own over url, of at most n connections.
func open(t *testing.T, url string, n int32) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = n
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// limited returns a context with a deadline, so that a hanging test fails.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// schema returns the names of everything in the database, and its recorded versions.
func schema(t *testing.T, pool *pgxpool.Pool) (names string) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(name, ' ' ORDER BY name), '') FROM (
		SELECT relname || relkind::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal) AS all_names`).Scan(&names)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func current(t *testing.T, pool *pgxpool.Pool) bool {
	t.Helper()
	return state(t, pool) == migrations.Current
}

func state(t *testing.T, pool *pgxpool.Pool) migrations.State {
	t.Helper()
	state, err := migrations.Compare(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// An empty database is not current, and Compare does not change it. Up makes it current,
// and a second Up changes nothing.
func TestUp(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewEmptyURL(t), 2)
	if current(t, pool) {
		t.Error("an empty database is current")
	}
	if names := schema(t, pool); names != "" {
		t.Errorf("Compare created %s", names)
	}
	if err := migrations.Up(limited(t), pool); err != nil {
		t.Fatal(err)
	}
	first := schema(t, pool)
	for _, name := range []string{"accountsr", "ledger_transfersr", "river_jobr", "ledger_transfers_final",
		"audit_log_final", "checkouts_txid_unique"} {
		if !strings.Contains(first, name) {
			t.Errorf("the schema lacks %s", name)
		}
	}
	if !current(t, pool) {
		t.Error("after Up the schema is not current")
	}
	if err := migrations.Up(limited(t), pool); err != nil {
		t.Fatal(err)
	}
	if again := schema(t, pool); again != first || !current(t, pool) {
		t.Errorf("the second Up changed the schema to %s from %s", again, first)
	}
}

// Processes that start together migrate once. So do those that share a pool that is too
// small for all of them.
func TestUp_Concurrent(t *testing.T) {
	t.Parallel()
	const processes = 5
	for name, pools := range map[string]func(url string) []*pgxpool.Pool{
		"pools of their own": func(url string) (pools []*pgxpool.Pool) {
			for range processes {
				pools = append(pools, open(t, url, 2))
			}
			return pools
		},
		"one pool": func(url string) (pools []*pgxpool.Pool) {
			shared := open(t, url, 2)
			for range processes {
				pools = append(pools, shared)
			}
			return pools
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := modelstest.NewEmptyURL(t)
			all := pools(url)
			var group errgroup.Group
			for _, pool := range all {
				group.Go(func() error { return migrations.Up(limited(t), pool) })
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			makeMonths(t, all[0])
			if !current(t, all[0]) || schema(t, all[0]) != schema(t, open(t, modelstest.NewURL(t), 2)) {
				t.Error("concurrent migrations made another schema than one process")
			}
			var repeated int
			err := all[0].QueryRow(t.Context(),
				"SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version").Scan(&repeated)
			if err != nil || repeated != 0 {
				t.Errorf("%d migrations were recorded twice, %v", repeated, err)
			}
		})
	}
}

// A database without our newest migration or River's newest one is not current.
func TestCompare_Behind(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)",
		"river_migration WHERE version = (SELECT max(version) FROM river_migration)"} {
		pool := open(t, modelstest.NewURL(t), 2)
		if !current(t, pool) {
			t.Fatal("the template is not current")
		}
		if _, err := pool.Exec(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
		if got := state(t, pool); got != migrations.Behind {
			t.Errorf("without %s the state is %d", table, got)
		}
	}
}

// Compare returns an error, and not a state, if the database does not answer.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewEmptyURL(t), 2)
	pool.Close()
	if state, err := migrations.Compare(t.Context(), pool); err == nil {
		t.Errorf("the state is %d", state)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := migrations.Up(ctx, pool); err == nil {
		t.Error("migrated")
	}
}

// The fingerprint is the same as long as the schema is.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	if a, b := migrations.Fingerprint(), migrations.Fingerprint(); a != b || len(a) != 12 {
		t.Errorf("%q and %q", a, b)
	}
}
