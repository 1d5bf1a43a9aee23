package models

import (
	"context"
	"time"
)

// InsertLedgerSnapshots writes the balances after the transfer with the id throughID of all
// accounts that have transfers since their previous snapshot, and returns the number of those
// accounts. throughID comes from DecidedTransfers. Several instances may call it at the same
// time, because all of them write correct rows.
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
		INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded, withdrawn, pending,
			available, reserved, blocked, taken_at)
		SELECT s.account_id, s.livemode, $1, coalesce(b.gross, 0) + s.gross, coalesce(b.fee, 0) + s.fee,
			coalesce(b.refunded, 0) + s.refunded, coalesce(b.withdrawn, 0) + s.withdrawn,
			coalesce(b.pending, 0) + s.pending,
			coalesce(b.available, 0) + s.available, coalesce(b.reserved, 0) + s.reserved,
			coalesce(b.blocked, 0) + s.blocked, $2
		FROM since s LEFT JOIN LATERAL (
			SELECT * FROM ledger_snapshots l WHERE l.account_id = s.account_id AND l.livemode = s.livemode
			ORDER BY through_id DESC LIMIT 1) b ON true
		ON CONFLICT DO NOTHING`, throughID, at)
	return tag.RowsAffected(), err
}
