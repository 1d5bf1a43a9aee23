package models_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// The loss of the database is logged once, on one line, and so is its return, however many
// tasks notice them.
func TestWatch(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	network := faulttest.NewProxy(t, address)
	db := open(t, network.URL())
	name := db.Pool.Config().ConnConfig.Database
	lines := func(what string) (found []string) {
		for line := range strings.Lines(logged.String()) {
			if strings.Contains(line, what) && strings.Contains(line, name) {
				found = append(found, line)
			}
		}
		return found
	}
	network.Refuse()
	for range 20 {
		_, err := db.Pool.Exec(t.Context(), "SELECT 1")
		if !models.Unavailable(err) {
			t.Errorf("without a database: %v", err)
		}
		db.LogFailure(t.Context(), "a task failed without "+name, err)
	}
	if lost := lines("database lost"); len(lost) != 1 || !db.Lost() {
		t.Errorf("the log contains %q; Lost is %v", lost, db.Lost())
	}
	if tasks := lines("a task failed"); len(tasks) != 0 {
		t.Errorf("tasks logged the loss too: %q", tasks)
	}
	network.Restore()
	if _, err := db.Pool.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Error(err)
	}
	if back := lines("database back"); len(back) != 1 || db.Lost() {
		t.Errorf("the log contains %q; Lost is %v", back, db.Lost())
	}
}

// A database that becomes read-only still answers reads. Writes succeed again as soon as the
// database accepts them.
func TestDB_ReadOnly(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	db := open(t, address)
	modelstest.Exec(t, db, "CREATE TABLE notes (id int)")
	write := func() error {
		return db.InTx(t.Context(),
			func(tx *models.Tx) error { _, err := tx.Exec("INSERT INTO notes VALUES (1)"); return err })
	}
	restore := faulttest.ReadOnly(t, address)
	for range 30 {
		if err := write(); !models.Unavailable(err) {
			t.Fatalf("a write: %v", err)
		}
		rows(t, db)
	}
	restore()
	await(t, "writes work", func() bool { return write() == nil })
}

// hosts returns an address with two servers for the same database.
func hosts(t *testing.T, first, second string) string {
	t.Helper()
	one, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	one.Host += "," + other.Host
	return one.String()
}

// If a primary goes silent or becomes read-only and its standby is promoted, the program
// connects to the standby. Of two hosts, it uses the one that accepts writes.
func TestDB_Failover(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	primary, standby, moving := faulttest.NewProxy(t, pair.Primary), faulttest.NewProxy(t, pair.Standby),
		faulttest.NewProxy(t, pair.Standby)
	named, moved := open(t, hosts(t, standby.URL(), primary.URL())), open(t, moving.URL())
	if _, err := named.Pool.Exec(t.Context(), "CREATE TABLE notes (id int)"); err != nil {
		t.Fatalf("with a standby as the first of two hosts: %v", err)
	}
	write := func(db *models.DB) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return db.InTx(ctx, func(tx *models.Tx) error { _, err := tx.Exec("INSERT INTO notes VALUES (1)"); return err })
	}
	await(t, "the standby has the table", func() bool { return !strings.Contains(fmt.Sprint(write(moved)), "42P01") })
	if err := write(moved); !models.Unavailable(err) {
		t.Errorf("a write to a standby: %v", err)
	}
	moving.Redirect(t, pair.Primary)
	await(t, "writes work after the host name moved to the primary", func() bool { return write(moved) == nil })

	heard, listening := make(chan string, 100), make(chan struct{}, 100)
	named.Hear(t.Context(), models.Hearer{Channel: "test", Listening: func() { listening <- struct{}{} },
		Heard: func(payload string) { heard <- payload }})
	<-listening
	primary.Silence()
	pair.Promote(t)
	await(t, "the promoted standby takes writes", func() bool { return write(named) == nil })
	select {
	case <-listening:
	case <-time.After(patience):
		t.Fatal("no connection listens at the promoted standby")
	}
	if err := models.Notify(t.Context(), named.Pool, "test", "hello"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-heard:
	case <-time.After(patience):
		t.Error("a notification of the promoted standby was not received")
	}
}

// If no host accepts writes, reads use a host that is read-only.
func TestDB_AllReadOnly(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	one, other := faulttest.NewProxy(t, address), faulttest.NewProxy(t, address)
	db := open(t, hosts(t, one.URL(), other.URL()))
	faulttest.ReadOnly(t, address)
	one.Cut()
	await(t, "reads work", func() bool {
		var n int
		return db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM checkouts").Scan(&n) == nil
	})
}
