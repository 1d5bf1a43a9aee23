package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrUndecided reports that a transaction which may still write rows took too long to
// wait for.
var ErrUndecided = errors.New("models: rows with older ids are still being written")

const (
	// decidedLook is how soon a wait for others looks again; each time takes twice as
	// long, up to decidedLookMost.
	decidedLook     = 5 * time.Millisecond
	decidedLookMost = 100 * time.Millisecond
)

// DecidedTransfers returns an id such that no transfer up to it can appear any more. It
// fails with ErrUndecided when they are still being written and patience is over.
func DecidedTransfers(ctx context.Context, q Querier, patience time.Duration) (id int64, err error) {
	return decided(ctx, q, "ledger_transfers", patience)
}

// DecidedAuditLines is DecidedTransfers for the lines of the audit log.
func DecidedAuditLines(ctx context.Context, q Querier, patience time.Duration) (id int64, err error) {
	return decided(ctx, q, "audit_log", patience)
}

// decided returns an id such that no row of a table up to it can appear any more. Ids are
// given out in order, but become visible when their transactions commit, in any order:
// one that is there says nothing about the ones below it. So this reads the last id that
// was given out, and then waits for everyone who may hold one up to it: a statement that
// writes to the table takes its lock on the table before it draws an id, and keeps it
// until its transaction ends. No one waits for this.
func decided(ctx context.Context, q Querier, table string, patience time.Duration) (id int64, err error) {
	if err := q.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+table+"_id_seq").Scan(&id); err != nil {
		return 0, err
	}
	writers, err := tableWriters(ctx, q, table)
	look := min(decidedLook, patience)
	for deadline := time.Now().Add(patience); err == nil && len(writers) > 0; look = min(2*look, decidedLookMost) {
		if time.Now().After(deadline) {
			return 0, ErrUndecided
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(look):
		}
		writers, err = tableWriters(ctx, q, table, writers...) // also when time is over: this process may have stood still
	}
	return id, err
}

// tableWriters returns the transactions that may write to a table now: all, or those
// among the ones given.
func tableWriters(ctx context.Context, q Querier, table string, among ...string) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT DISTINCT virtualtransaction FROM pg_locks
		WHERE locktype = 'relation' AND relation = $1::regclass AND mode = 'RowExclusiveLock' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (cardinality($2::text[]) = 0 OR virtualtransaction = ANY($2))`, table, append([]string{}, among...))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
