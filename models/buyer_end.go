package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// hasBuyer is the condition that a checkout c holds data of its buyer, or metadata of the merchant, which may
// have some. The metadata of checkouts of links are ours and name no person.
const hasBuyer = `(num_nonnulls(c.customer_name, c.customer_email, c.customer_document, c.sealed_document,
	c.customer_phone) > 0 OR c.payment_link_id IS NULL AND c.metadata <> '{}')`

// needsBuyer is the condition that people may still need to know who the buyer of a checkout c is: it can be
// paid, or a payment of it is being returned, contested or examined.
const needsBuyer = `(c.status = 'PENDING' OR EXISTS (SELECT FROM payments p WHERE p.checkout_id = c.id AND (
	EXISTS (SELECT FROM refunds r WHERE r.payment_id = p.id AND r.status IN ('REQUESTED', 'PROCESSING'))
	OR EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id AND d.status NOT IN ('WON', 'LOST'))
	OR EXISTS (SELECT FROM payment_exceptions e WHERE e.payment_id = p.id AND e.decision IS NULL))))`

// emptyBuyer is the SET clause that removes a buyer's data from a checkout c.
const emptyBuyer = `customer_name = NULL, customer_email = NULL, customer_document = NULL, sealed_document = NULL,
	document_digest = NULL, customer_phone = NULL,
	metadata = CASE WHEN c.payment_link_id IS NULL THEN '{}' ELSE c.metadata END`

// endedBy is the condition that a checkout c had ended by $1.
const endedBy = "coalesce(c.paid_at, c.closed_at, c.expires_at) < $1"

// longestCheckout is the longest time for which a checkout can be pending (docs/rules.md, "Fields").
const longestCheckout = "interval '1 day'"

// EndBuyers removes the buyers' data of checkouts that ended before a time, a batch of at most an hour of
// creations at a time, and reports whether there may be more. It passes over each checkout once; those whose
// buyers are still needed are left to EndKeptBuyers.
func EndBuyers(ctx context.Context, db *DB, before time.Time) (more bool, err error) {
	err = db.inPiece(ctx, func(ctx context.Context, q Querier) (err error) {
		more, err = endBuyers(ctx, q, before)
		return err
	})
	return more, err
}

func endBuyers(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	_, err = q.Exec(ctx, `INSERT INTO buyers_ended (through)
		SELECT coalesce(min(created_at), $1::timestamptz) FROM accounts ON CONFLICT DO NOTHING`, before)
	if err != nil {
		return false, err
	}
	// The span is known to the planner, so it reads the checkouts of the span alone, and none if there is no span.
	var since, until time.Time
	err = q.QueryRow(ctx, `SELECT through, least(through + interval '1 hour', $1::timestamptz - `+longestCheckout+`)
		FROM buyers_ended WHERE through < $1::timestamptz - `+longestCheckout+` FOR UPDATE`, before).
		Scan(&since, &until)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	err = q.QueryRow(ctx, endBuyersWithin, before, deletedAtOnce, since, until).Scan(&more)
	return more, err
}

// endBuyersWithin ends the buyers of up to $2 checkouts created from $3 to before $4. It looks for them by project,
// because the update moves the rows to the newest blocks of the table: after a year each block has rows of two years,
// and the index of all creations names every block of a year for each hour of the year before.
const endBuyersWithin = `WITH found AS MATERIALIZED (
		SELECT c.id FROM projects j CROSS JOIN (VALUES (false), (true)) AS e (livemode) CROSS JOIN LATERAL (
			SELECT c.id FROM checkouts c WHERE c.project_id = j.id AND c.livemode = e.livemode
				AND c.created_at >= $3 AND c.created_at < $4 AND ` + hasBuyer + `
				AND NOT EXISTS (SELECT FROM buyers_kept k WHERE k.checkout_id = c.id) OFFSET 0) c
		ORDER BY c.id LIMIT $2
	), due AS MATERIALIZED (
		SELECT c.id, ` + endedBy + ` AND NOT ` + needsBuyer + ` AS ends FROM checkouts c
		WHERE c.id IN (SELECT id FROM found) ORDER BY c.id FOR UPDATE OF c
	), ended AS (
		UPDATE checkouts c SET ` + emptyBuyer + ` FROM due WHERE c.id = due.id AND due.ends
	), kept AS (
		INSERT INTO buyers_kept SELECT id FROM due WHERE NOT ends ON CONFLICT DO NOTHING
	)
	UPDATE buyers_ended SET through = CASE WHEN (SELECT count(*) FROM due) < $2 THEN $4::timestamptz
		ELSE $3::timestamptz END
	RETURNING true`

// EndKeptBuyers removes the data of buyers that EndBuyers kept and that are no longer needed, up to a limit, and
// reports whether there may be more.
func EndKeptBuyers(ctx context.Context, db *DB, before time.Time) (more bool, err error) {
	err = db.inPiece(ctx, func(ctx context.Context, q Querier) error {
		tag, err := q.Exec(ctx, endKeptBuyers, before, deletedAtOnce)
		more = tag.RowsAffected() == deletedAtOnce
		return err
	})
	return more, err
}

const endKeptBuyers = `WITH due AS MATERIALIZED (
		SELECT c.id FROM buyers_kept k JOIN checkouts c ON c.id = k.checkout_id
		WHERE ` + endedBy + ` AND NOT ` + needsBuyer + ` ORDER BY c.id LIMIT $2 FOR UPDATE OF c
	), ended AS (
		UPDATE checkouts c SET ` + emptyBuyer + ` FROM due WHERE c.id = due.id
	)
	DELETE FROM buyers_kept WHERE checkout_id IN (SELECT id FROM due)`
