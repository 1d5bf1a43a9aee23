package models

import (
	"context"
	"time"
)

// Backlog has, for each kind of work, the time since which its oldest item is due; nil if none is.
type Backlog struct {
	Delivery   *time.Time // of webhooks, without those that a process has
	Expiry     *time.Time // of a pending checkout
	Settlement *time.Time // of a paid checkout
	Mail       *time.Time // when the oldest unsent mail was written
}

// backlog takes each oldest row from the index that its sweep uses. Deliveries are walked from endpoint to
// endpoint, as when they are taken.
const backlog = `WITH RECURSIVE endpoint (id) AS (
	(SELECT endpoint_id FROM webhook_deliveries WHERE status = 'PENDING' ORDER BY endpoint_id LIMIT 1)
	UNION ALL
	SELECT (SELECT d.endpoint_id FROM webhook_deliveries d WHERE d.status = 'PENDING' AND d.endpoint_id > endpoint.id
		ORDER BY d.endpoint_id LIMIT 1)
	FROM endpoint WHERE endpoint.id IS NOT NULL
)
SELECT (SELECT min(first.next_attempt_at) FROM endpoint CROSS JOIN generate_series(1, 3) AS p (priority)
		CROSS JOIN LATERAL (SELECT d.next_attempt_at FROM webhook_deliveries d
			WHERE d.status = 'PENDING' AND d.endpoint_id = endpoint.id AND d.priority = p.priority
				AND d.next_attempt_at <= $1 AND ` + unleased + `
		ORDER BY d.next_attempt_at LIMIT 1) AS first),
	(SELECT min(expires_at) FROM checkouts WHERE status = 'PENDING' AND expires_at <= $1),
	(SELECT min(settles_at) FROM checkouts WHERE livemode AND status = 'PAID' AND settlement_status = 'PENDING'
		AND settles_at <= $1),
	(SELECT min(created_at) FROM mails WHERE sent_at IS NULL)`

// WorkDue returns the backlog at now.
func WorkDue(ctx context.Context, q Querier, now time.Time) (b Backlog, err error) {
	err = q.QueryRow(ctx, backlog, now).Scan(&b.Delivery, &b.Expiry, &b.Settlement, &b.Mail)
	return b, err
}
