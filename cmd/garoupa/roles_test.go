package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/localpg"
	"garoupa/models/modelstest"
)

// newOwned returns the URLs of an empty database for the role that owns it and for the one that
// docs/roles.sql makes.
func newOwned(t *testing.T) (owner, lesser string) {
	t.Helper()
	server, err := localpg.ForTests()
	if err != nil {
		t.Fatal(err)
	}
	suffix := strings.ToLower(rand.Text()[:8]) // roles belong to the server, which tests share
	ownerName, lesserName := "owner_"+suffix, "serve_"+suffix
	t.Cleanup(func() { // after the database has gone
		execAt(t, server, fmt.Sprintf("DROP ROLE IF EXISTS %s, %s", lesserName, ownerName))
	})
	database := modelstest.NewEmptyURL(t)
	as := func(role string) string {
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(role, "secret")
		return u.String()
	}
	name, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	execAt(t, server, fmt.Sprintf("CREATE ROLE %s LOGIN CREATEROLE PASSWORD 'secret'", ownerName))
	execAt(t, server, fmt.Sprintf("ALTER DATABASE %s OWNER TO %s", name.Database, ownerName))
	sql, err := os.ReadFile("../../docs/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // running it again changes nothing
		execAt(t, as(ownerName), strings.ReplaceAll(string(sql), "garoupa_serve", lesserName))
	}
	execAt(t, as(ownerName), fmt.Sprintf("ALTER ROLE %s PASSWORD 'secret'", lesserName))
	return as(ownerName), as(lesserName)
}

// execAt runs statements at a database.
func execAt(t *testing.T, address, sql string) {
	t.Helper()
	if err := tryAt(t, address, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func tryAt(t *testing.T, address, sql string) error {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the test may have ended
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// The owner migrates; a role that owns nothing serves, runs the jobs and checks the books, and
// cannot undo what keeps them.
func TestRoles(t *testing.T) {
	t.Parallel()
	owner, lesser := newOwned(t)
	if out := newProgramOver(t, "DATABASE_URL="+owner).run("migrate"); !strings.Contains(out, "up to date") {
		t.Errorf("migrate says %s", out)
	}
	p := newProgramOver(t, "DATABASE_URL="+lesser)
	key := p.demo().Keys.Test
	server := p.serve()
	status, id := p.create(key, "k")
	if status != http.StatusCreated {
		t.Fatalf("created %d\n%s", status, server.log)
	}
	p.run("simulate", "pay", id)
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
	p.stop(server, syscall.SIGTERM)
	if log := server.log.String(); strings.Contains(log, "42501") || strings.Contains(log, "permission denied") ||
		strings.Contains(log, "must be owner") {
		t.Errorf("a right is missing: %s", log)
	}
	// It makes and drops tables of months and weeks all the same, and no role without its rights does.
	for _, sql := range []string{
		"SELECT make_event_month('2035-01-01')", "SELECT drop_event_month('2035_01', '2036-01-01')",
		"SELECT drop_answer_month('2035_01')", "DELETE FROM events_other", "DELETE FROM webhook_answers_other",
		"SELECT make_call_week(date_trunc('week', now())::date + 14, false)", "SELECT drop_call_week('before', now())",
	} {
		execAt(t, lesser, sql)
	}
	for _, sql := range []string{
		`SELECT 1 / (to_regclass('events_2035_01') IS NULL)::int`,
		`SELECT 1 / (to_regclass('api_requests_before') IS NULL)::int`,
		`SELECT 1 / (to_regclass(to_char(date_trunc('week', now()) + interval '14 d', '"api_requests_"YYYY_MM_DD'))
			IS NOT NULL)::int`,
		`SELECT 1 / (NOT EXISTS (SELECT FROM pg_proc WHERE prosecdef AND has_function_privilege('public', oid,
			'EXECUTE')))::int`,
	} {
		execAt(t, lesser, sql)
	}
	for _, sql := range []string{
		"ALTER TABLE audit_log DISABLE TRIGGER ALL", "ALTER TABLE ledger_transfers DISABLE TRIGGER USER",
		"TRUNCATE audit_log", "DROP TABLE sessions", "CREATE TABLE x ()", "SET session_replication_role = replica",
		"CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
	} {
		err := tryAt(t, lesser, sql)
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "42501" {
			t.Errorf("%s: %v", sql, err)
		}
	}
	// A schema that is behind is not upgraded by a process that cannot: it says so in one line.
	execAt(t, owner, "DELETE FROM goose_db_version WHERE version_id > 0")
	if r := p.try("serve"); r.status == 0 || !strings.Contains(r.wrong, "run garoupa migrate with the DATABASE_URL") {
		t.Errorf("behind: %+v", r)
	}
}
