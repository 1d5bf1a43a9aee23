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
	Net                   money.Cents // the paid amount minus the fee
}

// LockUnsettled locks up to limit checkouts of the environment that are due to be settled by
// now, longest due first. It skips those that another transaction has locked.
func LockUnsettled(tx *Tx, environment Environment, now time.Time, limit int) (due []Unsettled, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `SELECT c.id, j.account_id, p.amount - p.fee FROM checkouts c
			JOIN payments p ON p.checkout_id = c.id AND p.settles JOIN projects j ON j.id = c.project_id
			WHERE c.status = 'PAID' AND c.settlement_status = 'PENDING' AND c.livemode = $1 AND c.settles_at <= $2
			ORDER BY c.settles_at LIMIT $3 FOR UPDATE OF c SKIP LOCKED`, environment, now, limit)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Unsettled])
		return err
	})
	return due, err
}

// SaveSettlement makes checkouts that the caller has locked AVAILABLE, with their net amounts.
func SaveSettlement(tx *Tx, settled []Unsettled) error {
	ids, nets := make([]string, len(settled)), make([]int64, len(settled))
	for i, u := range settled {
		ids[i], nets[i] = u.CheckoutID, int64(u.Net)
	}
	changed, err := tx.Exec(`UPDATE checkouts c SET settlement_status = 'AVAILABLE', settlement_amount = s.net
		FROM unnest($1::text[], $2::bigint[]) AS s (id, net) WHERE c.id = s.id AND c.settlement_status = 'PENDING'`,
		ids, nets)
	if err == nil && int(changed) != len(settled) {
		err = ErrStatusChanged
	}
	return err
}
