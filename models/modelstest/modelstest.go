// Package modelstest gives each test a PostgreSQL database of its own.
//
// The first test of a schema migrates a template database; every other test clones it, which
// takes some tens of milliseconds. So tests all call t.Parallel, and do not clean up.
package modelstest

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/localpg"
	"garoupa/migrations"
	"garoupa/models"
)

// NewDB returns an empty, migrated database, which is dropped when the test ends.
func NewDB(t testing.TB) *models.DB {
	t.Helper()
	db, err := models.Open(context.Background(), NewURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// NewURL is NewDB for a program that opens its own connections.
func NewURL(t testing.TB) string {
	t.Helper()
	return create(t, func(conn *pgx.Conn, server string) string {
		// Copying files takes half of what logging each block takes.
		return " TEMPLATE " + ensureTemplate(t, conn, server) + " STRATEGY = FILE_COPY"
	})
}

// NewEmptyURL is NewURL for a database without any schema.
func NewEmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, func(*pgx.Conn, string) string { return "" })
}

// create creates a database and returns its URL. from returns the options of CREATE DATABASE,
// such as the template.
func create(t testing.TB, from func(conn *pgx.Conn, server string) string) string {
	t.Helper()
	server, err := localpg.ForTests()
	if err != nil {
		t.Fatalf("modelstest: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	admin(t, server, func(conn *pgx.Conn) { exec(t, conn, "CREATE DATABASE "+name+from(conn, server)) })
	t.Cleanup(func() {
		admin(t, server, func(conn *pgx.Conn) { exec(t, conn, "DROP DATABASE "+name+" WITH (FORCE)") })
	})
	return withDatabase(t, server, name)
}

// admin runs fn with a connection to the server and closes it afterwards. Otherwise each
// parallel test would hold a connection for its whole duration.
func admin(t testing.TB, server string, fn func(*pgx.Conn)) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("modelstest: %v", err)
	}
	defer conn.Close(ctx)
	fn(conn)
}

// ensureTemplate migrates the template once per schema and server and returns its name. An
// advisory lock makes other test processes wait for the first one.
func ensureTemplate(t testing.TB, conn *pgx.Conn, server string) string {
	t.Helper()
	ctx := context.Background()
	name := "template_" + migrations.Fingerprint()
	exec(t, conn, "SELECT pg_advisory_lock(hashtext('"+name+"'))")
	defer exec(t, conn, "SELECT pg_advisory_unlock(hashtext('"+name+"'))")

	var ready bool
	if err := conn.QueryRow(ctx, "SELECT count(*) = 1 FROM pg_database WHERE datname = $1 AND datistemplate",
		name).Scan(&ready); err != nil {
		t.Fatal(err)
	}
	if ready {
		return name
	}
	exec(t, conn, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") // left over from an interrupted run
	exec(t, conn, "CREATE DATABASE "+name)
	db, err := models.Open(ctx, withDatabase(t, server, name))
	if err != nil {
		t.Fatal(err)
	}
	err = migrations.Up(ctx, db.Pool)
	if err == nil {
		_, err = models.MakeTables(ctx, db.Pool, time.Now())
	}
	db.Close()
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "ALTER DATABASE "+name+" IS_TEMPLATE true")
	return name
}

func exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Errorf("modelstest: %s: %v", sql, err)
	}
}

func withDatabase(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("modelstest: the server's address is not a URL")
	}
	u.Path = "/" + name
	return u.String()
}
