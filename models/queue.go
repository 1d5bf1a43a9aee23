package models

import (
	"context"
	"time"
)

// Queue is how much waits for staff, and since when.
type Queue struct {
	Count  int
	Oldest *time.Time // nil: nothing waits
}

// Queues are all that waits for staff.
type Queues struct {
	Access       Queue // requests for production access
	Destinations Queue
	Withdrawals  Queue // in review
	Payouts      Queue // approved, to be paid or being paid
	Exceptions   Queue // open, of live
	Webhooks     Queue // endpoints that FailingEndpoints lists
}

// StaffQueues counts what waits.
func StaffQueues(ctx context.Context, q Querier) (all Queues, err error) {
	err = q.QueryRow(ctx, `SELECT a.*, d.*, w.*, p.*, x.*, e.* FROM
		(SELECT count(*), min(submitted_at) FROM access_requests WHERE status = 'PENDING_REVIEW') a,
		(SELECT count(*), min(created_at) FROM destinations WHERE status = 'PENDING_REVIEW') d,
		(SELECT count(*), min(created_at) FROM withdrawals WHERE status = 'PENDING_REVIEW') w,
		(SELECT count(*), min(approved_at) FROM withdrawals WHERE status IN ('APPROVED', 'PROCESSING')) p,
		(SELECT count(*), min(x.created_at) FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
			WHERE x.decision IS NULL AND p.livemode) x,
		(SELECT count(*), min(coalesce(troubled_at, disabled_at)) FROM webhook_endpoints
			WHERE deleted_at IS NULL AND (active AND troubled_at IS NOT NULL OR disabled_at IS NOT NULL)) e`).Scan(
		&all.Access.Count, &all.Access.Oldest, &all.Destinations.Count, &all.Destinations.Oldest, &all.Withdrawals.Count, &all.Withdrawals.Oldest,
		&all.Payouts.Count, &all.Payouts.Oldest, &all.Exceptions.Count, &all.Exceptions.Oldest,
		&all.Webhooks.Count, &all.Webhooks.Oldest)
	return all, err
}
