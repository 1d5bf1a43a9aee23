package models_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// OpenPooled without a direct address refuses a pooler that shares connections between transactions, and leaves no
// setting in it.
func TestOpenPooled_Alone(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1, 2, 5} {
		address := faulttest.NewPooler(t, modelstest.NewURL(t), connections)
		db, err := models.OpenPooled(t.Context(), address, "")
		if err == nil {
			db.Close()
			t.Errorf("OpenPooled accepted a pooler with %d connections", connections)
			continue
		}
		if text := err.Error(); !strings.Contains(text, "pooler") || !strings.Contains(text, "session mode") ||
			strings.Contains(text, "\n") {
			t.Errorf("%d connections: %s", connections, text)
		}
		config, err := pgx.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * connections {
			var seqscan, timeout string
			err := conn.QueryRow(t.Context(), "SELECT current_setting('enable_seqscan'), "+
				"current_setting('statement_timeout')").Scan(&seqscan, &timeout)
			if err != nil || seqscan != "on" || timeout != "0" {
				t.Errorf("a setting was left in the pooler: %s, %s, %v", seqscan, timeout, err)
			}
		}
		_ = conn.Close(t.Context())
	}
}

// With a direct address, a pooler that shares connections between transactions is accepted. What needs a session works,
// and nothing is left in the pooler's sessions.
func TestOpenPooled(t *testing.T) {
	t.Parallel()
	direct := modelstest.NewURL(t)
	pooled := faulttest.NewPooler(t, direct, 3)
	db, err := models.OpenPooled(t.Context(), pooled, direct)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	heard := make(chan string, 1)
	listening := make(chan struct{}, 1)
	db.Hear(t.Context(), models.Hearer{Channel: "pooled", Listening: func() { listening <- struct{}{} },
		Heard: func(payload string) { heard <- payload }})
	<-listening
	if err := models.Notify(t.Context(), db.Pool, "pooled", "across"); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "across" {
		t.Errorf("heard %q", got)
	}
	var working sync.WaitGroup
	for n := range 8 { // more than the pooler has connections, so that they change hands
		working.Go(func() {
			for range 10 {
				var got int
				err := db.Pool.QueryRow(t.Context(), "SELECT cardinality($1::text[]) + $2", []string{"a", "b"},
					n).Scan(&got)
				if err != nil || got != n+2 {
					t.Errorf("%d: %d, %v", n, got, err)
				}
				err = db.InTx(t.Context(), func(tx *models.Tx) error {
					return tx.Scan("SELECT $1::int", []any{n}, &got)
				})
				if err != nil || got != n {
					t.Errorf("in a transaction, %d: %d, %v", n, got, err)
				}
			}
		})
	}
	working.Wait()
	for _, pool := range []*pgxpool.Pool{db.Pool, db.Reserved} {
		var prepared, timeout string
		err := pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM pg_prepared_statements)::text, "+
			"current_setting('statement_timeout')").Scan(&prepared, &timeout)
		if err != nil || prepared != "0" || timeout != "0" {
			t.Errorf("left in the pooler: %s statements, the limit %s, %v", prepared, timeout, err)
		}
	}
	for name, pool := range map[string]*pgxpool.Pool{"queue": db.Queue, "batches": db.Batches} {
		var seqscan string
		if err := pool.QueryRow(t.Context(), "SHOW enable_seqscan").Scan(&seqscan); err != nil || seqscan != "off" {
			t.Errorf("%s: enable_seqscan is %s, %v", name, seqscan, err)
		}
	}
}

// Two addresses of two databases are refused, and so is a direct address that leads to a pooler.
func TestOpenPooled_Wrong(t *testing.T) {
	t.Parallel()
	one, other := modelstest.NewURL(t), modelstest.NewURL(t)
	pooled := faulttest.NewPooler(t, one, 2)
	for direct, want := range map[string]string{other: "different databases", pooled: "pooler in transaction"} {
		db, err := models.OpenPooled(t.Context(), pooled, direct)
		if err == nil {
			db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
