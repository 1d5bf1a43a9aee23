package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrUndecided reports that transactions which may still write rows took longer than the
// caller waits.
var ErrUndecided = errors.New("models: rows with older ids are still being written")

const (
	// decidedLook is the first interval between two looks; each interval is twice as long as
	// the one before, up to decidedLookMost.
	decidedLook     = 5 * time.Millisecond
	decidedLookMost = 100 * time.Millisecond
)

// DecidedTransfers returns an id such that no transfer up to it can appear anymore. It fails
// with ErrUndecided if such transfers may still be written after patience.
func DecidedTransfers(ctx context.Context, q Querier, patience time.Duration) (id int64, err error) {
	return decided(ctx, q, "ledger_transfers", patience)
}

// DecidedAuditLines is DecidedTransfers for the audit log.
func DecidedAuditLines(ctx context.Context, q Querier, patience time.Duration) (id int64, err error) {
	return decided(ctx, q, "audit_log", patience)
}

// decided returns an id up to which no further row of a table can appear. Ids are assigned in
// order, but rows become visible when their transactions commit, in any order: a visible id
// says nothing about smaller ones. So decided reads the last assigned id, and then waits for
// every transaction that may hold an id up to it: a statement that writes to the table locks
// the table before it gets an id, and its transaction holds the lock until it ends. Writers
// never wait for decided.
func decided(ctx context.Context, q Querier, table string, patience time.Duration) (id int64, err error) {
	if err := q.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+table+
		"_id_seq").Scan(&id); err != nil {
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
		writers, err = tableWriters(ctx, q, table,
			writers...) // look even if time is over: this process may have been suspended
	}
	return id, err
}

// tableWriters returns the transactions that may be writing to a table; with among, only those
// of the given ones.
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
