package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Unsettled is a paid checkout whose money is not available yet.
type Unsettled struct {
	CheckoutID, AccountID string
	Net                   money.Cents // the paid amount minus the fee, and minus what was refunded from it
	Own                   bool        // the money is at the merchant's own bank account
}

// LockUnsettled locks up to limit checkouts of the environment that are due to be settled by
// now, longest due first. It skips those that another transaction has locked.
func LockUnsettled(tx *Tx, environment Environment, now time.Time, limit int) (due []Unsettled, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `SELECT c.id, j.account_id, p.amount - p.fee,
				b.account_id IS NOT NULL FROM checkouts c
			JOIN payments p ON p.checkout_id = c.id AND p.settles JOIN projects j ON j.id = c.project_id
			LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
			WHERE c.status = 'PAID' AND c.settlement_status = 'PENDING' AND c.livemode = $1 AND c.settles_at <= $2
			ORDER BY c.settles_at LIMIT $3 FOR UPDATE OF c SKIP LOCKED`, environment, now, limit)
		if err != nil {
			return err
		}
		if due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Unsettled]); err != nil || len(due) == 0 {
			return err
		}
		return subtractRefunds(ctx, conn, due)
	})
	return due, err
}

// subtractRefunds takes what was refunded from pending money off the net amounts of checkouts that are
// locked. It is a statement of its own, so that it sees refunds that were committed before the lock.
func subtractRefunds(ctx context.Context, conn Querier, due []Unsettled) error {
	place, ids := make(map[string]int, len(due)), make([]string, len(due))
	for i, u := range due {
		place[u.CheckoutID], ids[i] = i, u.CheckoutID
	}
	rows, err := conn.Query(ctx, `SELECT p.checkout_id, sum(r.from_pending - r.back_to_pending)::bigint
		FROM payments p JOIN refunds r ON r.payment_id = p.id
		WHERE p.checkout_id = ANY($1) AND p.settles GROUP BY p.checkout_id`, ids)
	if err != nil {
		return err
	}
	var id string
	var refunded money.Cents
	_, err = pgx.ForEachRow(rows, []any{&id, &refunded}, func() error {
		due[place[id]].Net -= refunded
		return nil
	})
	return err
}

// SaveSettlement makes checkouts that the caller has locked AVAILABLE, with their net amounts. Those whose
// money is at an own bank account become COMPLETED: nothing is left to be paid out.
func SaveSettlement(tx *Tx, settled []Unsettled) error {
	ids, nets, own := make([]string, len(settled)), make([]int64, len(settled)), make([]bool, len(settled))
	for i, u := range settled {
		ids[i], nets[i], own[i] = u.CheckoutID, int64(u.Net), u.Own
	}
	changed, err := tx.Exec(`UPDATE checkouts c SET settlement_amount = s.net,
			settlement_status = CASE WHEN s.own THEN 'COMPLETED' ELSE 'AVAILABLE' END
		FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS s (id, net, own)
		WHERE c.id = s.id AND c.settlement_status = 'PENDING'`, ids, nets, own)
	if err == nil && int(changed) != len(settled) {
		err = ErrStatusChanged
	}
	return err
}
