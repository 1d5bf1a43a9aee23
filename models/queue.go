package models

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Queue is the amount of work that waits for staff, and its age.
type Queue struct {
	Count  int
	Oldest *time.Time // nil if nothing is waiting
}

// Queues holds all work that waits for staff.
type Queues struct {
	Access       Queue // requests for production access
	Destinations Queue
	Withdrawals  Queue // in review
	Payouts      Queue // approved, to be paid or being paid
	Exceptions   Queue // open, in live, of money that the installation has
	Disputes     Queue // not closed
	Fees         Queue // proposals to be approved
	Names        Queue // proposals to be approved
	Webhooks     Queue // endpoints that FailingEndpoints lists
}

// Mark returns a text that differs when the queues do.
func (q Queues) Mark() string {
	var mark strings.Builder
	for _, queue := range []Queue{q.Access, q.Destinations, q.Withdrawals, q.Payouts, q.Exceptions, q.Disputes, q.Fees,
		q.Names, q.Webhooks} {
		fmt.Fprintf(&mark, "%x", queue.Count)
		if queue.Oldest != nil {
			fmt.Fprintf(&mark, ".%x", queue.Oldest.UnixMicro())
		}
		mark.WriteByte('-')
	}
	return mark.String()
}

// StaffQueues counts the work that waits for staff.
func StaffQueues(ctx context.Context, q Reader) (all Queues, err error) {
	err = q.QueryRow(ctx, `SELECT a.*, d.*, w.*, p.*, x.*, c.*, f.*, n.*, e.* FROM
		(SELECT count(*), min(submitted_at) FROM access_requests WHERE status = 'PENDING_REVIEW') a,
		(SELECT count(*), min(created_at) FROM destinations WHERE status = 'PENDING_REVIEW') d,
		(SELECT count(*), min(created_at) FROM withdrawals WHERE status = 'PENDING_REVIEW') w,
		(SELECT count(*), min(approved_at) FROM withdrawals WHERE status IN ('APPROVED', 'PROCESSING')) p,
		(SELECT count(*), min(x.created_at) FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
			LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
			WHERE x.decision IS NULL AND p.livemode AND b.account_id IS NULL) x,
		(SELECT count(*), min(opened_at) FROM disputes WHERE status IN ('OPEN', 'DEFENDED', 'ACCEPTED')) c,
		(SELECT count(*), min(proposed_at) FROM fee_proposals WHERE status = 'PENDING') f,
		(SELECT count(*), min(proposed_at) FROM name_proposals WHERE status = 'PENDING') n,
		(SELECT count(*), min(coalesce(troubled_at, disabled_at)) FROM webhook_endpoints
			WHERE deleted_at IS NULL AND (active AND troubled_at IS NOT NULL OR disabled_at IS NOT NULL)) e`).Scan(
		&all.Access.Count, &all.Access.Oldest, &all.Destinations.Count, &all.Destinations.Oldest,
		&all.Withdrawals.Count, &all.Withdrawals.Oldest,
		&all.Payouts.Count, &all.Payouts.Oldest, &all.Exceptions.Count, &all.Exceptions.Oldest,
		&all.Disputes.Count, &all.Disputes.Oldest, &all.Fees.Count, &all.Fees.Oldest,
		&all.Names.Count, &all.Names.Oldest,
		&all.Webhooks.Count, &all.Webhooks.Oldest)
	return all, err
}
