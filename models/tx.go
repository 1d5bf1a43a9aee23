package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

const (
	// beginWithin limits BEGIN and ROLLBACK.
	beginWithin = 3 * time.Second
	// commitWithin limits COMMIT, which continues when the caller's context ends, because an
	// interrupted COMMIT may have succeeded.
	commitWithin = 5 * time.Second
)

// ErrCommitUnknown reports that COMMIT was sent and no answer came: the transaction is
// committed as a whole or not at all. Only reading the data shows which. A caller that repeats
// the work must handle the case that it is already done.
var ErrCommitUnknown = errors.New("models: the answer to COMMIT did not come, so the transaction may be committed")

// Tx is an open transaction. A function that locks rows, moves money or writes an event takes
// a *Tx rather than a *gorm.DB, so that it compiles only inside a transaction.
type Tx struct {
	*gorm.DB
	ctx   context.Context
	conn  *sql.Conn
	after []func()
}

// Context returns the context that InTx was called with.
func (tx *Tx) Context() context.Context { return tx.ctx }

// AfterCommit makes InTx call fn once after the transaction is committed, also if the answer to
// COMMIT did not come. fn must not block.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// InTx runs fn in one READ COMMITTED transaction, whatever the database's default is, and
// commits if fn returns nil. If PostgreSQL aborts the transaction because of a deadlock or a
// serialization failure, InTx runs fn again, at most three times in all: fn must have no
// effect outside the database, and must set its results anew each time. When ctx ends, the
// statement in progress and everything after it fail, including the commit. InTx waits a few
// seconds for a COMMIT in progress. ErrCommitUnknown reports that no answer to COMMIT came;
// with any other error nothing was committed.
func (db *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	return repeatTx(ctx, db.DB, fn)
}

// InBatchTx is InTx on a connection of DB.Batches, for statements that find rows by an index.
func (db *DB) InBatchTx(ctx context.Context, fn func(tx *Tx) error) error {
	return repeatTx(ctx, db.batches, fn)
}

// repeatTx runs fn in a transaction of db, and again if PostgreSQL aborts it.
func repeatTx(ctx context.Context, db *gorm.DB, fn func(tx *Tx) error) error {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		err := db.WithContext(ctx).Connection(func(g *gorm.DB) error {
			return inTx(ctx, g, fn)
		})
		if attempt == attempts || !retryable(err) {
			return err
		}
		select { // at once, fn would take the lock again that the other transaction waits for
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt)*10*time.Millisecond + rand.N(10*time.Millisecond)):
		}
	}
}

// inTx runs fn once, on the connection of g. It sends BEGIN, COMMIT and ROLLBACK itself,
// because database/sql would use one context for all three, and would roll back by itself,
// concurrently with fn, when that context ends.
func inTx(ctx context.Context, g *gorm.DB, fn func(tx *Tx) error) error {
	conn := g.Statement.ConnPool.(*sql.Conn)
	raw := func(do func(conn *pgx.Conn) error) error {
		return conn.Raw(func(driverConn any) error { return do(driverConn.(*stdlib.Conn).Conn()) })
	}
	var open pgx.Tx
	err := raw(func(conn *pgx.Conn) (err error) {
		ctx, cancel := context.WithTimeout(ctx, beginWithin)
		defer cancel()
		open, err = conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
		return err
	})
	if err != nil {
		return fmt.Errorf("models: begin: %w", err)
	}
	committing := false
	defer func() { // also when fn panics
		if !committing {
			_ = raw(func(*pgx.Conn) error {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginWithin)
				defer cancel()
				return open.Rollback(ctx)
			})
		}
	}()
	tx := &Tx{DB: g.WithContext(ctx), ctx: ctx, conn: conn}
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committing = true
	err = raw(func(conn *pgx.Conn) error {
		if conn.IsClosed() {
			return fmt.Errorf("models: commit: %w", pgconn.ErrConnClosed) // COMMIT was not sent
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
		defer cancel()
		return committed(open.Commit(ctx))
	})
	if err == nil || errors.Is(err, ErrCommitUnknown) {
		for _, do := range tx.after {
			do()
		}
	}
	return err
}

// committed returns the meaning of an error of a COMMIT that was sent. pgconn.SafeToRetry does
// not help, because it also reports true for a connection that was closed while pgx waited for
// the answer.
func committed(err error) error {
	if err == nil {
		return nil
	}
	pgErr, answered := errors.AsType[*pgconn.PgError](err)
	// 25P03 is idle_in_transaction_session_timeout.
	refused := answered && (pgErr.SeverityUnlocalized == "ERROR" || pgErr.Code == "25P03")
	if refused || errors.Is(err, pgx.ErrTxCommitRollback) {
		return fmt.Errorf("models: commit: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
}

// PGX calls fn with the transaction's connection, which fn must not keep. If fn fails, the
// caller must return the error, so that everything is rolled back.
func (tx *Tx) PGX(fn func(ctx context.Context, conn Querier) error) error {
	return tx.conn.Raw(func(driverConn any) error {
		return fn(tx.ctx, driverConn.(*stdlib.Conn).Conn())
	})
}

func retryable(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "40P01" || pgErr.Code == "40001")
}
