package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrUndecided reports that a transaction which may still write transfers took
// too long to wait for.
var ErrUndecided = errors.New("models: transfers with older ids are still being written")

// DecidedTransfers returns an id such that no transfer up to it can appear any
// more. Ids are given out in order, but become visible when their transactions
// commit, in any order: one that is there says nothing about the ones below it.
// So this reads the last id that was given out, and then waits for everyone who
// may hold one up to it: a statement that writes to the table takes its lock on
// the table before it draws an id, and keeps it until its transaction ends. No
// one waits for this. It fails with ErrUndecided when patience is over.
func DecidedTransfers(ctx context.Context, q Querier, patience time.Duration) (id int64, err error) {
	if err := q.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ledger_transfers_id_seq").Scan(&id); err != nil {
		return 0, err
	}
	writers, err := transferWriters(ctx, q)
	for deadline := time.Now().Add(patience); err == nil && len(writers) > 0; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(min(5*time.Millisecond, patience)):
		}
		if time.Now().After(deadline) {
			return 0, ErrUndecided
		}
		writers, err = transferWriters(ctx, q, writers...)
	}
	return id, err
}

// transferWriters returns the transactions that may write transfers now: all, or
// those among the ones given.
func transferWriters(ctx context.Context, q Querier, among ...string) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT DISTINCT virtualtransaction FROM pg_locks
		WHERE locktype = 'relation' AND relation = 'ledger_transfers'::regclass AND mode = 'RowExclusiveLock' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (cardinality($1::text[]) = 0 OR virtualtransaction = ANY($1))`, append([]string{}, among...))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// InsertLedgerSnapshots writes what the books of each account held after the
// transfer with the id, for all accounts with transfers since their snapshot
// before, and returns how many they are. The id comes from DecidedTransfers.
// Instances may do it at the same time: every row that either writes is right.
func InsertLedgerSnapshots(ctx context.Context, q Querier, throughID int64, at time.Time) (written int64, err error) {
	tag, err := q.Exec(ctx, `WITH before AS (
			SELECT coalesce(max(through_id), 0) AS id FROM ledger_snapshots
		), recent AS (
			SELECT from_book, to_book, sum(amount) AS amount FROM ledger_transfers, before
			WHERE ledger_transfers.id > before.id AND ledger_transfers.id <= $1 GROUP BY from_book, to_book
		), moved AS (
			SELECT to_book AS book, from_book AS other, amount FROM recent WHERE starts_with(to_book, 'acc_')
			UNION ALL
			SELECT from_book, to_book, -amount FROM recent WHERE starts_with(from_book, 'acc_')
		), since AS (
			SELECT split_part(book, '/', 1) AS account_id, split_part(book, '/', 2) = 'live' AS livemode, `+moves+`
			FROM moved GROUP BY 1, 2)
		INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded, withdrawn, pending, available, reserved, blocked, taken_at)
		SELECT s.account_id, s.livemode, $1, coalesce(b.gross, 0) + s.gross, coalesce(b.fee, 0) + s.fee,
			coalesce(b.refunded, 0) + s.refunded, coalesce(b.withdrawn, 0) + s.withdrawn, coalesce(b.pending, 0) + s.pending,
			coalesce(b.available, 0) + s.available, coalesce(b.reserved, 0) + s.reserved, coalesce(b.blocked, 0) + s.blocked, $2
		FROM since s LEFT JOIN LATERAL (
			SELECT * FROM ledger_snapshots l WHERE l.account_id = s.account_id AND l.livemode = s.livemode
			ORDER BY through_id DESC LIMIT 1) b ON true
		ON CONFLICT DO NOTHING`, throughID, at)
	return tag.RowsAffected(), err
}
