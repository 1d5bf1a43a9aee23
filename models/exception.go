package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// ExceptionKind says why a payment changed no checkout (decisions, 4).
type ExceptionKind string

const (
	ExceptionLate      ExceptionKind = "LATE"
	ExceptionUnderpaid ExceptionKind = "UNDERPAID"
	ExceptionOverpaid  ExceptionKind = "OVERPAID"
	ExceptionDuplicate ExceptionKind = "DUPLICATE"
	ExceptionUnmatched ExceptionKind = "UNMATCHED"
)

// ExceptionDecision is what staff made of an exception.
type ExceptionDecision string

const (
	ExceptionAccepted   ExceptionDecision = "ACCEPTED"    // credited to the merchant
	ExceptionRefunded   ExceptionDecision = "REFUNDED"    // sent back to the buyer
	ExceptionWrittenOff ExceptionDecision = "WRITTEN_OFF" // kept by the installation
)

// Exception is a payment that changed no checkout, with the checkout and account
// that it was meant for, if any.
type Exception struct {
	PaymentID  string
	Kind       ExceptionKind
	Livemode   bool
	EndToEndID string
	TxID       string
	Amount     money.Cents
	PaidAt     time.Time
	CreatedAt  time.Time

	CheckoutID  *string // nil: UNMATCHED
	ExternalID  *string // of the checkout
	AccountID   *string // whose checkout it is
	AccountName *string

	Decision  *ExceptionDecision // nil: open
	Fee       money.Cents        // charged when it was accepted
	Reason    *string
	ReturnID  *string // the institution's name for the refund
	DecidedBy *string
	DecidedAt *time.Time
}

const exceptionQuery = `SELECT p.id, x.kind, p.livemode, p.end_to_end_id, p.txid, p.amount, p.paid_at, x.created_at,
	p.checkout_id, c.external_id, a.id, a.name, x.decision, x.fee, x.reason, x.return_id, x.decided_by, x.decided_at
	FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
	LEFT JOIN checkouts c ON c.id = p.checkout_id LEFT JOIN projects j ON j.id = c.project_id LEFT JOIN accounts a ON a.id = j.account_id `

func (x *Exception) targets() []any {
	return []any{&x.PaymentID, &x.Kind, &x.Livemode, &x.EndToEndID, &x.TxID, &x.Amount, &x.PaidAt, &x.CreatedAt,
		&x.CheckoutID, &x.ExternalID, &x.AccountID, &x.AccountName, &x.Decision, &x.Fee, &x.Reason, &x.ReturnID, &x.DecidedBy, &x.DecidedAt}
}

// InsertException opens an exception about a payment.
func InsertException(tx *Tx, paymentID string, kind ExceptionKind, at time.Time) error {
	return tx.Exec("INSERT INTO payment_exceptions (payment_id, kind, created_at) VALUES (?, ?, ?)", paymentID, kind, at).Error
}

// ExceptionByPayment returns the exception about a payment, of any account, or
// ErrNotFound.
func ExceptionByPayment(ctx context.Context, q Querier, paymentID string) (*Exception, error) {
	return exception(ctx, q, paymentID, "WHERE x.payment_id = $1")
}

// LockException is ExceptionByPayment and holds the row until tx ends.
func LockException(tx *Tx, paymentID string) (x *Exception, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		x, err = exception(ctx, conn, paymentID, "WHERE x.payment_id = $1 FOR UPDATE OF x")
		return err
	})
	return x, err
}

func exception(ctx context.Context, q Querier, paymentID, where string) (*Exception, error) {
	if !wellFormed(paymentID, "pay_", 20) {
		return nil, ErrNotFound
	}
	var x Exception
	if err := q.QueryRow(ctx, exceptionQuery+where, paymentID).Scan(x.targets()...); err != nil {
		return nil, notFound(err)
	}
	return &x, nil
}

// SaveDecision writes the decision about an exception that the caller holds.
// AccountID is written for an accepted one alone.
func SaveDecision(tx *Tx, x *Exception) error {
	var credited *string
	if *x.Decision == ExceptionAccepted {
		credited = x.AccountID
	}
	return tx.Exec(`UPDATE payment_exceptions SET decision = ?, account_id = ?, fee = ?, reason = ?, return_id = ?, decided_by = ?, decided_at = ?
		WHERE payment_id = ? AND decision IS NULL`, x.Decision, credited, x.Fee, x.Reason, x.ReturnID, x.DecidedBy, x.DecidedAt, x.PaymentID).Error
}

// ExceptionFilter narrows a list for staff. The zero value lists everything.
type ExceptionFilter struct {
	Open      bool  // undecided alone, the oldest first; else all, the newest first
	Livemode  *bool // of one environment; nil: of both
	AccountID string
	After     *Position // the last row of the page before: CreatedAt and PaymentID
	Limit     int
}

// Exceptions lists exceptions of all accounts, for staff.
func Exceptions(ctx context.Context, q Querier, f ExceptionFilter) ([]Exception, error) {
	sql, args := exceptionQuery+"WHERE true", []any{f.Limit}
	order, beyond := "DESC", "<"
	if f.Open {
		sql += " AND x.decision IS NULL"
		order, beyond = "ASC", ">"
	}
	if f.Livemode != nil {
		args = append(args, *f.Livemode)
		sql += place(" AND p.livemode = $%d", len(args))
	}
	if f.AccountID != "" {
		args = append(args, f.AccountID)
		sql += place(" AND a.id = $%d", len(args))
	}
	if f.After != nil {
		args = append(args, f.After.CreatedAt, f.After.ID)
		sql += place(" AND (x.created_at, x.payment_id) "+beyond+" ($%d, $%d)", len(args)-1, len(args))
	}
	rows, err := q.Query(ctx, sql+" ORDER BY x.created_at "+order+", x.payment_id "+order+" LIMIT $1", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (x Exception, err error) { return x, row.Scan(x.targets()...) })
}

// OpenExceptions counts the payments for checkouts of the scope that wait for a
// decision, and names the checkout of the latest, "" if there is none.
func OpenExceptions(ctx context.Context, q Querier, scope Scope) (n int, checkoutID string, err error) {
	err = q.QueryRow(ctx, `SELECT count(*), coalesce((array_agg(c.id ORDER BY p.paid_at DESC, p.id))[1], '') FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id JOIN checkouts c ON c.id = p.checkout_id
		WHERE x.decision IS NULL AND c.project_id = $1 AND c.livemode = $2`, scope.ProjectID, scope.Livemode).Scan(&n, &checkoutID)
	return n, checkoutID, err
}
