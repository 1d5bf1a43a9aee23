package models

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// hoursAtOnce limits the transfers that one statement reads.
const hoursAtOnce = 50_000

// WidenLedgerHours updates ledger_hours, the id range of each hour's transfers, with new
// transfers up to an id from DecidedTransfers. If another process is doing this, it returns at
// once.
func WidenLedgerHours(ctx context.Context, q Querier, throughID int64) error {
	for {
		var through int64
		err := q.QueryRow(ctx, `WITH piece AS (
				SELECT through_id AS low, least($1, through_id + $2) AS high FROM ledger_hours_through
				WHERE through_id < $1 FOR UPDATE SKIP LOCKED
			), lines AS (
				SELECT t.* FROM piece CROSS JOIN LATERAL (
					SELECT id, to_book, from_book, recorded_at FROM ledger_transfers
						WHERE id > piece.low AND id <= piece.high) t
			), widened AS (
				INSERT INTO ledger_hours (account_id, livemode, hour, first_id, last_id)
				SELECT split_part(book, '/', 1), split_part(book, '/', 2) = 'live',
					date_trunc('hour', recorded_at, 'UTC'), min(id), max(id)
				FROM lines CROSS JOIN LATERAL (VALUES (to_book), (from_book)) AS b (book)
				WHERE starts_with(book, 'acc_')
				GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
				ON CONFLICT (account_id, livemode, hour) DO UPDATE
					SET first_id = least(ledger_hours.first_id, excluded.first_id),
						last_id = greatest(ledger_hours.last_id, excluded.last_id)
			)
			UPDATE ledger_hours_through SET through_id = piece.high FROM piece
				RETURNING ledger_hours_through.through_id`,
			throughID, hoursAtOnce).Scan(&through)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && through == throughID {
			return nil
		} else if err != nil {
			return err
		}
	}
}
