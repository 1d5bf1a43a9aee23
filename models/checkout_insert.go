package models

import (
	"context"
)

// OperationCheckout is the idempotency scope of POST /v1/checkouts.
const OperationCheckout = "checkout"

// NewCheckout is a checkout about to be written, with its first event and, if the
// client sent one, its idempotency key.
type NewCheckout struct {
	Checkout
	Created        Event  // checkout.created; ID, Body and CreatedAt are used
	IdempotencyKey string // "" for none
	RequestHash    []byte // SHA-256 of the canonical body
	Resumed        bool   // the key was bound to this id by an earlier request
}

// insertCheckout writes a checkout, its key, its event, the deliveries and their
// jobs as one statement: one round trip and one commit. A key that is taken, or a
// checkout that exists, makes everything after it a no-op; a request in flight
// with the same key is waited for.
const insertCheckout = `WITH claim AS (
	INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
	SELECT $2, $3, '` + OperationCheckout + `', $18, $19, $1, $14 WHERE $18::text <> '' AND NOT $20
	ON CONFLICT DO NOTHING RETURNING key
), made AS (
	INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id, customer_name, customer_email,
		customer_document, customer_phone, metadata, txid, copy_paste, created_at, expires_at, qr_png, payment_link_id)
	SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $21, $22
	WHERE $18 = '' OR $20 OR EXISTS (SELECT FROM claim)
	ON CONFLICT (id) DO NOTHING RETURNING id
), told AS (
	INSERT INTO events (id, project_id, livemode, type, checkout_id, body, created_at)
	SELECT $16, $2, $3, '` + EventCheckoutCreated + `', id, $17, $14 FROM made
	RETURNING id, project_id, livemode, type, created_at
), ` + deliverTold + `
SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM queued)`

// InsertCheckout writes n in one round trip. It reports whether the checkout was
// made, false when the idempotency key is taken, and whether deliveries wait for
// a worker.
func InsertCheckout(ctx context.Context, q Querier, n *NewCheckout) (made, queued bool, err error) {
	c := &n.Checkout
	var checkouts, jobs int
	err = q.QueryRow(ctx, insertCheckout,
		c.ID, c.ProjectID, c.Livemode, c.Amount, c.Description, c.ExternalID, c.CustomerName, c.CustomerEmail,
		c.CustomerDocument, c.CustomerPhone, c.Metadata, c.TxID, c.CopyPaste, c.CreatedAt, c.ExpiresAt,
		n.Created.ID, n.Created.Body, n.IdempotencyKey, n.RequestHash, n.Resumed, c.QRPNG, c.PaymentLinkID,
	).Scan(&checkouts, &jobs)
	return checkouts == 1, jobs > 0, err
}
