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
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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

// admins are connections to servers, by address. They are few and kept: a connection costs as much as half a clone.
var admins sync.Map

// adminConns limits the databases that a process creates and drops at a time.
const adminConns = 2

// admin runs fn with a connection to the server.
func admin(t testing.TB, server string, fn func(*pgx.Conn)) {
	t.Helper()
	open, _ := admins.LoadOrStore(server, sync.OnceValues(func() (*pgxpool.Pool, error) {
		config, err := pgxpool.ParseConfig(server)
		if err != nil {
			return nil, err
		}
		config.MaxConns = adminConns
		return pgxpool.NewWithConfig(context.Background(), config)
	}))
	pool, err := open.(func() (*pgxpool.Pool, error))()
	if err != nil {
		t.Fatalf("modelstest: %v", err)
	}
	conn, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatalf("modelstest: %v", err)
	}
	defer conn.Release()
	fn(conn.Conn())
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
