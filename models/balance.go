package models

import (
	"context"

	"garoupa/money"
)

// Books are the names of the books that a balance is read from.
type Books struct {
	Clearing, Fees, Pending, Available, Reserved, Blocked string
}

// Balance is what an account received, paid and has (contract 2.4).
type Balance struct {
	Gross, Fee, Pending, Available, Reserved, Blocked money.Cents
}

// LedgerBalances reads all amounts of a balance at one moment.
func LedgerBalances(ctx context.Context, q Querier, b Books) (Balance, error) {
	var out Balance
	err := q.QueryRow(ctx, `WITH moved AS (
			SELECT to_book AS book, from_book AS other, amount FROM ledger_transfers WHERE to_book = ANY($7)
			UNION ALL
			SELECT from_book, to_book, -amount FROM ledger_transfers WHERE from_book = ANY($7))
		SELECT coalesce(sum(amount) FILTER (WHERE book = $3 AND other = $1), 0)::bigint,
			coalesce(-sum(amount) FILTER (WHERE other = $2), 0)::bigint,
			coalesce(sum(amount) FILTER (WHERE book = $3), 0)::bigint, coalesce(sum(amount) FILTER (WHERE book = $4), 0)::bigint,
			coalesce(sum(amount) FILTER (WHERE book = $5), 0)::bigint, coalesce(sum(amount) FILTER (WHERE book = $6), 0)::bigint
		FROM moved`, b.Clearing, b.Fees, b.Pending, b.Available, b.Reserved, b.Blocked,
		[]string{b.Pending, b.Available, b.Reserved, b.Blocked}).
		Scan(&out.Gross, &out.Fee, &out.Pending, &out.Available, &out.Reserved, &out.Blocked)
	return out, err
}
