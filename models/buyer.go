package models

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// Buyer names a person by one of two texts.
type Buyer struct {
	Email string // "" if the person is named by a document
	// The digests of the person's document in the projects of an account.
	Projects []string
	Digests  [][]byte
}

// named is the condition that a checkout c holds the document or the email address of a Buyer; its arguments
// are $1 to $3. Each half has its index.
const named = `c.id IN (SELECT m.id FROM unnest($1::text[], $2::bytea[]) AS g (project_id, digest)
		JOIN checkouts m ON m.project_id = g.project_id AND m.document_digest = g.digest
	UNION ALL SELECT m.id FROM checkouts m WHERE m.project_id = ANY($1) AND m.livemode IN (false, true)
		AND $3::text <> '' AND (lower(m.customer_email) COLLATE "C") = lower($3::text))`

func (b *Buyer) args(more ...any) []any {
	return append([]any{b.Projects, b.Digests, b.Email}, more...)
}

// eventsOf selects the events whose checkout meets a condition on checkout_id. Each half has its index.
func eventsOf(condition string) string {
	return "(SELECT id FROM events WHERE " + condition + " AND refund_id IS NULL" +
		" UNION ALL SELECT id FROM events WHERE " + condition + " AND refund_id IS NOT NULL)"
}

// undelivered is the condition that an event of a checkout c is still to be delivered.
var undelivered = "EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id IN " + eventsOf("checkout_id = c.id") + `
	AND (d.status = 'PENDING' OR EXISTS (
		SELECT FROM webhook_resends r WHERE r.delivery_id = d.id AND r.finished_at IS NULL)))`

// BuyerCounts are numbers of checkouts.
type BuyerCounts struct {
	Charges int // that hold the buyer's data
	Kept    int // of them, those whose data are still needed
}

// CountBuyer counts the checkouts of a buyer.
func CountBuyer(tx *Tx, b *Buyer) (n BuyerCounts, err error) {
	err = tx.Scan("SELECT count(*), count(*) FILTER (WHERE "+needsBuyer+" OR "+undelivered+
		") FROM checkouts c WHERE "+named, b.args(), &n.Charges, &n.Kept)
	return n, err
}

// BuyerRecord is a checkout of a buyer with what else is stored about it.
type BuyerRecord struct {
	Checkout
	Payments json.RawMessage // with their refunds and disputes
	Events   json.RawMessage // without their bodies
}

// BuyerRecords lists the checkouts of a buyer by id, starting after an id.
func BuyerRecords(ctx context.Context, q Reader, b *Buyer, after string, limit int) (records []BuyerRecord,
	err error) {
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+`, c.customer_phone,
		(SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'endToEndId', p.end_to_end_id, 'amount', p.amount,
				'paidAt', p.paid_at,
				'refunds', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'amount', r.amount,
						'status', r.status, 'reason', r.reason, 'createdAt', r.created_at) ORDER BY r.id), '[]')
					FROM refunds r WHERE r.payment_id = p.id),
				'disputes', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'amount', d.amount,
						'status', d.status, 'cause', d.cause, 'defense', d.defense, 'openedAt', d.opened_at)
						ORDER BY d.id), '[]')
					FROM disputes d WHERE d.payment_id = p.id)) ORDER BY p.id), '[]')
			FROM payments p WHERE p.checkout_id = c.id),
		(SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'createdAt', e.created_at)
				ORDER BY e.created_at, e.id), '[]') FROM events e WHERE e.id IN `+eventsOf("checkout_id = c.id")+`)
		FROM checkouts c WHERE `+named+" AND c.id > $4 ORDER BY c.id LIMIT $5", b.args(after, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r BuyerRecord
		if err := rows.Scan(append(r.targets(), &r.CustomerPhone, &r.Payments, &r.Events)...); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, rows.Err()
}

// PlainDocumentsLeft reports whether a checkout of the projects still holds a plain document, by which a digest does
// not find it.
func PlainDocumentsLeft(tx *Tx, projectIDs []string) (left bool, err error) {
	err = tx.Scan(`SELECT EXISTS (SELECT FROM checkouts
		WHERE project_id = ANY($1) AND customer_document IS NOT NULL)`, []any{projectIDs}, &left)
	return left, err
}

// ProjectIDs returns the ids of an account's projects.
func ProjectIDs(tx *Tx, accountID string) ([]string, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]string, error) {
		return texts(ctx, q, "SELECT id FROM projects WHERE account_id = $1 ORDER BY id", accountID)
	})
}

// texts returns the first column of a query.
func texts(ctx context.Context, q Reader, sql string, args ...any) ([]string, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// LockBuyer locks up to limit checkouts of a buyer by id, starting after an id. It returns those whose data may be
// removed, and the last id, which is "" after the last checkout.
func LockBuyer(tx *Tx, b *Buyer, after string, limit int) (removable []string, last string, err error) {
	err = tx.PGX(func(ctx context.Context, q Querier) error {
		ids, err := texts(ctx, q, "SELECT c.id FROM checkouts c WHERE "+named+
			" AND c.id > $4 ORDER BY c.id LIMIT $5 FOR UPDATE", b.args(after, limit)...)
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		// A statement of its own sees what others committed before they let go of the rows.
		removable, err = texts(ctx, q, "SELECT c.id FROM checkouts c WHERE "+named+
			" AND c.id = ANY($4) AND NOT "+needsBuyer+" AND NOT "+undelivered, b.args(ids)...)
		return err
	})
	return removable, last, err
}

// EventBody is the body of an event of a checkout.
type EventBody struct {
	ID       string
	FromLink bool // a payment link made the checkout
	Body     []byte
}

// LockEventBodies returns the bodies of the events of checkouts that tx has locked.
func LockEventBodies(tx *Tx, checkoutIDs []string) ([]EventBody, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]EventBody, error) {
		return collect[EventBody](ctx, q, `SELECT e.id, c.payment_link_id IS NOT NULL AS from_link, e.body
			FROM events e JOIN checkouts c ON c.id = e.checkout_id
			WHERE e.id IN `+eventsOf("checkout_id = ANY($1)")+" ORDER BY e.id FOR UPDATE OF e", checkoutIDs)
	})
}

// RemoveBuyer removes the buyers' data of checkouts that tx has locked, from their events, whose new bodies it takes,
// and from what endpoints answered to these.
func RemoveBuyer(tx *Tx, checkoutIDs []string, events []EventBody) error {
	ids, bodies := make([]string, len(events)), make([][]byte, len(events))
	for i, e := range events {
		ids[i], bodies[i] = e.ID, e.Body
	}
	const deliveries = "(SELECT id FROM webhook_deliveries WHERE event_id = ANY($1))"
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{"UPDATE checkouts c SET " + emptyBuyer + " WHERE c.id = ANY($1)", []any{checkoutIDs}},
		{`UPDATE events e SET body = g.body FROM unnest($1::text[], $2::bytea[]) AS g (id, body) WHERE e.id = g.id`,
			[]any{ids, bodies}},
		{"DELETE FROM receipt_mails WHERE checkout_id = ANY($1)", []any{checkoutIDs}},
		{"DELETE FROM webhook_answers WHERE delivery_id IN " + deliveries, []any{ids}},
		{`UPDATE webhook_attempts SET response = '' WHERE response <> '' AND delivery_id IN ` + deliveries, []any{ids}},
	} {
		if err := tx.exec(step.sql, step.args...); err != nil {
			return err
		}
	}
	return nil
}
