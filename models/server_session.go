package models

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/internal/tracing"
)

// session holds the server settings for the connections of a pool.
type session struct {
	statement time.Duration // limit of a statement
	lock      time.Duration // limit of a wait for a lock
	idle      time.Duration // limit of a transaction's wait for its next statement
	planner   string        // further settings, in SQL
	// shared: a pooler lends the session to others, so nothing is set in it. PostgreSQL's limits are then those of
	// the role (docs/operations.md, "A pooler"); our own are later, as ever.
	shared bool
}

// beyondServer is how much longer than the server's own limit a client waits for a statement:
// if the server is reachable, it ends the statement first.
const beyondServer = 5 * time.Second

// sql returns the statements that set the session up, in one round trip. They set the
// isolation level, because the database, the role or the address may set another, under which
// a balance would be read as it was before its lock was taken.
//
// They turn off JIT, which is on by default: PostgreSQL compiles a statement if it expects a high
// cost, and it expects too much of sums over few rows. Compiling then takes longer than the sum.
//
// The other settings make PostgreSQL notice that a client is gone: with its defaults, a lost
// machine would keep its locks for two hours. Some platforms do not support all of them, so a
// refused setting is no error.
func (s session) sql() string {
	var b strings.Builder
	fmt.Fprintf(&b, "SET default_transaction_isolation = 'read committed'; SET statement_timeout = %d; "+
		"SET lock_timeout = %d; SET jit = off; "+
		"SET idle_in_transaction_session_timeout = %d; ",
		s.statement.Milliseconds(), s.lock.Milliseconds(), s.idle.Milliseconds())
	for _, setting := range []struct{ name, value string }{
		{"tcp_keepalives_idle", fmt.Sprint(int(keepAlive.Idle.Seconds()))},
		{"tcp_keepalives_interval", fmt.Sprint(int(keepAlive.Interval.Seconds()))},
		{"tcp_keepalives_count", fmt.Sprint(keepAlive.Count)},
		{"tcp_user_timeout", fmt.Sprint(unheardWithin.Milliseconds())},
	} {
		fmt.Fprintf(&b, "SET %s = %s; ", setting.name, setting.value)
	}
	b.WriteString(s.planner)
	b.WriteString("DO $$ BEGIN PERFORM set_config('client_connection_check_interval', '1000', false); " +
		"EXCEPTION WHEN OTHERS THEN NULL; END $$")
	return b.String()
}

// setUp makes every new connection of config run sql. It does not use startup parameters,
// because poolers refuse those they do not know.
func (s session) setUp(config *pgxpool.Config, watch *watch) {
	config.ConnConfig.Tracer = &tracer{watch: watch, limit: s.statement + beyondServer}
	if s.shared {
		return
	}
	sql := s.sql()
	config.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, connectWithin)
		defer cancel()
		_, err := conn.Exec(ctx, sql).ReadAll()
		return err
	}
}

// tracer watches the connections and statements of a pool.
type tracer struct {
	watch *watch        // nil for the read database, whose loss is no loss of data
	limit time.Duration // of a statement whose context has no deadline
}

// startedQuery is the context of a statement in progress: one allocation per statement.
type startedQuery struct {
	context.Context
	sql  string
	at   time.Time
	done context.CancelFunc // nil if the context had a deadline
	span *tracing.Span      // nil if no trace is recorded
}

type queryKey struct{}

// Value implements context.Context.
func (q *startedQuery) Value(key any) any {
	if key == (queryKey{}) {
		return q
	}
	return q.Context.Value(key)
}

// TraceQueryStart implements pgx.QueryTracer. It sets a deadline for a statement without one:
// otherwise a server that hangs would block the statement, and its connection, forever.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	started := &startedQuery{Context: ctx, sql: q.SQL, at: time.Now(), span: tracing.Query(ctx, q.SQL)}
	if _, ok := ctx.Deadline(); !ok {
		started.Context, started.done = context.WithTimeout(ctx, t.limit)
	}
	return started
}

// TraceQueryEnd implements pgx.QueryTracer. It logs slow statements: their text, never their
// arguments.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, end pgx.TraceQueryEndData) {
	q, ok := ctx.Value(queryKey{}).(*startedQuery)
	if !ok {
		return
	}
	if q.done != nil {
		q.done()
	}
	endSpan(q, end)
	if took := time.Since(q.at); took > slow {
		slog.WarnContext(ctx, "slow query", "took", took, "sql", q.sql)
	}
}

// endSpan ends the span of a statement, if it has one. Of an error only its code is told: the text may have values.
func endSpan(q *startedQuery, end pgx.TraceQueryEndData) {
	if q.span == nil {
		return
	}
	q.span.Rows(end.CommandTag.RowsAffected())
	if end.Err != nil {
		class := "connection"
		if pgErr, ok := errors.AsType[*pgconn.PgError](end.Err); ok {
			class = pgErr.Code
		} else if errors.Is(end.Err, context.DeadlineExceeded) || errors.Is(end.Err, context.Canceled) {
			class = "canceled"
		}
		q.span.Fail(class)
	}
	q.span.End()
}

// TraceConnectStart implements pgx.ConnectTracer.
func (t *tracer) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (t *tracer) TraceConnectEnd(ctx context.Context, end pgx.TraceConnectEndData) {
	if t.watch != nil {
		t.watch.connected(ctx, end.Err)
	}
}
