package faulttest_test

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/faulttest"
	"garoupa/models/modelstest"
)

// moment is how long a test waits for something that must not happen.
const moment = 50 * time.Millisecond

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func one(ctx context.Context, conn *pgx.Conn, query string, args ...any) (n int, err error) {
	err = conn.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

func TestProxy_Silence(t *testing.T) {
	t.Parallel()
	p := faulttest.NewProxy(t, modelstest.NewEmptyURL(t))
	conn := connect(t, p.URL())
	if n, err := one(t.Context(), conn, "SELECT 1"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	p.Silence()
	ctx, cancel := context.WithTimeout(t.Context(), moment)
	defer cancel()
	if _, err := pgx.Connect(ctx, p.URL()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("connecting in the silence: %v", err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := one(context.Background(), conn, "SELECT 2")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Errorf("answered in the silence: %v", err)
	case <-time.After(moment):
	}
	p.Restore()
	if err := <-answered; err != nil {
		t.Errorf("after the silence: %v", err)
	}
}

// Abandoned connections stay silent, and new ones work.
func TestProxy_Abandon(t *testing.T) {
	t.Parallel()
	p := faulttest.NewProxy(t, modelstest.NewEmptyURL(t))
	conn := connect(t, p.URL())
	p.Silence()
	p.Abandon()
	if n, err := one(t.Context(), connect(t, p.URL()), "SELECT 1"); n != 1 || err != nil {
		t.Errorf("a new connection: %d, %v", n, err)
	}
	if p.Connections() != 2 {
		t.Errorf("%d connections, want 2", p.Connections())
	}
	ctx, cancel := context.WithTimeout(t.Context(), moment) // at whose end pgx connects once more, to cancel
	defer cancel()
	if _, err := one(ctx, conn, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the abandoned connection: %v", err)
	}
}

func TestProxy_CutRefuseRedirect(t *testing.T) {
	t.Parallel()
	p := faulttest.NewProxy(t, modelstest.NewEmptyURL(t))
	conn := connect(t, p.URL())
	p.Cut()
	if _, err := one(t.Context(), conn, "SELECT 1"); err == nil {
		t.Error("a connection survived the cut")
	}
	p.Refuse()
	if _, err := pgx.Connect(t.Context(), p.URL()); err == nil {
		t.Error("connected while refused")
	}
	p.Restore()
	before := connect(t, p.URL())
	other := modelstest.NewEmptyURL(t)
	if _, err := connect(t, other).Exec(t.Context(), "CREATE TABLE other (n int)"); err != nil {
		t.Fatal(err)
	}
	p.Redirect(t, other)
	const tables = "SELECT count(*)::int FROM pg_tables WHERE tablename = 'other'"
	if n, err := one(t.Context(), before, tables); n != 0 || err != nil {
		t.Errorf("the old connection: %d, %v", n, err)
	}
	if n, err := one(t.Context(), connect(t, p.URL()), tables); n != 1 || err != nil {
		t.Errorf("a new connection: %d, %v", n, err)
	}
}

// The server executes the statement, although the client gets no answer.
func TestProxy_LoseAnswers(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	p := faulttest.NewProxy(t, url)
	conn := connect(t, p.URL())
	if _, err := conn.Exec(t.Context(), "CREATE TABLE marks (n int)"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO marks VALUES ($1)", 0); err != nil {
		t.Fatal(err) // it is prepared from now on
	}
	p.LoseAnswers(1, "insert INTO marks")
	if _, err := conn.Exec(t.Context(), "INSERT INTO marks VALUES ($1)", 1); err == nil {
		t.Error("the answer arrived")
	}
	conn = connect(t, p.URL())
	p.LoseAnswers(1, "commit")
	tx, err := conn.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "INSERT INTO marks VALUES ($1)", 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err == nil {
		t.Error("the answer to COMMIT arrived")
	}
	if n, err := one(t.Context(), connect(t, url), "SELECT sum(n)::int FROM marks"); n != 3 || err != nil ||
		p.Lost() != 2 {
		t.Errorf("done: %d, %v; lost %d answers, want 2", n, err, p.Lost())
	}
	if n, err := one(t.Context(), connect(t, p.URL()), "SELECT count(*)::int FROM marks"); n != 3 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	conn := connect(t, url)
	if _, err := conn.Exec(t.Context(), "CREATE TABLE held (n int)"); err != nil {
		t.Fatal(err)
	}
	release := faulttest.Hold(t, url, "LOCK TABLE held")
	const look = "SET lock_timeout = 1; SELECT count(*) FROM held"
	_, err := conn.Exec(t.Context(), look)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "55P03" {
		t.Errorf("while held: %v", err)
	}
	release()
	release()
	if _, err := conn.Exec(t.Context(), "SET lock_timeout = 0; SELECT count(*) FROM held"); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	old := connect(t, url)
	restore := faulttest.ReadOnly(t, url)
	if _, err := one(t.Context(), old, "SELECT 1"); err == nil {
		t.Error("an old session goes on")
	}
	_, err := connect(t, url).Exec(t.Context(), "CREATE TABLE t (n int)")
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "25006" {
		t.Errorf("read-only: %v", err)
	}
	restore()
	if _, err := connect(t, url).Exec(t.Context(), "CREATE TABLE t (n int)"); err != nil {
		t.Errorf("restored: %v", err)
	}
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	cat := exec.Command("cat")
	in, err := cat.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cat.StdoutPipe()
	if err == nil {
		err = cat.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	thaw := faulttest.Freeze(t, cat.Process)
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() {
		_, err := out.Read(make([]byte, 1))
		heard <- err
	}()
	select {
	case err := <-heard:
		t.Errorf("a frozen process answered: %v", err)
	case <-time.After(moment):
	}
	thaw()
	if err := <-heard; err != nil {
		t.Error(err)
	}
	_ = in.Close()
	_ = cat.Wait()
}

// Two clients share one connection to the server, with all its session state.
func TestPooler(t *testing.T) {
	t.Parallel()
	url := faulttest.NewPooler(t, modelstest.NewEmptyURL(t), 1)
	a, b := connect(t, url), connect(t, url)
	pidOfA, err := one(t.Context(), a, "SELECT pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	err = b.QueryRow(t.Context(), "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	if err != nil || pid != pidOfA {
		t.Errorf("the backends are %d and %d, %v", pidOfA, pid, err)
	}
	if _, err := a.Exec(t.Context(), "SET synchronous_commit = off"); err != nil {
		t.Fatal(err)
	}
	var setting string
	err = b.QueryRow(t.Context(), "SHOW synchronous_commit", pgx.QueryExecModeSimpleProtocol).Scan(&setting)
	if err != nil || setting != "off" {
		t.Errorf("b sees %q, %v", setting, err)
	}
	tx, err := a.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), moment)
	defer cancel()
	if _, err := b.Exec(ctx, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside an open transaction: %v", err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	if _, err := connect(t, pair.Primary).Exec(t.Context(), "CREATE TABLE marks AS SELECT 7 AS n"); err != nil {
		t.Fatal(err)
	}
	standby := connect(t, pair.Standby)
	if _, err := standby.Exec(t.Context(), "CREATE TABLE no (n int)"); err == nil {
		t.Error("the standby takes writes")
	}
	pair.Promote(t)
	if n, err := one(t.Context(), standby, "SELECT n FROM marks"); n != 7 || err != nil {
		t.Errorf("what the primary acknowledged: %d, %v", n, err)
	}
	if _, err := standby.Exec(t.Context(), "CREATE TABLE yes (n int)"); err != nil {
		t.Errorf("promoted: %v", err)
	}
}
