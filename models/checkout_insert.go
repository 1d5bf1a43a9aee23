package models

import (
	"context"
	"time"
)

// Scopes of idempotency keys, one for each operation that creates checkouts: POST
// /v1/checkouts, and the form of a payment link.
const (
	OperationCheckout     = "checkout"
	OperationLinkCheckout = "link_checkout"
)

// NewCheckout is a checkout to be written, with its first event and, if the client sent one,
// its idempotency key.
type NewCheckout struct {
	Checkout
	Created        Event         // checkout.created; ID and Body are used
	IdempotencyKey string        // "" for none
	RequestHash    []byte        // SHA-256 of the canonical body
	Resumed        bool          // an earlier request bound the key to this id
	Opened         *OpenedCharge // the charge at a bank; nil at the simulator
	Units          *int          // of the link's stock that it holds; nil without a stock
}

// OpenedCharge is a charge that a bank has accepted. Its checkout is written only while the charge is
// CREATING, and opens it.
type OpenedCharge struct {
	BankCreatedAt, PayableUntil time.Time // by the bank's clock
	Revision                    int
	FirstLookAt                 time.Time
}

// insertCheckouts writes checkouts with their keys, events and deliveries in one statement: one round trip and one
// commit for any number of checkouts. It writes nothing for a key that is taken, a checkout that exists, or a charge at
// a bank that is no longer CREATING. If a request in progress has the same key, the statement waits for it.
var insertCheckouts = `WITH given AS (
	SELECT t.* FROM unnest($1::text[], $2::text[], $3::boolean[],
		$4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
		$9::bytea[], $10::bytea[], $11::bytea[], $12::text[], $13::text[], $14::text[], $15::bytea[],
		$16::timestamptz[], $17::timestamptz[], $18::text[], $19::text[], $20::bytea[], $21::text[], $22::bytea[],
		$23::boolean[], $24::timestamptz[], $25::timestamptz[], $26::integer[], $27::timestamptz[], $28::integer[])
		AS t (id, project_id, livemode, amount, description, external_id, customer_name, customer_email,
		sealed_document, document_digest, customer_phone, metadata, txid, copy_paste, qr_png, created_at, expires_at,
		payment_link_id, event_id, body, key, request_hash, resumed, bank_created_at, payable_until, revision,
		first_look_at, units)
	WHERE ` + briefly + `
), ` + claimKeys + `, opened AS (
	UPDATE bank_charges b SET status = 'OPEN', bank_created_at = g.bank_created_at, payable_until = g.payable_until,
		revision = g.revision, checks = 0, next_check_at = g.first_look_at
	FROM given g WHERE g.payable_until IS NOT NULL AND b.txid = g.txid AND b.status = 'CREATING'
	RETURNING b.txid
), made AS (
	INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id, customer_name, customer_email,
		sealed_document, document_digest, customer_phone, metadata, txid, copy_paste, qr_png, created_at, expires_at,
		payment_link_id, units)
	SELECT id, project_id, livemode, amount, description, external_id, customer_name, customer_email,
		sealed_document, document_digest, customer_phone, metadata::jsonb, txid, copy_paste, qr_png, created_at,
		expires_at, payment_link_id, units
	FROM given WHERE (key = '' OR resumed OR id IN (SELECT resource_id FROM claim))
		AND (payable_until IS NULL OR txid IN (SELECT txid FROM opened))
	ON CONFLICT (id) DO NOTHING RETURNING id
), told AS (
	INSERT INTO events (id, month, project_id, livemode, type, checkout_id, body, created_at)
	SELECT g.event_id, ` + monthOf("g.created_at") + `,
		g.project_id, g.livemode, '` + EventCheckoutCreated + `', g.id, g.body, g.created_at
	FROM given g JOIN made ON made.id = g.id
	RETURNING id, month, project_id, livemode, type, created_at
), ` + deliverTold + `
SELECT (SELECT array_agg(id) FROM made), ` + queuedTold

// columns holds the rows of a batch, column by column, as arguments of insertCheckouts.
type columns struct {
	id, project, description, external, metadata, txid, code, event, key []string
	name, email, link                                                    []*string
	live, resumed                                                        []bool
	amount                                                               []int64
	document, digest, phone, qr, body, hash                              [][]byte
	created, expires                                                     []time.Time
	bankCreated, payable, firstLook                                      []*time.Time
	revision                                                             []int
	units                                                                []*int
}

func (c *columns) add(n *NewCheckout) {
	c.id, c.project, c.live = append(c.id, n.ID), append(c.project, n.ProjectID), append(c.live, bool(n.Environment))
	c.amount = append(c.amount, int64(n.Amount))
	c.description, c.external = append(c.description, n.Description), append(c.external, n.ExternalID)
	c.name, c.email = append(c.name, n.CustomerName), append(c.email, n.CustomerEmail)
	c.document, c.digest = append(c.document, n.SealedDocument), append(c.digest, n.DocumentDigest)
	c.phone, c.metadata = append(c.phone, n.CustomerPhone), append(c.metadata, string(n.Metadata))
	c.txid, c.code, c.qr = append(c.txid, n.TxID), append(c.code, n.CopyPaste), append(c.qr, n.QRPNG)
	c.created, c.expires, c.link = append(c.created, n.CreatedAt), append(c.expires, n.ExpiresAt), append(c.link,
		n.PaymentLinkID)
	c.event, c.body = append(c.event, n.Created.ID), append(c.body, n.Created.Body)
	c.key, c.hash, c.resumed = append(c.key, n.IdempotencyKey), append(c.hash,
		n.RequestHash), append(c.resumed, n.Resumed)
	var bankCreated, payable, firstLook *time.Time
	var revision int
	if o := n.Opened; o != nil {
		bankCreated, payable, firstLook, revision = &o.BankCreatedAt, &o.PayableUntil, &o.FirstLookAt, o.Revision
	}
	c.bankCreated, c.payable = append(c.bankCreated, bankCreated), append(c.payable, payable)
	c.firstLook, c.revision = append(c.firstLook, firstLook), append(c.revision, revision)
	c.units = append(c.units, n.Units)
}

func (c *columns) args() []any {
	return []any{c.id, c.project, c.live, c.amount, c.description, c.external, c.name, c.email, c.document,
		c.digest, c.phone, c.metadata, c.txid, c.code, c.qr, c.created, c.expires, c.link, c.event, c.body, c.key,
		c.hash, c.resumed, c.bankCreated, c.payable, c.revision, c.firstLook, c.units}
}

// insertBatch writes a batch, all or nothing. It returns the ids of the checkouts that were
// created; the keys of the others were taken. It reports whether deliveries wait for a worker.
func insertBatch(ctx context.Context, q Querier, batch []*NewCheckout) (made map[string]bool, queued bool, err error) {
	var c columns
	for _, n := range batch {
		c.add(n)
	}
	var ids []string
	var waiting int
	if err := q.QueryRow(ctx, insertCheckouts, c.args()...).Scan(&ids, &waiting); err != nil {
		return nil, false, err
	}
	made = make(map[string]bool, len(ids))
	for _, id := range ids {
		made[id] = true
	}
	return made, waiting > 0, nil
}
