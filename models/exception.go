package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// ExceptionKind says why a payment changed no checkout (docs/rules.md, "Exceptions").
type ExceptionKind string

const (
	ExceptionLate      ExceptionKind = "LATE"
	ExceptionUnderpaid ExceptionKind = "UNDERPAID"
	ExceptionOverpaid  ExceptionKind = "OVERPAID"
	ExceptionDuplicate ExceptionKind = "DUPLICATE"
	ExceptionUnmatched ExceptionKind = "UNMATCHED"
)

// ExceptionDecision is the decision of staff about an exception.
type ExceptionDecision string

const (
	ExceptionAccepted   ExceptionDecision = "ACCEPTED"    // credited to the merchant
	ExceptionRefunded   ExceptionDecision = "REFUNDED"    // sent back to the buyer
	ExceptionWrittenOff ExceptionDecision = "WRITTEN_OFF" // kept by the installation
)

// Exception is a payment that changed no checkout, with its checkout and account, if any.
type Exception struct {
	PaymentID   string
	Kind        ExceptionKind
	Environment Environment `db:"livemode"`
	EndToEndID  string
	TxID        string
	Amount      money.Cents
	PaidAt      time.Time
	CreatedAt   time.Time

	BankAccountID *string // that received it; nil for the simulator

	CheckoutID  *string // nil if UNMATCHED and staff named none
	ExternalID  *string // the checkout's
	AccountID   *string // the checkout's, or to which staff gave the money, or the owner of the bank account
	AccountName *string
	Own         bool // the money is at the account's own bank account

	Decision  *ExceptionDecision // nil while the exception is open
	Fee       money.Cents        // charged at the acceptance
	Reason    *string
	ReturnID  *string // the refund's id at the institution
	DecidedBy *string // nil also for a return that was found at the bank
	DecidedAt *time.Time

	// A return by the bank, which staff asked for or which was found there.
	ReturnStatus    *RefundStatus // nil if there is none
	ReturnNumber    int           // of the request, in its id at the bank
	ReturnReason    *string
	ReturnBy        *string // the person who asked
	ReturnFailure   string  // in the bank's words
	ReturnTries     int     // how often the bank was asked
	ReturnNextTryAt *time.Time
	ReturnEndedAt   *time.Time
}

// Returning reports whether the bank is giving the money back, so that it cannot be decided otherwise.
func (x *Exception) Returning() bool { return x.ReturnNextTryAt != nil }

const exceptionSelect = `SELECT p.id AS payment_id, x.kind, p.livemode, p.end_to_end_id, p.txid,
	p.amount, p.paid_at, x.created_at,
	p.bank_account_id, c.id AS checkout_id, c.external_id, a.id AS account_id, a.name AS account_name,
	b.account_id IS NOT NULL AS own,
	x.decision, x.fee, x.reason, x.return_id, x.decided_by, x.decided_at,
	x.return_status, x.return_number, x.return_reason, x.return_by, x.return_failure, x.return_tries,
	x.return_next_try_at, x.return_ended_at`

const exceptionJoins = `JOIN payments p ON p.id = x.payment_id
	LEFT JOIN checkouts c ON c.id = coalesce(p.checkout_id, x.checkout_id) LEFT JOIN projects j ON j.id = c.project_id
		LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
		LEFT JOIN accounts a ON a.id = coalesce(x.account_id, j.account_id, b.account_id) `

const exceptionQuery = exceptionSelect + " FROM payment_exceptions x " + exceptionJoins

// InsertException writes an open exception for a payment.
func InsertException(tx *Tx, paymentID string, kind ExceptionKind, at time.Time) error {
	return tx.exec("INSERT INTO payment_exceptions (payment_id, kind, created_at) VALUES ($1, $2, $3)",
		paymentID, kind, at)
}

// ExceptionByPayment returns the exception of a payment of any account, or ErrNotFound.
func ExceptionByPayment(ctx context.Context, q Querier, paymentID string) (*Exception, error) {
	return exception(ctx, q, paymentID, "WHERE x.payment_id = $1")
}

// LockException is ExceptionByPayment and locks the row until tx ends.
func LockException(tx *Tx, paymentID string) (*Exception, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Exception, error) {
		return exception(ctx, q, paymentID, "WHERE x.payment_id = $1 FOR UPDATE OF x")
	})
}

func exception(ctx context.Context, q Querier, paymentID, where string) (*Exception, error) {
	if !paymentShape.fits(paymentID) {
		return nil, ErrNotFound
	}
	return one[Exception](ctx, q, exceptionQuery+where, paymentID)
}

// SaveDecision writes the decision about an exception that the caller has locked. AccountID is
// written only for ACCEPTED, and CheckoutID only for an UNMATCHED payment.
func SaveDecision(tx *Tx, x *Exception) error {
	var credited, named *string
	if *x.Decision == ExceptionAccepted {
		credited = x.AccountID
		if x.Kind == ExceptionUnmatched {
			named = x.CheckoutID
		}
	}
	return tx.exec(`UPDATE payment_exceptions
		SET decision = $2, account_id = $3, fee = $4, reason = $5, return_id = $6, decided_by = $7, decided_at = $8,
			checkout_id = $9, return_status = $10, return_failure = left($11, 200), return_next_try_at = $12,
			return_ended_at = $13
		WHERE payment_id = $1 AND decision IS NULL`,
		x.PaymentID, x.Decision, credited, x.Fee, x.Reason, x.ReturnID, x.DecidedBy, x.DecidedAt, named,
		x.ReturnStatus, x.ReturnFailure, x.ReturnNextTryAt, x.ReturnEndedAt)
}

// ExceptionFilter narrows a list for staff. The zero value selects everything.
type ExceptionFilter struct {
	Open        bool         // only open ones, oldest first; otherwise all, newest first
	Largest     bool         // the largest amounts first, without pages; requires Open
	Own         *bool        // whether the money is at an own bank account; nil means both
	Environment *Environment // nil means both environments
	AccountID   string
	After       *Position // the last row of the previous page: CreatedAt and PaymentID
	Limit       int
}

// Exceptions lists exceptions of all accounts, for staff.
func Exceptions(ctx context.Context, q Reader, f ExceptionFilter) ([]Exception, error) {
	query := where{args: []any{f.Limit}}
	order, sign := "DESC", "<"
	if f.Open {
		query.and("x.decision IS NULL")
		order, sign = "ASC", ">"
	}
	if f.Own != nil {
		query.and("(b.account_id IS NOT NULL) = %s", *f.Own)
	}
	if f.Environment != nil {
		query.and("p.livemode = %s", *f.Environment)
	}
	if f.AccountID != "" {
		query.and("a.id = %s", f.AccountID)
	}
	sorted := "x.created_at " + order + ", x.payment_id " + order
	if f.Largest {
		sorted = "p.amount DESC, x.created_at, x.payment_id"
	} else {
		query.after("x.created_at, x.payment_id", sign, f.After)
	}
	return collect[Exception](ctx, q, exceptionQuery+"WHERE true"+query.sql+" ORDER BY "+sorted+" LIMIT $1",
		query.args...)
}

// OpenExceptions counts the open exceptions of the scope's checkouts, and returns the checkout
// id of the latest one, "" if there is none.
func OpenExceptions(ctx context.Context, q Querier, scope Scope) (n int, checkoutID string, err error) {
	err = q.QueryRow(ctx,
		`SELECT count(*), coalesce((array_agg(c.id ORDER BY p.paid_at DESC, p.id))[1], '') FROM payment_exceptions x
			JOIN payments p ON p.id = x.payment_id JOIN checkouts c ON c.id = p.checkout_id
		WHERE x.decision IS NULL AND c.project_id = $1 AND c.livemode = $2`, scope.ProjectID,
		scope.Environment).Scan(&n, &checkoutID)
	return n, checkoutID, err
}
