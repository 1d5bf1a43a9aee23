package models

import (
	"context"
	"time"
)

// ContestablePayment is a received payment of any account, whether it paid its checkout or not.
type ContestablePayment struct {
	Payment
	AccountID string // "" if the payment was for no checkout
	// Decision is what staff decided about a payment that changed no checkout, nil while they have not.
	Decision *ExceptionDecision
	Own      bool // it arrived at the merchant's own bank account
}

// Credited reports whether the payment's money came into its account's books.
func (p *ContestablePayment) Credited() bool {
	return p.Settles || p.Decision != nil && *p.Decision == ExceptionAccepted
}

// LockContestable returns a payment and locks its row, and that of its exception, until tx ends, or returns
// ErrNotFound. The caller has locked its checkout.
func LockContestable(tx *Tx, id string) (*ContestablePayment, error) {
	var p ContestablePayment
	err := tx.PGX(func(ctx context.Context, conn Querier) error {
		err := conn.QueryRow(ctx, `SELECT p.id, p.livemode, p.end_to_end_id, p.txid, p.checkout_id, p.settles, p.amount,
				p.fee, p.paid_at, p.recorded_at, p.bank_account_id, coalesce(j.account_id, ''),
				b.account_id IS NOT NULL
			FROM payments p LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
				LEFT JOIN checkouts c ON c.id = p.checkout_id LEFT JOIN projects j ON j.id = c.project_id
			WHERE p.id = $1 FOR NO KEY UPDATE OF p`, id).Scan(&p.ID, &p.Environment, &p.EndToEndID, &p.TxID,
			&p.CheckoutID, &p.Settles, &p.Amount, &p.Fee, &p.PaidAt, &p.RecordedAt, &p.BankAccountID, &p.AccountID,
			&p.Own)
		if err != nil || p.Settles {
			return err
		}
		return conn.QueryRow(ctx, `SELECT decision, coalesce(account_id, $2) FROM payment_exceptions
			WHERE payment_id = $1 FOR UPDATE`, id, p.AccountID).Scan(&p.Decision, &p.AccountID)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// CheckoutMeant returns the checkout that a payment was for, nil if there is none, or ErrNotFound if there
// is no such payment.
func CheckoutMeant(tx *Tx, paymentID string) (checkoutID *string, err error) {
	if !paymentShape.fits(paymentID) {
		return nil, ErrNotFound
	}
	return checkoutID, tx.Scan("SELECT checkout_id FROM payments WHERE id = $1", []any{paymentID}, &checkoutID)
}

// PaymentAt returns the payment that a bank account received with an EndToEndID, or ErrNotFound. Without a
// bank account it is one of the simulator.
func PaymentAt(ctx context.Context, q Querier, bankAccountID *string, endToEndID string) (id string, err error) {
	err = q.QueryRow(ctx, `SELECT id FROM payments WHERE livemode AND end_to_end_id = $2
		AND bank_account_id IS NOT DISTINCT FROM $1::text`, bankAccountID, endToEndID).Scan(&id)
	return id, notFound(err)
}

// DisputeReading says which disputes of a bank account are to be listed: those opened from a time on. Afterwards all
// that were opened before KnownUntil are known.
type DisputeReading struct {
	Since, KnownUntil time.Time
}

// ClaimDisputeReading returns the next reading of the disputes of a bank account if it is time: they were read before
// a time, or never. Otherwise it returns nil. It writes that they are read now. The reading begins where the last
// complete one ended, or with the oldest dispute that is open; before the first complete one with the oldest that is
// open, or the newest if none is, or the start of the account. Those about Pix that are not recorded yet, after the
// watermark, become known later.
func ClaimDisputeReading(ctx context.Context, q Querier, bankAccountID string, now, before time.Time) (
	*DisputeReading, error) {
	due, err := collect[DisputeReading](ctx, q, `UPDATE bank_sweeps SET disputes_read_at = $2
		WHERE bank_account_id = $1 AND (disputes_read_at IS NULL OR disputes_read_at <= $3)
		RETURNING coalesce(least(disputes_known_until,
				(SELECT min(opened_at) FROM disputes WHERE bank_account_id = $1 AND closed_at IS NULL)),
			(SELECT max(opened_at) FROM disputes WHERE bank_account_id = $1), started_at) AS since,
			least($2, watermark) AS known_until`, bankAccountID, now, before)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return &due[0], nil
}

// SaveDisputesKnown writes that all disputes of a bank account that were opened before a time are known.
func SaveDisputesKnown(ctx context.Context, q Querier, bankAccountID string, until time.Time) error {
	_, err := q.Exec(ctx, "UPDATE bank_sweeps SET disputes_known_until = $2 WHERE bank_account_id = $1", bankAccountID,
		until)
	return err
}

// HurryDisputeRead makes the next reading of a bank account's disputes due at once.
func HurryDisputeRead(tx *Tx, bankAccountID string) error {
	return tx.exec("UPDATE bank_sweeps SET disputes_read_at = NULL WHERE bank_account_id = $1", bankAccountID)
}

// ClaimAnswer writes that the answer to a dispute begins to go to the bank, and reports whether it may: it
// was not sent, and none began to go there since a time.
func ClaimAnswer(ctx context.Context, q Querier, id string, now, before time.Time) (claimed bool, err error) {
	tag, err := q.Exec(ctx, `UPDATE disputes SET sending_at = $2 WHERE id = $1 AND status IN ('DEFENDED', 'ACCEPTED')
		AND defense_sent_at IS NULL AND (sending_at IS NULL OR sending_at <= $3)`, id, now, before)
	return tag.RowsAffected() == 1, err
}

// DisputesEnding lists disputes whose answer has not reached the bank and whose deadline lies between two
// times, the earliest first.
func DisputesEnding(ctx context.Context, q Querier, after, until time.Time) ([]Dispute, error) {
	return collect[Dispute](ctx, q, disputeQuery+`WHERE d.status IN ('OPEN', 'DEFENDED', 'ACCEPTED')
		AND d.defense_sent_at IS NULL AND d.answer_by > $1 AND d.answer_by <= $2 ORDER BY d.answer_by, d.id`,
		after, until)
}

// OddDispute is a dispute in a status that the gateway does not know.
type OddDispute struct {
	ID         string
	BankRef    string
	BankStatus string // the bank's word
}

// OddDisputes lists the disputes of a bank account that are open and of whose status the gateway does not know
// the word, and those that were closed after a time, but not by staff, newest first, at most limit.
func OddDisputes(ctx context.Context, q Querier, bankAccountID string, since time.Time, limit int) ([]OddDispute,
	error) {
	return collect[OddDispute](ctx, q, `SELECT id, bank_ref, bank_status FROM disputes
		WHERE bank_account_id = $1 AND bank_status <> ''
			AND (closed_at IS NULL OR closed_at >= $2 AND closed_by IS NULL)
		ORDER BY opened_at DESC, id LIMIT $3`, bankAccountID, since, limit)
}
