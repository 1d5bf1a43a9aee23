// Package models maps the tables: one file a table, its struct and the functions
// that query it. It knows no HTTP, no jobs and no rule that spans two tables.
//
// Most of it is plain GORM. The statements that every payment runs (create, read
// and list a checkout, confirm it) are hand-written SQL on pgx, because round
// trips and reflection are what a write costs (docs/architecture.md).
package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// ErrNotFound reports that no row matches within the caller's scope.
var ErrNotFound = errors.New("models: not found")

// slow is how long a query may take before the log names it.
const slow = 500 * time.Millisecond

// queueConns is how many connections DB.Queue has: one takes deliveries, two record
// attempts.
const queueConns = 3

// DB is the application's database: one pgx pool, shared by GORM, goose and River,
// and one for the statements that every webhook delivery runs.
type DB struct {
	*gorm.DB
	Pool *pgxpool.Pool
	// Queue is for what works off deliveries in batches, and for nothing else. Its
	// statements always go by an index: the planner forms them once, when the queue
	// is empty and reading all of it costs nothing, and uses them when it is not. And
	// they do not wait for the disk: what the server loses if its machine dies, it
	// loses whole, job and all, so that it is done again.
	Queue *pgxpool.Pool
}

// Open connects to the PostgreSQL at url (a postgres:// address) and pings it.
func Open(ctx context.Context, url string) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("models: the database address is not a postgres:// URL") // err may show the password
	}
	config.ConnConfig.Tracer = slowQueries{}
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "garoupa"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("models: open pool: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("models: connect: %w", err)
	}
	queue, err := openQueue(ctx, config)
	if err != nil {
		pool.Close()
		return nil, err
	}
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: stdlib.OpenDBFromPool(pool)}), &gorm.Config{
		SkipDefaultTransaction: true,           // InTx is the only way to open one
		Logger:                 logger.Discard, // errors are logged once, by whoever answers them
	})
	if err != nil {
		pool.Close()
		queue.Close()
		return nil, fmt.Errorf("models: open gorm: %w", err)
	}
	return &DB{DB: g, Pool: pool, Queue: queue}, nil
}

// openQueue opens DB.Queue. It connects when it is used.
func openQueue(ctx context.Context, like *pgxpool.Config) (*pgxpool.Pool, error) {
	config := like.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = queueConns, 0, 0
	// Not among the parameters of the start: poolers refuse those they do not know.
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET enable_seqscan = off; SET synchronous_commit = off")
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("models: open the queue's pool: %w", err)
	}
	return pool, nil
}

// Close returns the connections. GORM's part holds none of its own.
func (db *DB) Close() {
	db.Queue.Close()
	db.Pool.Close()
}

// Tx is an open transaction. A function that locks rows, moves money or writes an
// event takes a *Tx rather than a *gorm.DB: the compiler keeps it inside one.
type Tx struct {
	*gorm.DB
	ctx  context.Context
	conn *sql.Conn
}

// InTx runs fn in one READ COMMITTED transaction and commits if it returns nil.
// When PostgreSQL picks the transaction as a deadlock or serialization victim,
// InTx runs fn again, three times in all: fn must have no effect outside the
// database, and must set afresh whatever it hands out. When ctx ends, the statement
// under way fails, and so does everything after it, the commit included.
func (db *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		err := db.WithContext(ctx).Connection(func(g *gorm.DB) error {
			conn := g.Statement.ConnPool.(*sql.Conn)
			// database/sql would roll back on its own, beside fn, when ctx ends; it then takes
			// the connection away from under Conn.Raw, which panics. Statements end with ctx.
			return g.WithContext(context.WithoutCancel(ctx)).Transaction(func(g *gorm.DB) error {
				if err := fn(&Tx{DB: g.WithContext(ctx), ctx: ctx, conn: conn}); err != nil {
					return err
				}
				return ctx.Err()
			})
		})
		if attempt == attempts || !retryable(err) {
			return err
		}
		select { // run again at once, it would take back the lock that the other waits for
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt)*10*time.Millisecond + rand.N(10*time.Millisecond)):
		}
	}
}

// PGX lends the transaction's connection to hand-written statements. If fn fails,
// the caller must return the error and so roll everything back.
func (tx *Tx) PGX(fn func(ctx context.Context, conn *pgx.Conn) error) error {
	return tx.conn.Raw(func(driverConn any) error {
		return fn(tx.ctx, driverConn.(*stdlib.Conn).Conn())
	})
}

// deletedAtOnce bounds how many rows one statement deletes.
const deletedAtOnce = 5_000

// deleteSome deletes rows of a table by its key, which stand in a query whose $1 is a
// time and whose $2 a limit. It reports whether there may be more of them.
func deleteSome(ctx context.Context, q Querier, table, key, query string, before time.Time) (more bool, err error) {
	tag, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE "+key+" IN ("+query+")", before, deletedAtOnce)
	return tag.RowsAffected() == deletedAtOnce, err
}

// Violates reports whether err is PostgreSQL refusing the named constraint. GORM's
// own TranslateError stays off because it drops that name.
func Violates(err error, constraint string) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.ConstraintName == constraint
}

func retryable(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "40P01" || pgErr.Code == "40001")
}

// notFound turns the absence of a row, in GORM's or pgx's words, into ErrNotFound.
func notFound(err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// slowQueries logs statements that take long: their text, never their arguments.
type slowQueries struct{}

type queryStart struct{}

type startedQuery struct {
	sql string
	at  time.Time
}

func (slowQueries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, queryStart{}, startedQuery{q.SQL, time.Now()})
}

func (slowQueries) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	q, ok := ctx.Value(queryStart{}).(startedQuery)
	if took := time.Since(q.at); ok && took > slow {
		slog.WarnContext(ctx, "slow query", "took", took, "sql", q.sql)
	}
}
