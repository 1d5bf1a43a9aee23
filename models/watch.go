package models

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// renewEvery is the shortest interval between two resets of the pools because of a read-only
// server. Without it, a server that stays read-only would cost a new connection for each
// statement.
const renewEvery = 2 * time.Second

// watch records whether the database can be reached, and logs each change once.
type watch struct {
	database string // its name, for the log
	renewals atomic.Int64

	mu       sync.Mutex
	pools    []*pgxpool.Pool
	reached  bool      // connected at least once
	lostAt   time.Time // zero if the database is not lost
	renewed  time.Time
	readOnly time.Time // until then a read-only server is accepted
}

func (w *watch) add(pool *pgxpool.Pool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pools = append(w.pools, pool)
}

// connected records the result of an attempt to connect.
func (w *watch) connected(ctx context.Context, err error) {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, pgconn.ErrReadOnlyConnection) {
		w.readOnly = time.Now().Add(renewEvery)
	}
	switch {
	case err != nil && w.reached && w.lostAt.IsZero():
		w.lostAt = time.Now()
		slog.Error("database lost", "database", w.database, "err", err)
	case err == nil && !w.lostAt.IsZero():
		slog.Info("database back", "database", w.database,
			"after", time.Since(w.lostAt).Round(100*time.Millisecond).String())
		w.lostAt = time.Time{}
	}
	w.reached = w.reached || err == nil
}

// lost reports whether the last attempt to connect failed.
func (w *watch) lost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.lostAt.IsZero()
}

// answered is called with the errors that servers return. If the server is read-only, it
// resets all connections, because the primary may be another host now.
func (w *watch) answered(_ *pgconn.PgConn, err *pgconn.PgError) bool {
	if err.Code == "25006" {
		w.renew()
	}
	return err.SeverityUnlocalized != "FATAL" // pgx closes the connection after FATAL
}

// renew resets all connections of the pools; those in use are closed when they are returned.
// Connections outside of a pool end when they see that renewals has increased.
func (w *watch) renew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.renewed) < renewEvery {
		return
	}
	w.renewed = time.Now()
	slog.Warn("the database takes no writes; connecting anew", "database", w.database)
	w.renewals.Add(1)
	for _, pool := range w.pools {
		pool.Reset()
	}
}

// preferWritable refuses a read-only server, unless all hosts have just been tried without
// success: a readable standby is better than no server.
func (w *watch) preferWritable(ctx context.Context, conn *pgconn.PgConn) error {
	err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn)
	if !errors.Is(err, pgconn.ErrReadOnlyConnection) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Now().Before(w.readOnly) {
		return nil
	}
	return err
}

// LogFailure logs that a repeated task failed, unless ctx has ended. It does not log lost
// connections: if the next attempt to connect fails, the loss of the database is logged once
// for all tasks.
func (db *DB) LogFailure(ctx context.Context, what string, err error) {
	switch {
	case err == nil || ctx.Err() != nil:
	case db.Lost() && Unavailable(err) || disconnected(err):
		slog.DebugContext(ctx, what, "err", err)
	case Unavailable(err):
		slog.WarnContext(ctx, what, "err", err)
	default:
		slog.ErrorContext(ctx, what, "err", err)
	}
}

// disconnected reports whether err says that the connection ended, or was not made.
func disconnected(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}
	if pgErr, answered := errors.AsType[*pgconn.PgError](err); answered {
		return pgErr.SeverityUnlocalized == "FATAL"
	}
	return Unavailable(err) && !errors.Is(err, ErrOverloaded) &&
		!errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err)
}

// IsReadOnly reports whether the database is read-only.
func IsReadOnly(ctx context.Context, q Querier) (readOnly bool, err error) {
	err = q.QueryRow(ctx, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean").
		Scan(&readOnly)
	return readOnly, err
}
