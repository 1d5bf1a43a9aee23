package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// RefundedWithin sums up the refunds of a scope's checkouts that were asked for from since to
// before until, and did not fail. It reads the account's refunds of that time.
func RefundedWithin(ctx context.Context, q Querier, scope Scope, since, until time.Time) (sum money.Cents, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(sum(r.amount), 0)::bigint
		FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN checkouts c ON c.id = p.checkout_id
		WHERE r.account_id = (SELECT account_id FROM projects WHERE id = $1) AND r.livemode = $2
			AND r.created_at >= $3 AND r.created_at < $4 AND r.status <> 'FAILED' AND c.project_id = $1`,
		scope.ProjectID, scope.Environment, since, until).Scan(&sum)
	return sum, err
}
