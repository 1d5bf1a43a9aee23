package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// Refund is money of a payment that was sent back to its buyer from the account's balance.
type Refund struct {
	ID          string
	PaymentID   string
	AccountID   string
	Environment Environment `gorm:"column:livemode" db:"livemode"`
	Number      int         // among the payment's refunds, from 1; 0 if older than the numbering
	Amount      money.Cents
	Reason      string
	ReturnID    *string // the refund's id at the institution
	CreatedBy   string
	CreatedAt   time.Time
}

// RefundedOf returns the sum and the number of the refunds of a payment. The result is
// complete if the caller has locked the payment.
func RefundedOf(tx *Tx, paymentID string) (sum money.Cents, n int, err error) {
	err = tx.Scan("SELECT coalesce(sum(amount), 0)::bigint, count(*) FROM refunds WHERE payment_id = $1",
		[]any{paymentID}, &sum, &n)
	return sum, n, err
}

// RefundsNumberUnique is the index that makes the numbers of a payment's refunds unique.
const RefundsNumberUnique = "refunds_number_unique"

// RefundsWithinPayment is the constraint that limits the refunds of a payment to the amount
// that was paid.
const RefundsWithinPayment = "refunds_within_payment"

// RefundsReturnIDUnique is the constraint that makes ReturnIDs unique.
const RefundsReturnIDUnique = "refunds_return_id_unique"

// returnClass sets the locks of LockReturn apart from all others.
const returnClass = 0x67617274 // "gart"

// LockReturn keeps others from booking a return of the institution in the environment until
// tx ends, and reports whether a refund or an exception has booked the return.
func LockReturn(tx *Tx, environment Environment, returnID string) (booked bool, err error) {
	// Apart from the read: a statement that waited for the lock would not see what was booked.
	if err := tx.exec("SELECT pg_advisory_xact_lock($1, hashtext($2))", returnClass, returnID); err != nil {
		return false, err
	}
	err = tx.Scan(`SELECT EXISTS (SELECT FROM refunds WHERE livemode = $1 AND return_id = $2)
		OR EXISTS (SELECT FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
			WHERE p.livemode = $1 AND x.return_id = $2)`, []any{environment, returnID}, &booked)
	return booked, err
}

const refundColumns = "r.id, r.payment_id, r.account_id, r.livemode, coalesce(r.number, 0) AS number, r.amount, " +
	"r.reason, " +
	"r.return_id, r.created_by, r.created_at"

// InsertRefund writes a refund. Too large an amount violates RefundsWithinPayment, and a
// number that the payment has already violates RefundsNumberUnique.
func InsertRefund(tx *Tx, r *Refund) error { return tx.Create(r).Error }

// Refunds lists the refunds of a checkout's payments in the scope, oldest first.
func Refunds(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Refund, error) {
	return collect[Refund](ctx, q, "SELECT "+refundColumns+` FROM refunds r
		JOIN payments p ON p.id = r.payment_id JOIN checkouts c ON c.id = p.checkout_id
		WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3 ORDER BY r.created_at, r.id`,
		checkoutID, scope.ProjectID, scope.Environment)
}
