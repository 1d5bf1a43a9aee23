package models

import (
	"context"

	"garoupa/internal/money"
)

// Balance is what an account received, paid and holds, all at one moment. It always holds that
// Gross − Fee − Refunded − Withdrawn = Pending + Available + Reserved + Blocked.
type Balance struct {
	Gross, Fee, Refunded, Withdrawn       money.Cents // totals of all time
	Pending, Available, Reserved, Blocked money.Cents // current amounts
}

// Total returns all money of the account.
func (b Balance) Total() money.Cents { return b.Pending + b.Available + b.Reserved + b.Blocked }

func (b *Balance) targets() []any {
	return []any{&b.Gross, &b.Fee, &b.Refunded, &b.Withdrawn, &b.Pending, &b.Available, &b.Reserved, &b.Blocked}
}

// moves computes the amounts of a Balance from rows (book, other, amount): what one of the
// account's books received from another book, negative if it gave. A transfer between two
// books of the account has two rows, with opposite signs. The query compares names for each
// row, so pass one row per pair of books.
const moves = `
	coalesce(sum(amount) FILTER (WHERE other ~ '^platform/.*/(clearing|suspense)$'), 0)::bigint AS gross,
	coalesce(-sum(amount) FILTER (WHERE other ~ '^platform/.*/fees$'), 0)::bigint AS fee,
	coalesce(-sum(amount) FILTER (WHERE other ~ '^platform/.*/refunds$'), 0)::bigint AS refunded,
	coalesce(-sum(amount) FILTER (WHERE other ~ '^platform/.*/paid_out$'), 0)::bigint AS withdrawn,
	coalesce(sum(amount) FILTER (WHERE book ~ '/pending$'), 0)::bigint AS pending,
	coalesce(sum(amount) FILTER (WHERE book ~ '/available$'), 0)::bigint AS available,
	coalesce(sum(amount) FILTER (WHERE book ~ '/reserved$'), 0)::bigint AS reserved,
	coalesce(sum(amount) FILTER (WHERE book ~ '/blocked$'), 0)::bigint AS blocked`

// LedgerBalances reads an account's balance from its newest snapshot and the transfers of its
// books since then. The cost grows only with those transfers. books are the account's four
// books. Their number is fixed because PostgreSQL would plan the statement again at each
// execution for an array of unknown length.
func LedgerBalances(ctx context.Context, q Querier, accountID string, environment Environment,
	books [4]string) (Balance, error) {
	var b Balance
	err := q.QueryRow(ctx, `WITH base AS (
			SELECT through_id, gross, fee, refunded, withdrawn, pending, available, reserved, blocked
			FROM ledger_snapshots
			WHERE account_id = $1 AND livemode = $2 ORDER BY through_id DESC LIMIT 1
		), moved AS (
			SELECT b.book, m.other, m.amount FROM (VALUES ($3::text), ($4::text), ($5::text), ($6::text)) AS b (book)
			CROSS JOIN LATERAL ledger_moved(b.book, coalesce((SELECT through_id FROM base), 0), 9223372036854775807) m
		), since AS (SELECT `+moves+` FROM moved)
		SELECT coalesce(b.gross, 0) + s.gross, coalesce(b.fee, 0) + s.fee, coalesce(b.refunded, 0) + s.refunded,
			coalesce(b.withdrawn, 0) + s.withdrawn, coalesce(b.pending, 0) + s.pending,
			coalesce(b.available, 0) + s.available,
			coalesce(b.reserved, 0) + s.reserved, coalesce(b.blocked, 0) + s.blocked
		FROM since s LEFT JOIN base b ON true`, accountID, environment, books[0], books[1], books[2],
		books[3]).Scan(b.targets()...)
	return b, err
}
