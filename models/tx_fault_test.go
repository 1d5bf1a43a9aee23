package models_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// behind returns a database with a table for tests, connected through a network that the test
// can break, and the same database connected directly.
func behind(t *testing.T) (db, direct *models.DB, network *faulttest.Proxy) {
	t.Helper()
	address := modelstest.NewURL(t)
	direct = open(t, address)
	modelstest.Exec(t, direct, "CREATE TABLE notes (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
	network = faulttest.NewProxy(t, address)
	return open(t, network.URL()), direct, network
}

func rows(t *testing.T, db *models.DB) (n int) {
	t.Helper()
	if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func add(tx *models.Tx, id int) error {
	_, err := tx.Exec("INSERT INTO notes VALUES ($1)", id)
	return err
}

// If the answer to COMMIT is lost, the error says that the result is unknown, because the work
// may be done. Every other error says that it is not done.
func TestInTx_CommitUnknown(t *testing.T) {
	t.Parallel()
	db, direct, network := behind(t)
	network.LoseAnswers(1, "commit")
	err := db.InTx(t.Context(), func(tx *models.Tx) error { return add(tx, 1) })
	if !errors.Is(err, models.ErrCommitUnknown) || !models.Unavailable(err) || rows(t, direct) != 1 {
		t.Errorf("after a lost answer: %v, %d rows", err, rows(t, direct))
	}

	err = db.InTx(t.Context(), func(tx *models.Tx) error { return add(tx, 1) }) // COMMIT itself fails
	if !models.Violates(err, "notes_id_key") || errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("a commit that fails: %v", err)
	}
	err = db.InTx(t.Context(), func(tx *models.Tx) error { _, _ = tx.Exec("SELECT 1/0"); return nil })
	if err == nil || errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("a commit after a failed statement: %v", err)
	}
	if n := rows(t, direct); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	freed(t, db)
}

// What waits for a commit happens once, after it, and only if the work is or may be done.
func TestTx_AfterCommit(t *testing.T) {
	t.Parallel()
	db, direct, network := behind(t)
	var seen []int // the rows that another connection sees, at each call
	tx := func(id int) func(tx *models.Tx) error {
		return func(tx *models.Tx) error {
			tx.AfterCommit(func() { seen = append(seen, rows(t, direct)) })
			return add(tx, id)
		}
	}
	if err := db.InTx(t.Context(), tx(1)); err != nil {
		t.Fatal(err)
	}
	if err := db.InTx(t.Context(), tx(1)); !models.Violates(err, "notes_id_key") {
		t.Errorf("a commit that fails: %v", err)
	}
	network.LoseAnswers(1, "commit")
	if err := db.InTx(t.Context(), tx(2)); !errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("after a lost answer: %v", err)
	}
	if want := []int{1, 2}; !slices.Equal(seen, want) {
		t.Errorf("rows at the calls: %v, want %v", seen, want)
	}
}

// A network that goes silent does not block a transaction forever, in whatever statement, and
// does not lose a connection of the pool.
func TestInTx_Silence(t *testing.T) {
	t.Parallel()
	db, direct, network := behind(t)
	if rows(t, db) != 0 {
		t.Fatal("a new table is not empty")
	}
	network.Silence()
	err := db.InTx(t.Context(), func(tx *models.Tx) error { return add(tx, 1) })
	if !models.Unavailable(err) || errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("BEGIN into silence: %v", err)
	}
	freed(t, db)
	network.Abandon()
	err = db.InTx(t.Context(), func(tx *models.Tx) error {
		defer network.Silence()
		return add(tx, 2)
	})
	if !errors.Is(err, models.ErrCommitUnknown) || !models.Unavailable(err) {
		t.Errorf("COMMIT into silence: %v", err)
	}
	freed(t, db)
	network.Abandon() // existing connections stay silent
	if err := db.InTx(t.Context(), func(tx *models.Tx) error { return add(tx, 3) }); err != nil {
		t.Errorf("after the silence: %v", err)
	}
	if n := rows(t, direct); n != 1 {
		t.Errorf("%d rows, want the last one", n)
	}
}

// A commit that waits for a standby, and whose caller has stopped waiting, stays invisible
// until the standby has it: otherwise the answer to a repeated request could report work that
// a failover would undo.
func TestInTx_StandbyBehind(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	db := open(t, pair.Primary)
	modelstest.Exec(t, db, "CREATE TABLE notes (id int)")
	standbys := func(names string) {
		t.Helper()
		for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'",
			"SELECT pg_reload_conf()"} {
			if _, err := db.Background.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	standbys("another")
	await(t, "commits wait", func() bool { return show(t, db.Reserved, "synchronous_standby_names") == "another" })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := db.InTx(ctx, func(tx *models.Tx) error { _, err := tx.Exec("INSERT INTO notes VALUES (1)"); return err })
	if !errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("a commit without a standby: %v", err)
	}
	waiting := func() (n int) {
		if err := db.Reserved.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if waiting() != 1 || rows(t, db) != 0 {
		t.Errorf("%d commits wait, and %d rows are visible", waiting(), rows(t, db))
	}
	standbys("*")
	await(t, "the commit is visible", func() bool { return rows(t, db) == 1 })
}
