package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// NewBankCharge is a charge to be written, with the idempotency key of the request for it.
type NewBankCharge struct {
	TxID           string
	ProjectID      string
	CheckoutID     string
	PaymentLinkID  *string // the link that creates the checkout; nil without one
	Generation     int
	Amount         int64 // centavos
	Expiration     int   // seconds
	CreatedAt      time.Time
	IdempotencyKey string // "" for none
	RequestHash    []byte // SHA-256 of the canonical body
	Resumed        bool   // an earlier request bound the key to this checkout
}

// BegunCharge is the outcome of a NewBankCharge.
type BegunCharge struct {
	// BankAccountID is the account that was pinned: the active one of the merchant, otherwise that of the
	// installation. It is "" if no account is active: then only the key is written.
	BankAccountID string
	// Begun means that the charge is written, now or by an earlier call for it. If it is false in spite of
	// an account, the key is taken.
	Begun bool
}

// claimKeys is a step of a WITH whose step "given" has requests in live or test. It writes their
// idempotency keys, except those that are taken.
const claimKeys = `claim AS (
	INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
	SELECT project_id, livemode, CASE WHEN payment_link_id IS NULL
		THEN '` + OperationCheckout + `' ELSE '` + OperationLinkCheckout + `' END,
		key, request_hash, id, created_at
	FROM given WHERE key <> '' AND NOT resumed ORDER BY key
	ON CONFLICT DO NOTHING RETURNING resource_id
)`

// beginBankCharges writes keys and charges in one statement.
const beginBankCharges = `WITH given AS (
	SELECT t.*, true AS livemode FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[],
		$6::bigint[], $7::integer[], $8::timestamptz[], $9::text[], $10::bytea[], $11::boolean[])
		AS t (txid, project_id, id, payment_link_id, generation, amount, expiration, created_at, key, request_hash,
		resumed)
	WHERE ` + briefly + `
), account AS (
	SELECT project_id, charging_bank_account(project_id) AS id FROM (SELECT DISTINCT project_id FROM given) p
), ` + claimKeys + `, begun AS (
	INSERT INTO bank_charges (txid, bank_account_id, project_id, checkout_id, generation, amount, expiration,
		created_at, next_check_at)
	SELECT g.txid, account.id, g.project_id, g.id, g.generation, g.amount, g.expiration, g.created_at,
		g.created_at + make_interval(secs => $12)
	FROM given g JOIN account USING (project_id)
	WHERE account.id IS NOT NULL AND (g.key = '' OR g.resumed OR g.id IN (SELECT resource_id FROM claim))
	ORDER BY g.txid ON CONFLICT DO NOTHING RETURNING txid, bank_account_id
)
SELECT g.txid, coalesce(begun.bank_account_id, b.bank_account_id, account.id, ''),
	begun.txid IS NOT NULL OR b.txid IS NOT NULL
FROM given g LEFT JOIN account USING (project_id) LEFT JOIN begun ON begun.txid = g.txid
	LEFT JOIN bank_charges b ON b.txid = g.txid AND b.status = 'CREATING' AND (g.key = '' OR g.resumed)`

// BankChargeWriter writes charges that are begun at the same time in one commit. It is safe for
// concurrent use.
type BankChargeWriter struct {
	batch *Batch[*NewBankCharge, BegunCharge]
}

// State returns the state of its batch.
func (w *BankChargeWriter) State() BatchState { return w.batch.State() }

// NewBankChargeWriter returns a writer that writes up to 64 charges per commit to q, in two commits at a
// time. A charge without a checkout is given up after a time.
func NewBankChargeWriter(q Querier, givenUpAfter time.Duration) *BankChargeWriter {
	return &BankChargeWriter{NewBatch(64, 2, func(ctx context.Context, in []*NewBankCharge) ([]BegunCharge, error) {
		return insertBankCharges(ctx, q, in, givenUpAfter)
	})}
}

// Write writes n, once for each TxID. If ctx ends, it may still be written. Write fails with
// ErrOverloaded if too many charges are waiting.
func (w *BankChargeWriter) Write(ctx context.Context, n *NewBankCharge) (BegunCharge, error) {
	return w.batch.Add(ctx, n)
}

func insertBankCharges(ctx context.Context, q Querier, in []*NewBankCharge,
	givenUpAfter time.Duration) ([]BegunCharge, error) {
	n := len(in)
	txIDs, projects, ids, links := make([]string, n), make([]string, n), make([]string, n), make([]*string, n)
	generations, amounts, expirations := make([]int, n), make([]int64, n), make([]int, n)
	created, keys, hashes, resumed := make([]time.Time, n), make([]string, n), make([][]byte, n), make([]bool, n)
	for i, c := range in {
		txIDs[i], projects[i], ids[i], links[i] = c.TxID, c.ProjectID, c.CheckoutID, c.PaymentLinkID
		generations[i], amounts[i], expirations[i] = c.Generation, c.Amount, c.Expiration
		created[i], keys[i], hashes[i], resumed[i] = c.CreatedAt, c.IdempotencyKey, c.RequestHash, c.Resumed
	}
	rows, err := q.Query(ctx, beginBankCharges, txIDs, projects, ids, links, generations, amounts, expirations,
		created, keys, hashes, resumed, givenUpAfter.Seconds())
	if err != nil {
		return nil, err
	}
	byTxID := make(map[string]BegunCharge, n)
	var txID string
	var one BegunCharge
	if _, err := pgx.ForEachRow(rows, []any{&txID, &one.BankAccountID, &one.Begun}, func() error {
		byTxID[txID] = one
		return nil
	}); err != nil {
		return nil, err
	}
	out := make([]BegunCharge, n)
	for i, txID := range txIDs {
		out[i] = byTxID[txID]
	}
	return out, nil
}
