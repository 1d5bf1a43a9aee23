// Package faulttest breaks things on purpose, so that tests can see what the product does
// then: it silences or cuts the network to PostgreSQL, loses the answer to a commit, locks
// rows, makes a database read-only, promotes a standby, pools transactions, and freezes a
// process. It does not depend on the product.
package faulttest

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Hold runs a locking statement, such as SELECT … FOR UPDATE or LOCK TABLE, in a
// transaction of its own at url, and keeps the transaction open until release is called or
// the test ends. Calling release again does nothing.
func Hold(t testing.TB, url, statement string, args ...any) (release func()) {
	t.Helper()
	ctx := context.Background() // the test's own context ends before its cleanups
	conn := connect(t, url)
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, statement, args...)
	}
	if err != nil {
		_ = conn.Close(ctx)
		t.Fatalf("faulttest: hold: %v", err)
	}
	release = func() {
		_ = tx.Rollback(ctx) // closing alone would keep the locks a little longer
		_ = conn.Close(ctx)
	}
	t.Cleanup(release)
	return release
}

// ReadOnly makes every transaction in the database at url read-only, as on a demoted
// primary or a managed server with a full disk, until restore is called or the test ends.
// It ends all sessions, because a session keeps the setting of its start.
func ReadOnly(t testing.TB, url string) (restore func()) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatalf("faulttest: read-only: %v", err)
	}
	name := pgx.Identifier{config.Database}.Sanitize()
	set := func(what string) {
		alterDatabase(t, url, "ALTER DATABASE "+name+" "+what)
	}
	set("SET default_transaction_read_only = on")
	restored := false
	restore = func() {
		if !restored {
			restored = true
			set("RESET default_transaction_read_only")
		}
	}
	t.Cleanup(restore)
	return restore
}

// alterDatabase runs the statement and ends every other session of the database.
func alterDatabase(t testing.TB, url, statement string) {
	t.Helper()
	ctx := context.Background()
	conn := connect(t, url)
	defer conn.Close(ctx)
	for _, sql := range []string{
		"SET default_transaction_read_only = off",
		statement,
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
			"WHERE datname = current_database() AND pid <> pg_backend_pid()",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Errorf("faulttest: %s: %v", sql, err)
		}
	}
}

// Freeze stops a process without a signal it can handle, as a paused virtual machine does:
// the process keeps its connections and locks and does nothing. It continues when thaw is
// called or the test ends.
func Freeze(t testing.TB, process *os.Process) (thaw func()) {
	t.Helper()
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatalf("faulttest: freeze: %v", err)
	}
	thaw = func() { _ = process.Signal(syscall.SIGCONT) }
	t.Cleanup(thaw)
	return thaw
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatalf("faulttest: connect: %v", err)
	}
	return conn
}
