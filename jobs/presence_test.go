package jobs

import (
	"context"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// presenceAwait returns when holds returns true.
func presenceAwait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting: %s", what)
		}
	}
}

// shown returns the server process that holds the presence lock of a name, or 0.
func shown(t *testing.T, db *models.DB, name string) (process int) {
	t.Helper()
	err := db.Reserved.QueryRow(t.Context(), `SELECT coalesce(max(pid), 0) FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objid::bigint = hashtext($1)::bigint & 4294967295
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, name).Scan(&process)
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// When the connection that shows presence is cut, the process keeps running and shows its
// presence again, however often that happens.
func TestAppear_Cut(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	const name = "garoupa_cut"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := appear(ctx, db, name); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		process := shown(t, db, name)
		if _, err := db.Reserved.Exec(t.Context(), "SELECT pg_terminate_backend($1, 10000)", process); err != nil {
			t.Fatal(err)
		}
		presenceAwait(t, "the process shows its presence again", func() bool {
			now := shown(t, db, name)
			return now != 0 && now != process
		})
	}
}

// A process whose network goes silent shows its presence again over a new connection, although
// the server still holds the lock of the old one.
func TestAppear_Silence(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	network := faulttest.NewProxy(t, address)
	var dbs [2]*models.DB
	for i, address := range []string{network.URL(), address} {
		db, err := models.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		dbs[i] = db
	}
	const name = "garoupa_silent"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := appear(ctx, dbs[0], name); err != nil {
		t.Fatal(err)
	}
	before := shown(t, dbs[1], name)
	network.Abandon()
	presenceAwait(t, "the process shows its presence by another connection", func() bool {
		var others int
		err := dbs[1].Reserved.QueryRow(t.Context(),
			`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
			AND objid::bigint = hashtext($1)::bigint & 4294967295 AND pid <> $2`, name, before).Scan(&others)
		return err == nil && others > 0
	})
}

// A start fails if the database cannot be reached.
func TestAppear_Refused(t *testing.T) {
	t.Parallel()
	network := faulttest.NewProxy(t, modelstest.NewURL(t))
	db, err := models.Open(t.Context(), network.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	network.Refuse()
	if err := appear(t.Context(), db, "garoupa_refused"); err == nil {
		t.Error("appear succeeded without a database")
	}
}

// A process never takes over its own jobs, present or not. It takes over those of other
// processes only when they are gone.
func TestReleaseJobs(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if _, err := db.Pool.Exec(t.Context(),
		`INSERT INTO river_job (kind, args, max_attempts, state, attempted_by, attempted_at, queue)
		SELECT 'test', '{}', 5, 'running', ARRAY[name], now(), 'test'
		FROM unnest(ARRAY['self', 'other', 'alive']) AS name`); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := appear(ctx, db, "alive"); err != nil {
		t.Fatal(err)
	}
	absent, err := models.ReleaseJobs(t.Context(), db.Pool, "self", []string{"self", "other", "alive"})
	if err != nil || len(absent) != 1 || absent[0] != "other" {
		t.Errorf("the absent processes are %v, %v", absent, err)
	}
	var released string
	err = db.Pool.QueryRow(t.Context(),
		"SELECT string_agg(attempted_by[1], ' ') FROM river_job WHERE state = 'available'").Scan(&released)
	if err != nil || released != "other" {
		t.Errorf("released the jobs of %q, %v", released, err)
	}
}
