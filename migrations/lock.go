package migrations

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockID identifies the advisory lock that processes wait for when they start together.
const lockID = 0x6761726f757061 // "garoupa"

const (
	// lockEvery is how often a process tries to take the lock.
	lockEvery = 100 * time.Millisecond
	// sayEvery is how often it logs that it still waits.
	sayEvery = 10 * time.Second
)

// session sets the limits of each statement of a migration. A statement that waits for a
// table's lock delays all that come after it, so it gives up before these do: the batches of
// payments wait half a second for a lock. The work itself may take hours.
const session = `SET lock_timeout = '250ms'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`

// lock returns a pool of one connection, which holds the migration lock as long as it
// lives. It waits without limit for another process that migrates, and logs that. If the
// connection is lost, the next one takes the lock again before it is used, so only the
// connection that does the work holds the lock.
func lock(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Pool, error) {
	config := pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 1, 0, 0
	config.ConnConfig.Tracer = nil // it would end statements that take longer than the pool's limit
	prepare := config.AfterConnect
	config.AfterConnect = func(connecting context.Context, conn *pgx.Conn) error {
		if prepare != nil {
			if err := prepare(connecting, conn); err != nil {
				return err
			}
		}
		if _, err := conn.Exec(ctx, session); err != nil {
			return err
		}
		return take(ctx, conn) // the pool's context does not end with the caller's
	}
	alone, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("migrations: open a pool: %w", err)
	}
	if err := alone.Ping(ctx); err != nil {
		alone.Close()
		return nil, fmt.Errorf("migrations: lock: %w", err)
	}
	return alone, nil
}

// take takes the lock. It polls and does not wait in one statement, because an index that
// another process builds concurrently would wait for the end of that statement.
func take(ctx context.Context, conn *pgx.Conn) error {
	began, said := time.Now(), time.Time{}
	for {
		var taken bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lockID).Scan(&taken); err != nil || taken {
			return err
		}
		if time.Since(said) >= sayEvery {
			sayWaiting(ctx, conn, time.Since(began))
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// sayWaiting logs which connection holds the lock.
func sayWaiting(ctx context.Context, conn *pgx.Conn, since time.Duration) {
	var pid int
	var application, address string
	err := conn.QueryRow(ctx, `SELECT a.pid, a.application_name, coalesce(host(a.client_addr), 'local')
		FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (l.classid::bigint << 32) | l.objid::bigint = $1`, int64(lockID)).Scan(&pid, &application, &address)
	if err != nil { // it has just been released, or the next try reports the error
		return
	}
	slog.WarnContext(ctx, "waiting for another process to migrate the database", "waited", since.Round(time.Second),
		"holderPID", pid, "holderApplication", application, "holderAddress", address)
}
