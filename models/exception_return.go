package models

import (
	"context"
	"time"
)

// SaveExceptionReturn writes how far the return of an exception is that the caller has locked.
func SaveExceptionReturn(tx *Tx, x *Exception) error {
	return tx.exec(`UPDATE payment_exceptions SET return_status = $2, return_number = $3, return_reason = $4,
			return_by = $5, return_failure = left($6, 200), return_tries = $7, return_next_try_at = $8,
			return_ended_at = $9, return_id = $10
		WHERE payment_id = $1`, x.PaymentID, x.ReturnStatus, x.ReturnNumber, x.ReturnReason, x.ReturnBy,
		x.ReturnFailure, x.ReturnTries, x.ReturnNextTryAt, x.ReturnEndedAt, x.ReturnID)
}

// ForgetReturnDoubt removes what was noted about a return of an exception's money that is booked now. The caller has
// locked the exception.
func ForgetReturnDoubt(tx *Tx, paymentID string) error {
	return tx.exec("UPDATE payment_exceptions SET return_failure = '' WHERE payment_id = $1 AND return_status IS NULL",
		paymentID)
}

// ClaimExceptionReturns returns exceptions whose bank is to be asked to give the money back, or what has become
// of that. It puts their next try off until the lease is over, so that another process asks if this one ends.
func ClaimExceptionReturns(ctx context.Context, q Querier, bankAccountID string, now time.Time, lease time.Duration,
	limit int) ([]Exception, error) {
	return collect[Exception](ctx, q, `WITH due AS (
			SELECT x.payment_id FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
			WHERE x.return_next_try_at <= $2 AND p.bank_account_id = $1
			ORDER BY x.return_next_try_at LIMIT $4 FOR UPDATE OF x SKIP LOCKED
		), claimed AS (
			UPDATE payment_exceptions x SET return_next_try_at = $3, return_tries = x.return_tries + 1
			FROM due WHERE x.payment_id = due.payment_id RETURNING x.*
		) `+exceptionSelect+" FROM claimed x "+exceptionJoins, bankAccountID, now, now.Add(lease), limit)
}

// ExceptionAtBank returns the exception of a live Pix that a bank received, or ErrNotFound. It locks the row.
func ExceptionAtBank(tx *Tx, endToEndID string) (*Exception, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Exception, error) {
		return one[Exception](ctx, q, exceptionQuery+`WHERE p.livemode AND p.end_to_end_id = $1
			AND p.bank_account_id IS NOT NULL FOR UPDATE OF x`, endToEndID)
	})
}
