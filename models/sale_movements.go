package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// saleFacts selects the facts of checkouts $1 that may have moved their account's money: those of all their
// payments, refunds and disputes, and the settlement. Each fact is looked up by index, whatever the planner expects.
const saleFacts = `WITH paid AS (SELECT id, checkout_id FROM payments WHERE checkout_id = ANY ($1)),
	facts AS (
		SELECT id AS checkout_id, 'settlement/' || id AS fact FROM unnest($1::text[]) id
		UNION ALL SELECT checkout_id, kind || id FROM paid CROSS JOIN unnest(ARRAY['payment/', 'exception/']) kind
		UNION ALL SELECT p.checkout_id, 'refund/' || r.id || step FROM paid p JOIN refunds r ON r.payment_id = p.id
			CROSS JOIN unnest(ARRAY['', '/undone']) step
		UNION ALL SELECT p.checkout_id, 'dispute/' || d.id || step FROM paid p JOIN disputes d ON d.payment_id = p.id
			CROSS JOIN unnest(ARRAY['', '/released']) step)`

// SaleMovements returns what moved an account's money for each of some checkouts, in the ledger's order. The
// balances of the movements are not set.
func SaleMovements(ctx context.Context, q Reader, accountID string, environment Environment,
	checkoutIDs []string) (map[string][]Movement, error) {
	if len(checkoutIDs) == 0 {
		return nil, nil
	}
	s := newStatement(accountID, environment)
	rows, err := q.Query(ctx, saleFacts+`
		SELECT t.id, t.from_book, t.to_book, t.amount, t.recorded_at, f.checkout_id
		FROM facts f CROSS JOIN LATERAL (SELECT * FROM ledger_transfers t WHERE t.fact = f.fact OFFSET 0) t
		WHERE t.from_book = ANY ($2) OR t.to_book = ANY ($2) ORDER BY t.id`, checkoutIDs, s.books())
	if err != nil {
		return nil, err
	}
	all := map[string][]Movement{}
	var m Movement
	var from, to string
	_, err = pgx.ForEachRow(rows, []any{&m.ID, &from, &to, &m.Amount, &m.At, &m.LinkedID}, func() error {
		all[m.LinkedID] = append(all[m.LinkedID], s.signed(m, from, to))
		return nil
	})
	return all, err
}
