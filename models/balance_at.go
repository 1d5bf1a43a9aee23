package models

import (
	"context"
	"time"
)

// balanceAt reads a snapshot in which no transfer is of the hour $3 or later, and the transfers after it that are
// earlier: those of earlier hours, and of those that are in ledger_hours not yet.
const balanceAt = `WITH bounds AS (
		SELECT t.through_id, least(t.through_id, (SELECT min(first_id) - 1 FROM ledger_hours
				WHERE account_id = $1 AND livemode = $2 AND hour >= $3)) AS before_id,
			coalesce((SELECT max(last_id) FROM ledger_hours
				WHERE account_id = $1 AND livemode = $2 AND hour < $3), 0) AS last_id
		FROM ledger_hours_through t
	), base AS (
		SELECT s.* FROM ledger_snapshots s WHERE s.account_id = $1 AND s.livemode = $2
			AND s.through_id <= (SELECT before_id FROM bounds) ORDER BY s.through_id DESC LIMIT 1
	), ids AS (
		SELECT coalesce((SELECT through_id FROM base), 0) AS low, last_id AS high FROM bounds
		UNION ALL SELECT through_id, 9223372036854775807 FROM bounds
	), moved AS (
		SELECT t.book, t.other, sum(t.amount) AS amount FROM ids
		CROSS JOIN unnest($4::text[]) AS b (name) CROSS JOIN LATERAL (
			SELECT t.to_book AS book, t.from_book AS other, t.amount FROM ledger_transfers t
				WHERE (t.to_book, t.id) > (b.name, ids.low) AND (t.to_book, t.id) <= (b.name, ids.high)
					AND t.recorded_at < $3
			UNION ALL SELECT t.from_book, t.to_book, -t.amount FROM ledger_transfers t
				WHERE (t.from_book, t.id) > (b.name, ids.low) AND (t.from_book, t.id) <= (b.name, ids.high)
					AND t.recorded_at < $3) t
		GROUP BY 1, 2
	), since AS (SELECT ` + moves + ` FROM moved)
	SELECT coalesce(b.gross, 0) + s.gross, coalesce(b.fee, 0) + s.fee, coalesce(b.refunded, 0) + s.refunded,
		coalesce(b.withdrawn, 0) + s.withdrawn, coalesce(b.pending, 0) + s.pending,
		coalesce(b.available, 0) + s.available,
		coalesce(b.reserved, 0) + s.reserved, coalesce(b.blocked, 0) + s.blocked
	FROM since s LEFT JOIN base b ON true`

// BalanceAt returns the balance of an account by the transfers that were recorded before an hour began. It reads a
// snapshot and the transfers of about that hour, or everything since then if the hour is not in ledger_hours yet.
func BalanceAt(ctx context.Context, q Querier, accountID string, environment Environment,
	hour time.Time) (b Balance, err error) {
	err = q.QueryRow(ctx, balanceAt, accountID, environment, hour, newStatement(accountID, environment).books()).
		Scan(b.targets()...)
	return b, err
}
