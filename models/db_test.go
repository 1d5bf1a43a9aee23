package models_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// logged is the log of all tests together.
var logged = &log{}

// log is a writer that tests in parallel can share and read.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, nil)))
	os.Exit(m.Run())
}

// notes returns a database with a table for tests, and a function that reads the table.
func notes(t *testing.T) (db *models.DB, read func() string) {
	t.Helper()
	db = modelstest.NewDB(t)
	modelstest.Exec(t, db, "CREATE TABLE notes (id int CONSTRAINT notes_unique UNIQUE, n int NOT NULL DEFAULT 0)")
	return db, func() (text string) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(id || '=' || n, ' ' ORDER BY id), '')
			FROM notes`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// held returns the number of connections in use.
func held(db *models.DB) int32 { return db.Pool.Stat().AcquiredConns() }

func insert(tx *models.Tx, id int) error {
	return tx.Table("notes").Create(map[string]any{"id": id}).Error
}

// insertPGX is insert with pgx in place of GORM.
func insertPGX(tx *models.Tx, id int) error {
	return tx.PGX(func(ctx context.Context, conn models.Querier) error {
		_, err := conn.Exec(ctx, "INSERT INTO notes VALUES ($1)", id)
		return err
	})
}

// GORM and SQL text share the transaction's connection: what both write is committed together,
// or not at all.
func TestInTx(t *testing.T) {
	t.Parallel()
	db, read := notes(t)
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		var backends [2]int
		err := tx.PGX(func(ctx context.Context, conn models.Querier) error {
			return conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backends[0])
		})
		if err == nil {
			err = tx.Table("pg_am").Select("pg_backend_pid()").Limit(1).Scan(&backends[1]).Error
		}
		if err != nil || backends[0] != backends[1] {
			t.Errorf("connections %v, %v", backends, err)
		}
		var isolation string
		if err := tx.Scan("SHOW transaction_isolation", nil, &isolation); err != nil ||
			isolation != "read committed" {
			t.Errorf("the isolation is %s, %v", isolation, err)
		}
		if err := errors.Join(insert(tx, 1), insertPGX(tx, 2)); err != nil {
			return err
		}
		if outside := read(); outside != "" {
			t.Errorf("before the commit other connections see %s", outside)
		}
		return nil
	})
	if err != nil || read() != "1=0 2=0" || held(db) != 0 {
		t.Errorf("%v, the table has %q, %d connections are in use", err, read(), held(db))
	}
}

// However fn fails, nothing is written and the connection is returned, also after more
// failures than the pool has connections.
func TestInTx_Failure(t *testing.T) {
	t.Parallel()
	db, read := notes(t)
	own := errors.New("own")
	cancelled, cancel := context.WithCancel(t.Context())
	for range db.Pool.Config().MaxConns + 1 {
		for name, tc := range map[string]struct {
			fn   func(tx *models.Tx) error
			want func(error) bool
		}{
			"its own error": {func(*models.Tx) error { return own },
				func(err error) bool { return errors.Is(err, own) }},
			"a violation by GORM": {func(tx *models.Tx) error { return insert(tx, 1) },
				func(err error) bool { return models.Violates(err, "notes_unique") && !models.Violates(err, "notes") }},
			"a violation by pgx": {func(tx *models.Tx) error { return insertPGX(tx, 1) },
				func(err error) bool { return models.Violates(err, "notes_unique") }},
			"an error that fn does not return": {func(tx *models.Tx) error { _ = insertPGX(tx, 1); return nil },
				func(err error) bool { return err != nil }},
		} {
			err := db.InTx(t.Context(), func(tx *models.Tx) error {
				if err := errors.Join(insert(tx, 1), insertPGX(tx, 2)); err != nil {
					t.Fatal(err)
				}
				return tc.fn(tx)
			})
			if !tc.want(err) || read() != "" || held(db) != 0 {
				t.Fatalf("%s: %v, the table has %q, %d connections are in use", name, err, read(), held(db))
			}
		}
		func() {
			defer func() { _ = recover() }()
			_ = db.InTx(t.Context(), func(tx *models.Tx) error { panic(insertPGX(tx, 1)) })
		}()
		if read() != "" || held(db) != 0 {
			t.Fatalf("after a panic: the table has %q, %d connections are in use", read(), held(db))
		}
	}
	err := db.InTx(cancelled, func(tx *models.Tx) error {
		defer cancel()
		return insertPGX(tx, 1)
	})
	if err == nil || read() != "" || held(db) != 0 {
		t.Errorf("canceled before the commit: %v, the table has %q, %d connections are in use", err, read(), held(db))
	}
}

// fails makes PostgreSQL report an error with the code.
func fails(tx *models.Tx, code string) error {
	_, err := tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'made up' USING ERRCODE = '" + code + "'; END $$")
	return err
}

// After a serialization failure or a deadlock InTx runs fn again, three times in all. It
// returns other errors at once.
func TestInTx_Retry(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		code     string
		failures int // failures before the success
		ran      int
		works    bool
	}{
		{"40001", 0, 1, true}, {"40001", 1, 2, true}, {"40001", 2, 3, true}, {"40001", 3, 3, false},
		{"40P01", 2, 3, true}, {"40P01", 9, 3, false}, {"23505", 1, 1, false}, {"55P03", 1, 1, false},
	} {
		db, read := notes(t)
		ran := 0
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			ran++
			if err := insert(tx, ran); err != nil {
				return err
			}
			if ran <= tc.failures {
				return fails(tx, tc.code)
			}
			return nil
		})
		want := ""
		if tc.works {
			want = string(rune('0'+tc.ran)) + "=0"
		}
		if ran != tc.ran || (err == nil) != tc.works || read() != want || held(db) != 0 {
			t.Errorf("%s %d times: ran %d times, %v, has %q, %d connections in use; want %d, %q", tc.code, tc.failures,
				ran, err, read(), held(db), tc.ran, want)
		}
	}
}

// Two transactions that lock the same rows in opposite orders both succeed.
func TestInTx_Deadlock(t *testing.T) {
	t.Parallel()
	db, read := notes(t)
	modelstest.Exec(t, db, "INSERT INTO notes VALUES (1), (2)")
	var met sync.WaitGroup // both have locked their first row
	met.Add(2)
	var group errgroup.Group
	var ran atomic.Int32
	done := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	for i, order := range [][]int{{1, 2}, {2, 1}} {
		first := true
		group.Go(func() error {
			defer close(done[i])
			return db.InTx(t.Context(), func(tx *models.Tx) error {
				ran.Add(1)
				if !first { // otherwise a slow machine might make it the victim again
					<-done[1-i]
				}
				if _, err := tx.Exec("SET LOCAL deadlock_timeout = '20ms'"); err != nil {
					return err
				}
				for place, id := range order {
					if _, err := tx.Exec("UPDATE notes SET n = n + 1 WHERE id = $1", id); err != nil {
						return err
					}
					if place == 0 && first {
						first = false
						met.Done()
						met.Wait()
					}
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil || read() != "1=2 2=2" || ran.Load() != 3 {
		t.Errorf("%v, the table has %q after %d runs; want one victim", err, read(), ran.Load())
	}
}

// The error of an address that does not work does not contain the password.
func TestOpen_Failure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, address := range []string{
		"postgres://garoupa:hunter2@127.0.0.1:1/garoupa", "postgres://garoupa:hunter2@/%zz",
		"postgres://garoupa:hunter2@127.0.0.1:x/",
		"hunter2", "postgres://garoupa:hunter2@127.0.0.1/garoupa?sslmode=hunter2",
	} {
		for _, open := range []func() (*models.DB, error){
			func() (*models.DB, error) { return models.Open(ctx, address) },
			func() (*models.DB, error) { return models.OpenPooled(ctx, address, "") },
		} {
			db, err := open()
			if err == nil {
				db.Close()
				t.Errorf("%s opened", address)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error contains the password: %v", err)
			}
		}
	}
}

// The log contains the text of slow statements, and never their arguments.
func TestSlowQueries(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	quick := "" // a statement that was quick: a busy machine may need several tries
	for i := 0; quick == ""; i++ {
		sql := fmt.Sprintf("SELECT 'quick-by-pgx-%d', $1::text", i)
		start := time.Now()
		if _, err := db.Pool.Exec(t.Context(), sql, "argument-7c1f"); err != nil {
			t.Fatal(err)
		}
		if time.Since(start) < 500*time.Millisecond {
			quick = fmt.Sprintf("'quick-by-pgx-%d'", i)
		}
	}
	if _, err := db.Pool.Exec(t.Context(), "SELECT 'slow-by-pgx', $1::text FROM pg_sleep(0.55)",
		"argument-7c1f"); err != nil {
		t.Fatal(err)
	}
	var argument string
	if err := db.Table("pg_sleep(0.55) AS slept").Select("'slow-by-gorm' || ?::text", "argument-7c1f").
		Scan(&argument).Error; err != nil {
		t.Fatal(err)
	}
	text := logged.String()
	for part, want := range map[string]bool{"slow-by-pgx": true, "slow-by-gorm": true, quick: false,
		"argument-7c1f": false} {
		if strings.Contains(text, part) != want {
			t.Errorf("the log contains %s: %t, want %t", part, !want, want)
		}
	}
}

// A transaction whose context ends at any moment writes all or nothing, and does not panic.
func TestInTx_Cancelled(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	modelstest.Exec(t, db, "CREATE TABLE marks (run integer, line integer)")
	const runs, lines = 400, 4
	var group errgroup.Group
	for worker := range 8 {
		group.Go(func() error {
			for run := worker; run < runs; run += 8 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(run*10)*time.Microsecond)
				_ = db.InTx(ctx, func(tx *models.Tx) error {
					for line := range lines {
						err := tx.PGX(func(ctx context.Context, conn models.Querier) error {
							_, err := conn.Exec(ctx, "INSERT INTO marks VALUES ($1, $2)", run, line)
							return err
						})
						if err != nil {
							return err
						}
					}
					return nil
				})
				cancel()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var torn int
	if err := db.Pool.QueryRow(t.Context(), `SELECT count(*)
		FROM (SELECT run FROM marks GROUP BY run HAVING count(*) <> $1) t`,
		lines).Scan(&torn); err != nil || torn != 0 {
		t.Errorf("%d transactions were partly written, %v", torn, err)
	}
}
