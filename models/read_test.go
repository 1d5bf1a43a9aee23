package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// read is what a query of DB.Read tells.
type read struct {
	AtStandby bool
	Notes     int
}

func readNotes(t *testing.T, db *models.DB) (r read) {
	t.Helper()
	err := db.Read.QueryRow(t.Context(), "SELECT pg_is_in_recovery(), count(*) FROM notes").Scan(&r.AtStandby, &r.Notes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func missing(t *testing.T, db *models.DB) int64 {
	t.Helper()
	bytes, err := db.ReadBehind(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func fromPrimary(t *testing.T, db *models.DB, reason string) int64 {
	t.Helper()
	return db.Reads().Primary[reason]
}

// The read database answers while it has all that other processes committed, and otherwise the
// primary does: the answer is never old, and never an error.
func TestRead(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	pair.Part(t)
	network := faulttest.NewProxy(t, pair.Standby)
	db, other := open(t, pair.Primary), open(t, pair.Primary)
	if err := db.ReadFrom(t.Context(), network.URL()); err != nil {
		t.Fatal(err)
	}
	exec(t, other.Pool, "CREATE TABLE notes (n int)")
	t.Run("the standby is used when it has caught up", func(t *testing.T) {
		await(t, "the standby answers", func() bool { return readNotes(t, db) == read{true, 0} })
	})
	t.Run("what another process wrote is read at once", func(t *testing.T) {
		for n := 1; n <= 200; n++ {
			exec(t, other.Pool, "INSERT INTO notes VALUES (1)")
			if got := readNotes(t, db).Notes; got != n {
				t.Fatalf("%d notes after %d were written", got, n)
			}
		}
		await(t, "the standby answers", func() bool { return readNotes(t, db) == read{true, 200} })
		await(t, "nothing is missing", func() bool { return missing(t, db) == 0 })
	})
	t.Run("a standby that does not replay", func(t *testing.T) {
		resume := pause(t, pair.Standby)
		exec(t, other.Pool, "INSERT INTO notes VALUES (1)")
		if got := readNotes(t, db); got != (read{false, 201}) {
			t.Errorf("with replay paused: %+v", got)
		}
		if r := db.Reads(); r.Primary["behind"] == 0 || missing(t, db) == 0 {
			t.Errorf("with replay paused reads are %+v", r)
		}
		resume()
		await(t, "the standby is used again", func() bool { return readNotes(t, db) == read{true, 201} })
	})
	t.Run("a conflict with replay", func(t *testing.T) {
		readThroughConflict(t, db, other, pair.Standby)
	})
	t.Run("a silent network", func(t *testing.T) {
		network.Silence()
		exec(t, other.Pool, "INSERT INTO notes VALUES (1)")
		if got := readNotes(t, db); got != (read{false, 1}) {
			t.Errorf("in the silence: %+v", got)
		}
		if _, err := db.ReadBehind(t.Context()); err == nil || fromPrimary(t, db, "unreachable") == 0 {
			t.Errorf("in the silence: %v, %+v", err, db.Reads())
		}
		network.Restore()
		await(t, "the standby is used again", func() bool { return readNotes(t, db) == read{true, 1} })
	})
	t.Run("another history", func(t *testing.T) {
		if err := db.OfOtherHistory(t.Context()); !errors.Is(err, models.ErrReplaced) {
			t.Errorf("a standby of another timeline: %v", err)
		}
	})
	t.Run("a promoted standby", func(t *testing.T) {
		pair.Promote(t)
		promoted := open(t, pair.Standby)
		exec(t, promoted.Pool, "INSERT INTO notes VALUES (1), (1), (1)")
		if got := readNotes(t, db); got != (read{false, 1}) {
			t.Errorf("after the promotion: %+v", got)
		}
		await(t, "it is known as replaced", func() bool {
			return readNotes(t, db).Notes == 1 && fromPrimary(t, db, "replaced") > 0
		})
	})
}

// readThroughConflict runs a query that the standby ends after its first row, because the primary
// emptied the table.
func readThroughConflict(t *testing.T, db, other *models.DB, standby string) {
	admin, err := pgx.Connect(t.Context(), standby)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	for _, sql := range []string{"ALTER SYSTEM SET max_standby_streaming_delay = 0", "SELECT pg_reload_conf()"} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "the standby does not wait for queries", func() bool {
		var delay string
		return admin.QueryRow(t.Context(), "SHOW max_standby_streaming_delay").Scan(&delay) == nil && delay == "0"
	})
	await(t, "the standby answers", func() bool { return readNotes(t, db).AtStandby })
	type result struct {
		rows []int
		err  error
	}
	read := make(chan result, 1)
	go func() {
		rows, err := db.Read.Query(context.Background(), `SELECT n FROM notes UNION ALL
			SELECT 2 FROM pg_sleep(CASE WHEN pg_is_in_recovery() THEN 4 ELSE 0 END)`)
		if err != nil {
			read <- result{nil, err}
			return
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[int])
		read <- result{all, err}
	}()
	await(t, "the query runs at the standby", func() bool {
		var runs bool
		err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')").
			Scan(&runs)
		return err == nil && runs
	})
	exec(t, other.Pool, "TRUNCATE notes")
	if got := <-read; got.err != nil || len(got.rows) != 1 || got.rows[0] != 2 {
		t.Errorf("a query that conflicts with replay returned %v, %v", got.rows, got.err)
	}
	if fromPrimary(t, db, "refused") != 1 {
		t.Errorf("reads are %+v", db.Reads())
	}
}

// pause stops replay at the standby until resume is called.
func pause(t *testing.T, standby string) (resume func()) {
	t.Helper()
	db := open(t, standby)
	exec(t, db.Pool, "SELECT pg_wal_replay_pause()")
	await(t, "replay is paused", func() bool {
		var state string
		return db.Pool.QueryRow(t.Context(), "SELECT pg_get_wal_replay_pause_state()").Scan(&state) == nil &&
			state == "paused"
	})
	return func() { exec(t, db.Pool, "SELECT pg_wal_replay_resume()") }
}

func exec(t *testing.T, q models.Querier, sql string) {
	t.Helper()
	if _, err := q.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// A database that is no standby of the primary is never read.
func TestRead_OtherCluster(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	db := open(t, modelstest.NewEmptyURL(t))
	if err := db.ReadFrom(t.Context(), pair.Standby); err != nil {
		t.Fatal(err)
	}
	var standby bool
	if err := db.Read.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&standby); err != nil || standby {
		t.Errorf("read at another cluster: %v, %v", standby, err)
	}
	if _, err := db.ReadBehind(t.Context()); !errors.Is(err, models.ErrReplaced) || db.Reads().Standby != 0 {
		t.Errorf("another cluster: %v, %+v", err, db.Reads())
	}
}

// A read database that was never there does not keep the program from starting.
func TestRead_Absent(t *testing.T) {
	t.Parallel()
	db := open(t, modelstest.NewEmptyURL(t))
	if err := db.ReadFrom(t.Context(), "postgres://nobody:hunter2@127.0.0.1:1/none"); err != nil {
		t.Fatal(err)
	}
	var one int
	err := db.Read.QueryRow(t.Context(), "SELECT 1").Scan(&one)
	if err != nil || one != 1 || fromPrimary(t, db, "unreachable") != 1 {
		t.Errorf("%d, %v, %+v", one, err, db.Reads())
	}
	if err := db.ReadFrom(t.Context(), "mysql://x"); err == nil || !strings.Contains(err.Error(), "postgres://") {
		t.Errorf("another address: %v", err)
	}
}
