package models

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Reader runs queries that show data and decide nothing, such as lists, searches and sums. A function
// that takes a Reader may be given DB.Read; one that takes a Querier or a Tx may not, and the
// compiler says so.
type Reader interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

const (
	// reachedWithin limits the wait for a connection to the read database, and each look at how far
	// it is, before a query goes to the primary.
	reachedWithin = 100 * time.Millisecond
	// caughtUpWithin is how long a query waits for the read database to catch up.
	caughtUpWithin = 25 * time.Millisecond
	// firstLook is the first pause between two looks at how far the read database is; each
	// further pause is twice as long.
	firstLook = time.Millisecond
	// readWithin limits a query at the read database. It leaves the primary time to answer within
	// the same request.
	readWithin = 5 * time.Second
	// restFor is how long the read database gets no queries after it failed. Then one query tries.
	restFor = time.Second
	// restBehind is the same after it did not catch up. It happens in every server that is written to:
	// PostgreSQL may flush a part of a record, and the rest 0.2 s later.
	restBehind = 100 * time.Millisecond
	// toldAfter is how long the read database must be out of use before the log says so.
	toldAfter = 5 * time.Second
)

// readSession ends the statements of readWithin at the server too.
var readSession = session{statement: readWithin, lock: time.Second, idle: readWithin}

// The reasons for which a query went to the primary.
const (
	readUnreachable = "unreachable" // no connection, or no answer in time
	readBehind      = "behind"      // it did not catch up in time
	readReplaced    = "replaced"    // it is no standby, or not one of the primary's history
	readRefused     = "refused"     // it ended the query with an error, as for a conflict with replay
)

// The causes of readBehind and readReplaced.
var (
	errBehind   = errors.New("models: the read database is behind the primary")
	errReplaced = errors.New("models: the read database is no standby of the primary")
)

// Reads counts the queries that a read database could have answered.
type Reads struct {
	Standby int64            // answered by the read database
	Primary map[string]int64 // answered by the primary, by the reason
	Pool    *pgxpool.Stat    // the connections to the read database
}

// readDatabase answers queries from a standby if the standby has replayed all that the primary
// had committed when the query began, and otherwise from the primary. So a client reads what it
// has written, whichever process wrote it, and no error of the standby reaches a client.
type readDatabase struct {
	primary, standby *pgxpool.Pool

	mu      sync.Mutex
	resting string    // the reason for a rest, or ""
	until   time.Time // the end of the rest
	since   time.Time // of the first rest without an answer in between
	told    bool      // the log says that it is not used
	reads   Reads
}

// ReadFrom makes Read use the standby at url while it is current. The standby need not be there
// yet. It fails if url leads to a pooler that shares sessions.
func (db *DB) ReadFrom(ctx context.Context, url string) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	if err := refusePooler(ctx, config.ConnConfig); errors.Is(err, errPooler) {
		return fmt.Errorf("models: connect to the read database: %w", err)
	}
	r := &readDatabase{primary: db.Pool, reads: Reads{Primary: map[string]int64{}}}
	readSession.setUp(config, nil)
	setUp := config.ConnConfig.AfterConnect
	config.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := setUp(ctx, conn); err != nil {
			return err
		}
		return r.sameCluster(ctx, conn)
	}
	if r.standby, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("models: open the pool of the read database: %w", err)
	}
	db.Read, db.read = r, r
	return nil
}

// sameCluster returns an error if a new connection leads to another cluster than the primary's.
func (r *readDatabase) sameCluster(ctx context.Context, conn *pgconn.PgConn) error {
	const identifier = "SELECT system_identifier::text FROM pg_control_system()"
	var primary string
	if err := r.primary.QueryRow(ctx, identifier).Scan(&primary); err != nil {
		return fmt.Errorf("models: read the primary's identifier: %w", err)
	}
	results, err := conn.Exec(ctx, identifier).ReadAll()
	if err != nil {
		return fmt.Errorf("models: read the read database's identifier: %w", err)
	}
	if standby := string(results[0].Rows[0][0]); standby != primary {
		return errReplaced
	}
	return nil
}

// Query implements Reader.
func (r *readDatabase) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if r.tries() {
		if at, err := r.position(ctx); err == nil { // otherwise the fault is the primary's
			rows, err := r.readAt(ctx, at, sql, args)
			if ctx.Err() == nil {
				r.tried(ctx, err)
			}
			if err == nil {
				return rows, nil
			}
		}
	}
	return r.primary.Query(ctx, sql, args...)
}

// QueryRow implements Reader.
func (r *readDatabase) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := r.Query(ctx, sql, args...)
	return readRow{rows, err}
}

// position is a place in the primary's log, to which it has flushed.
type position struct {
	lsn      string
	timeline int64 // of the primary: a promotion begins a new one
}

// position returns how far the primary is. Commits that it acknowledged are before it, except
// those of DB.Queue, which do not wait for the disk.
func (r *readDatabase) position(ctx context.Context) (p position, err error) {
	var file string // of the log; its name begins with the timeline, in hexadecimal
	err = r.primary.QueryRow(ctx, "SELECT l::text, pg_walfile_name(l) FROM pg_current_wal_flush_lsn() l").
		Scan(&p.lsn, &file)
	if err == nil {
		p.timeline, err = strconv.ParseInt(file[:min(8, len(file))], 16, 64)
	}
	return p, err
}

// readAt runs a query at the standby when it has replayed the position. It returns all rows or an
// error, because a standby may end a query at any row, when the query conflicts with replay.
func (r *readDatabase) readAt(ctx context.Context, at position, sql string, args []any) (pgx.Rows, error) {
	conn, err := r.current(ctx, at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		conn.Release()
		return nil, err
	}
	return readAll(conn, rows)
}

// current returns a connection to the standby, which has replayed the position.
func (r *readDatabase) current(ctx context.Context, at position) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, reachedWithin)
	defer cancel()
	conn, err := r.standby.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	late := time.After(caughtUpWithin)
	for pause := firstLook; ; pause *= 2 {
		behind, err := at.missing(ctx, conn)
		if err == nil && behind <= 0 {
			return conn, nil
		}
		if err == nil {
			select {
			case <-time.After(pause):
				continue
			case <-late:
				err = errBehind
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		conn.Release()
		return nil, err
	}
}

// missing returns how many bytes the standby must replay until it has replayed the position. The
// timeline of the standby's last checkpoint tells its history: a standby that has not seen
// one since a promotion may have replayed what the new primary never had.
func (p position) missing(ctx context.Context, conn *pgxpool.Conn) (bytes int64, err error) {
	var follows bool
	err = conn.QueryRow(ctx, `SELECT pg_is_in_recovery() AND timeline_id = $2,
		($1::pg_lsn - coalesce(pg_last_wal_replay_lsn(), '0/0'))::bigint FROM pg_control_checkpoint()`,
		p.lsn, p.timeline).Scan(&follows, &bytes)
	if err == nil && !follows {
		err = errReplaced
	}
	return bytes, err
}

// tries reports whether a query may try the standby: always, or once at the end of a rest.
func (r *readDatabase) tries() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resting == "" {
		return true
	}
	if now := time.Now(); now.After(r.until) {
		r.until = now.Add(restFor)
		return true
	}
	r.reads.Primary[r.resting]++
	return false
}

// tried records how the standby answered, and lets it rest if others would not fare better.
func (r *readDatabase) tried(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.reads.Standby++
		if r.told {
			slog.InfoContext(ctx, "the read database is used again")
		}
		r.resting, r.told = "", false
		return
	}
	reason := reasonOf(err)
	r.reads.Primary[reason]++
	if reason == readRefused {
		return
	}
	now := time.Now()
	if r.resting == "" {
		r.since = now
	}
	if !r.told && now.Sub(r.since) >= toldAfter {
		slog.WarnContext(ctx, "the read database is not used", "reason", reason, "err", err)
		r.told = true
	}
	rest := restFor
	if reason == readBehind {
		rest = restBehind
	}
	r.resting, r.until = reason, now.Add(rest)
}

func reasonOf(err error) string {
	pgErr, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case errors.Is(err, errReplaced):
		return readReplaced
	case errors.Is(err, errBehind):
		return readBehind
	case answered && pgErr.SeverityUnlocalized == "ERROR":
		return readRefused
	}
	return readUnreachable
}

// Reads returns what the read database answered since the start, or nil without a read database.
func (db *DB) Reads() *Reads {
	if db.read == nil {
		return nil
	}
	r := db.read
	r.mu.Lock()
	defer r.mu.Unlock()
	reads := Reads{Standby: r.reads.Standby, Primary: map[string]int64{}, Pool: r.standby.Stat()}
	for _, reason := range []string{readUnreachable, readBehind, readReplaced, readRefused} {
		reads.Primary[reason] = r.reads.Primary[reason]
	}
	return &reads
}

// ReadBehind returns how many bytes of the primary's log the read database has not replayed, or why it cannot be
// used. There must be one.
func (db *DB) ReadBehind(ctx context.Context) (bytes int64, err error) {
	at, err := db.read.position(ctx)
	if err != nil {
		return 0, err
	}
	bytes, err = db.read.look(ctx, at)
	return max(0, bytes), err
}

// look returns how many bytes the standby is behind the position.
func (r *readDatabase) look(ctx context.Context, at position) (bytes int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, restFor)
	defer cancel()
	conn, err := r.standby.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	return at.missing(ctx, conn)
}
