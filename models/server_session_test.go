package models_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// patience is how long a test waits for something before it fails.
const patience = time.Minute

// await returns when holds returns true.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting: %s", what)
		}
	}
}

// open returns models.Open of an address, and closes the result when the test ends.
func open(t *testing.T, address string) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// freed waits until no connection of the pool is in use.
func freed(t *testing.T, db *models.DB) {
	t.Helper()
	await(t, "all connections are returned", func() bool { return held(db) == 0 })
}

// show returns a setting of a connection of the pool.
func show(t *testing.T, pool *pgxpool.Pool, setting string) (value string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Transactions and single statements are READ COMMITTED, whatever the database, the role and
// the address set.
func TestOpen_Isolation(t *testing.T) {
	t.Parallel()
	address := modelstest.NewEmptyURL(t)
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	parameter := *parsed
	parameter.RawQuery = strings.TrimPrefix(parameter.RawQuery+"&default_transaction_isolation=repeatable%20read", "&")
	name := parsed.Path[1:]
	for _, tc := range []struct{ by, sql, address string }{
		{"the address", "SELECT", parameter.String()},
		{"the database", "ALTER DATABASE " + name + " SET default_transaction_isolation = 'serializable'", address},
		{"the role", "ALTER ROLE CURRENT_USER IN DATABASE " + name +
			" SET default_transaction_isolation = 'repeatable read'", address},
	} {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), tc.sql); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(t.Context())
		db := open(t, tc.address)
		for _, pool := range []*pgxpool.Pool{db.Pool, db.Queue, db.Reserved, db.Background} {
			if got := show(t, pool, "transaction_isolation"); got != "read committed" {
				t.Errorf("set by %s: a statement is %s", tc.by, got)
			}
		}
		err = db.InTx(t.Context(), func(tx *models.Tx) error {
			var got string
			if err := tx.Scan("SELECT current_setting('transaction_isolation')", nil, &got); err != nil ||
				got != "read committed" {
				t.Errorf("set by %s: a transaction is %s, %v", tc.by, got, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Each pool limits its statements, waits and transactions, and makes the server notice clients
// that are gone.
func TestOpen_Sessions(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for name, pool := range map[string]*pgxpool.Pool{
		"Pool": db.Pool, "Queue": db.Queue, "Reserved": db.Reserved, "Background": db.Background,
	} {
		for _, setting := range []string{
			"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout",
			"client_connection_check_interval",
		} {
			if value := show(t, pool, setting); value == "0" {
				t.Errorf("DB.%s has no %s", name, setting)
			}
		}
	}
	if got := show(t, db.Pool, "synchronous_commit") +
		show(t, db.Pool, "enable_seqscan"); got != show(t, db.Reserved, "synchronous_commit")+"on" {
		t.Errorf("DB.Pool has the settings of the queue: %s", got)
	}
}

// No pool compiles statements, whatever the database sets.
func TestOpen_JIT(t *testing.T) {
	t.Parallel()
	address := modelstest.NewEmptyURL(t)
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ALTER DATABASE "+parsed.Path[1:]+" SET jit = on"); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())
	db := open(t, address)
	for name, pool := range map[string]*pgxpool.Pool{
		"Pool": db.Pool, "Queue": db.Queue, "Reserved": db.Reserved, "Background": db.Background,
	} {
		if got := show(t, pool, "jit"); got != "off" {
			t.Errorf("DB.%s has jit = %s", name, got)
		}
	}
}

// A transaction waits for a locked row for a limited time, not for as long as the row is
// locked.
func TestInTx_HeldRow(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	db := open(t, address)
	modelstest.Exec(t, db, "CREATE TABLE held (id int); INSERT INTO held VALUES (1)")
	faulttest.Hold(t, address, "SELECT FROM held WHERE id = 1 FOR UPDATE")
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		_, err := tx.Exec("UPDATE held SET id = 2 WHERE id = 1")
		return err
	})
	if !models.Unavailable(err) {
		t.Errorf("a locked row: %v", err)
	}
	freed(t, db)
}

// The server ends a transaction whose process hangs, and releases its locks.
func TestInTx_Idle(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	modelstest.Exec(t, db, "CREATE TABLE held (id int); INSERT INTO held VALUES (1)")
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := tx.Exec("SET LOCAL idle_in_transaction_session_timeout = '50ms'"); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE held SET id = 2"); err != nil {
			return err
		}
		await(t, "the row is free", func() bool { // meanwhile the process does nothing
			return db.Reserved.QueryRow(t.Context(), "SELECT FROM held FOR UPDATE NOWAIT").Scan() == nil
		})
		return nil
	})
	if !models.Unavailable(err) {
		t.Errorf("committing after the idle time: %v", err)
	}
	freed(t, db)
	var id int
	if err := db.Pool.QueryRow(t.Context(), "SELECT id FROM held").Scan(&id); err != nil || id != 1 {
		t.Errorf("the transaction left %d, %v", id, err)
	}
}

// A statement that its caller no longer waits for ends on the server as well, without a second
// connection for canceling it.
func TestPool_Abandoned(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := db.Pool.Exec(ctx, "SELECT pg_sleep(600)"); !models.Unavailable(err) {
		t.Errorf("a statement past its deadline: %v", err)
	}
	await(t, "the statement ends", func() bool {
		var running int
		err := db.Reserved.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(600)%'
			AND pid <> pg_backend_pid()`).Scan(&running)
		return err == nil && running == 0
	})
}
