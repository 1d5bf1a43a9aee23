package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// AccountsToClose lists up to limit accounts, by their ids, whose live money moved from since to before until, and
// whose month of since is not closed. after is the last account that the caller has, "" for none. Both moments begin an
// hour.
func AccountsToClose(ctx context.Context, q Querier, since, until time.Time, after string,
	limit int) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT a.id FROM accounts a WHERE a.id > $4
			AND EXISTS (SELECT FROM ledger_hours h WHERE h.account_id = a.id AND h.livemode AND h.hour >= $1
				AND h.hour < $2)
			AND NOT EXISTS (SELECT FROM month_closes c WHERE c.account_id = a.id AND c.month = $3)
		ORDER BY a.id LIMIT $5`, since, until, firstDay(since), after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// CloseMonth records that the month of since is closed for an account, and reports whether it was not before. It waits
// for a transaction that is closing the same month.
func CloseMonth(tx *Tx, accountID string, since, now time.Time) (closed bool, err error) {
	n, err := tx.Exec(`INSERT INTO month_closes (account_id, month, closed_at) VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`, accountID, firstDay(since), now)
	return n == 1, err
}

// firstDay returns the first day of a month in Brasília, of which since is the first moment.
func firstDay(since time.Time) string { return since.Format("2006-01-02") }

// SalesOf counts the paid checkouts of all projects of an account whose payments are from since to before until.
func SalesOf(ctx context.Context, q Querier, accountID string, environment Environment,
	since, until time.Time) (count int, err error) {
	err = q.QueryRow(ctx, `SELECT count(*) FROM projects j JOIN checkouts c ON c.project_id = j.id
		WHERE j.account_id = $1 AND c.livemode = $2 AND c.status = 'PAID' AND c.paid_at >= $3 AND c.paid_at < $4`,
		accountID, environment, since, until).Scan(&count)
	return count, err
}
