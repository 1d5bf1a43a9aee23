package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// RefundedWithin sums up the refunds of a scope's checkouts that were asked for from since to
// before until, and did not fail. It reads the account's refunds of that time, and looks for the project of each only
// if the account has others.
func RefundedWithin(ctx context.Context, q Reader, scope Scope, since, until time.Time) (sum money.Cents, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(sum(r.amount), 0)::bigint FROM refunds r
		WHERE r.account_id = (SELECT account_id FROM projects WHERE id = $1) AND r.livemode = $2
			AND r.created_at >= $3 AND r.created_at < $4 AND r.status <> 'FAILED'
			AND (NOT EXISTS (SELECT FROM projects own JOIN projects other USING (account_id)
					WHERE own.id = $1 AND other.id <> $1)
				OR EXISTS (SELECT FROM payments p JOIN checkouts c ON c.id = p.checkout_id
					WHERE p.id = r.payment_id AND c.project_id = $1))`,
		scope.ProjectID, scope.Environment, since, until).Scan(&sum)
	return sum, err
}
