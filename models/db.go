// Package models maps the tables: files are named after the table that they query. It knows
// neither HTTP nor the operations of payments and merchants.
//
// GORM's builder reads and writes rows by their key and short lists. Statements that
// are SQL text run on pgx: sets, locks, arrays, and those that every payment runs
// (create, read, list and confirm a checkout), where round trips and reflection cost
// most (docs/architecture.md).
package models

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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

// slow is how long a query may take before it is logged.
const slow = 500 * time.Millisecond

const (
	// leastConns is the smallest size of DB.Pool. A transaction that waits for a row or for
	// the disk holds a connection without using a processor, and eight connections leave some
	// for others on a small machine.
	leastConns = 8
	// queueConns is the size of DB.Queue: one connection takes deliveries, one renews leases,
	// one records attempts.
	queueConns = 3
	// batchConns is the size of DB.Batches: two connections create checkouts, two record
	// payments, and two write apart what failed together.
	batchConns = 6
	// reservedConns is the size of DB.Reserved.
	reservedConns = 2
	// backgroundConns is the size of DB.Background: one connection for a proof of the books
	// and one for a check of the audit log.
	backgroundConns = 2
)

// The sessions of the pools. The statements of requests end with the request, so their time
// limit is for statements that no request waits for anymore.
var (
	requestSession    = session{statement: 15 * time.Second, lock: 5 * time.Second, idle: 10 * time.Second}
	reservedSession   = session{statement: 5 * time.Second, lock: 2 * time.Second, idle: 5 * time.Second}
	backgroundSession = session{statement: 30 * time.Minute, lock: 10 * time.Second, idle: time.Minute}
	queueSession      = session{statement: 15 * time.Second, lock: 5 * time.Second, idle: 10 * time.Second,
		planner: "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET synchronous_commit = off; "}
	batchSession = session{statement: 15 * time.Second, lock: 5 * time.Second, idle: 10 * time.Second,
		planner: "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; " +
			"SET enable_hashjoin = off; SET enable_mergejoin = off; "}
)

// pingWithin limits the check whether an idle connection still works.
const pingWithin = 2 * time.Second

// DB is the application's database: a pgx pool that GORM and River share, and other pools for
// work that must not wait for it. Each connection limits the time of its statements, lock
// waits and transactions as its pool says, and uses READ COMMITTED.
type DB struct {
	*gorm.DB
	Pool *pgxpool.Pool
	// Queue is only for taking and recording deliveries in batches. Its statements always use
	// an index: PostgreSQL plans them once for a connection, when the queue may be empty and reading all of it
	// costs nothing, and the plan must still be right when the queue is full. Its commits do
	// not wait for the disk: if the server's machine fails, a commit is lost as a whole, so the
	// delivery is still pending, and the work is repeated. Both are settings of the sessions, which must not reach
	// other programs through a pooler.
	Queue *pgxpool.Pool
	// Batches is only for creating checkouts and recording payments, many in one commit. Its
	// statements are planned once for a connection, and always use an index. In other pools
	// PostgreSQL plans a statement with array parameters each time, which costs more than
	// running it. A plan that is kept may have been made for an empty table, so it must not
	// read whole tables. The operations have connections of their own, so the pages of
	// merchants and staff never make a buyer wait.
	Batches *pgxpool.Pool
	// Reserved is only for authentication, health and readiness, which work while other work
	// holds all connections of Pool.
	Reserved *pgxpool.Pool
	// Read is for queries that show data and decide nothing. It is Pool until ReadFrom names a read
	// database.
	Read Reader
	// Background is for statements that may take minutes, such as a proof of the books.
	Background *pgxpool.Pool

	batches *gorm.DB      // on Batches
	read    *readDatabase // nil without a read database
	watch   *watch
	ears    *ears
}

// Open connects to the PostgreSQL at url (a postgres:// address), which is known to be no pooler: the embedded server,
// or that of tests. To find that out takes two more connections.
func Open(ctx context.Context, url string) (*DB, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	return connect(ctx, config, config, false)
}

// OpenPooled is Open for an address that an operator gives. It fails behind a pooler that shares sessions between
// clients, unless direct is a second address of the same database, of PostgreSQL itself. Then Pool and Reserved use
// url, prepare no statements and set nothing in their sessions. What needs a session of its own uses direct: the other
// pools, LISTEN and migrations.
func OpenPooled(ctx context.Context, url, direct string) (*DB, error) {
	pooled := direct != ""
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	session := config
	if pooled {
		if session, err = parse(direct); err != nil {
			return nil, err
		}
		// A pooler gives each transaction another server, which does not know the statements of the one before.
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if err := refusePooler(ctx, session.ConnConfig); err != nil {
		return nil, fmt.Errorf("models: connect: %w", err)
	}
	if pooled {
		if err := refuseOther(ctx, config.ConnConfig, session.ConnConfig); err != nil {
			return nil, fmt.Errorf("models: connect: %w", err)
		}
	}
	return connect(ctx, config, session, pooled)
}

// connect opens the pools, as openPools does, and asks the first whether the database answers.
func connect(ctx context.Context, config, direct *pgxpool.Config, pooled bool) (*DB, error) {
	db := &DB{watch: &watch{database: config.ConnConfig.Database}}
	db.ears = &ears{db: db, hearers: map[*Hearer]bool{}}
	err := db.openPools(ctx, config, direct, pooled)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("models: open a pool: %w", err)
	}
	if err := db.Pool.Ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("models: connect: %w", err)
	}
	db.Read = db.Pool
	for _, handle := range []struct {
		at   **gorm.DB
		pool *pgxpool.Pool
	}{{&db.DB, db.Pool}, {&db.batches, db.Batches}} {
		if *handle.at, err = openGORM(handle.pool); err != nil {
			db.Close()
			return nil, fmt.Errorf("models: open gorm: %w", err)
		}
	}
	return db, nil
}

// openPools opens the pools: those that may share sessions with other clients as config says, the others as direct
// says.
func (db *DB) openPools(ctx context.Context, config, direct *pgxpool.Config, pooled bool) (err error) {
	requests, reserved := requestSession, reservedSession
	requests.shared, reserved.shared = pooled, pooled
	for _, pool := range []struct {
		at      **pgxpool.Pool
		like    *pgxpool.Config
		conns   int32
		session session
	}{
		{&db.Pool, config, config.MaxConns, requests}, {&db.Queue, direct, queueConns, queueSession},
		{&db.Batches, direct, batchConns, batchSession}, {&db.Reserved, config, reservedConns, reserved},
		{&db.Background, direct, backgroundConns, backgroundSession},
	} {
		if *pool.at, err = db.open(ctx, pool.like, pool.conns, pool.session); err != nil {
			return err
		}
	}
	return nil
}

func openGORM(pool *pgxpool.Pool) (*gorm.DB, error) {
	return gorm.Open(postgres.New(postgres.Config{Conn: stdlib.OpenDBFromPool(pool)}), &gorm.Config{
		SkipDefaultTransaction: true,           // InTx and InBatchTx open transactions
		DisableAutomaticPing:   true,           // Open pings
		Logger:                 logger.Discard, // the caller that handles an error logs it once
	})
}

// parse parses a database address and sets what it does not say.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("models: the database address is not a postgres:// URL") // err may contain the password
	}
	if !strings.Contains(url, "pool_max_conns=") {
		config.MaxConns = max(leastConns, int32(2*runtime.NumCPU()))
	}
	if config.PingTimeout == 0 {
		config.PingTimeout = pingWithin
	}
	conn := config.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectWithin
	}
	conn.DialFunc = dial
	conn.RuntimeParams["timezone"] = "UTC"
	if conn.RuntimeParams["application_name"] == "" {
		conn.RuntimeParams["application_name"] = "garoupa"
	}
	return config, nil
}

// open returns a pool, which connects at its first use.
func (db *DB) open(ctx context.Context, like *pgxpool.Config, conns int32, session session) (*pgxpool.Pool, error) {
	config := like.Copy()
	if config.MaxConns = conns; conns != like.MaxConns {
		config.MinConns, config.MinIdleConns = 0, 0
	}
	session.setUp(config, db.watch)
	config.ConnConfig.OnPgError = db.watch.answered
	if config.ConnConfig.ValidateConnect == nil && severalHosts(config.ConnConfig) {
		config.ConnConfig.ValidateConnect = db.watch.preferWritable
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err == nil {
		db.watch.add(pool)
	}
	return pool, err
}

// severalHosts reports whether the address names more than one server.
func severalHosts(config *pgx.ConnConfig) bool {
	return slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != config.Host || f.Port != config.Port
	})
}

// Close closes all pools. GORM has no connections of its own.
func (db *DB) Close() {
	if db.read != nil {
		db.read.standby.Close()
	}
	for _, pool := range []*pgxpool.Pool{db.Background, db.Reserved, db.Batches, db.Queue, db.Pool} {
		if pool != nil {
			pool.Close()
		}
	}
}

// Lost reports whether the database cannot be reached: the last attempt to connect failed. The
// loss and the return are each logged once.
func (db *DB) Lost() bool { return db.watch.lost() }

// deletedAtOnce limits the number of rows that one statement deletes.
const deletedAtOnce = 5_000

// deleteSome deletes the rows of a table whose keys a query returns, up to deletedAtOnce. In
// the query, $1 is the time before and $2 the limit. It reports whether more may be left.
func deleteSome(ctx context.Context, q Querier, table, key, query string, before time.Time) (more bool, err error) {
	tag, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE "+key+" IN ("+query+")", before, deletedAtOnce)
	return tag.RowsAffected() == deletedAtOnce, err
}

// Violates reports whether err is a violation of the named constraint. GORM's TranslateError
// stays off because it drops the name.
func Violates(err error, constraint string) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.ConstraintName == constraint
}

// notFound returns ErrNotFound if err is GORM's or pgx's error for a missing row, and
// otherwise err.
func notFound(err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
