package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// countLinkHours is the join that counts the hours of the payment links of a row span (project_id, livemode, since,
// until). Projects without links are not read.
const countLinkHours = ` CROSS JOIN LATERAL (
	SELECT payment_link_id, date_trunc('hour', at) AS hour, count(*) FILTER (WHERE NOT paying) AS created,
		count(*) FILTER (WHERE NOT paying AND status = 'PAID') AS converted, count(*) FILTER (WHERE paying) AS paid,
		coalesce(sum(amount) FILTER (WHERE paying), 0)::bigint AS volume
	FROM (
		SELECT c.payment_link_id, c.created_at AS at, false AS paying, c.status, c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.payment_link_id IS NOT NULL
			AND c.created_at >= span.since AND c.created_at < span.until
		UNION ALL
		SELECT c.payment_link_id, c.paid_at, true, c.status, c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.payment_link_id IS NOT NULL
			AND c.status = 'PAID' AND c.paid_at >= span.since AND c.paid_at < span.until
	) happened GROUP BY 1, 2) h
	WHERE EXISTS (SELECT FROM payment_links l WHERE l.project_id = span.project_id AND l.livemode = span.livemode)`

// writeLinkHours writes the counted hours of the spans that follow, and linkHoursAgain replaces those that are
// there. Both leave visits alone.
const (
	writeLinkHours = `INSERT INTO payment_link_hours (payment_link_id, hour, created, converted, paid, volume)
	SELECT h.payment_link_id, h.hour, h.created, h.converted, h.paid, h.volume FROM `
	linkHoursAgain = ` ON CONFLICT (payment_link_id, hour) DO UPDATE SET created = EXCLUDED.created,
		converted = EXCLUDED.converted, paid = EXCLUDED.paid, volume = EXCLUDED.volume`
)

// LinkVisits counts visits of a payment link's page within an hour.
type LinkVisits struct {
	PaymentLinkID string
	Hour          time.Time
	N             int64
}

// AddLinkVisits adds counts of visits to those that are stored.
func AddLinkVisits(ctx context.Context, q Querier, visits []LinkVisits) error {
	counted, err := json.Marshal(visits)
	if err != nil {
		return fmt.Errorf("models: visits of links: %w", err)
	}
	_, err = q.Exec(ctx, `INSERT INTO payment_link_hours AS h (payment_link_id, hour, visits)
		SELECT * FROM jsonb_to_recordset($1) AS t ("PaymentLinkID" text, "Hour" timestamptz, "N" bigint)
		ORDER BY 1, 2
		ON CONFLICT (payment_link_id, hour) DO UPDATE SET visits = h.visits + excluded.visits`, counted)
	return err
}
