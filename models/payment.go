package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// Payment is a Pix that arrived at the institution.
type Payment struct {
	ID         string
	Livemode   bool
	EndToEndID string // the institution's, unique in its environment
	TxID       string
	CheckoutID *string // nil: no checkout has this TxID
	Settles    bool    // it made the checkout PAID
	Amount     money.Cents
	Fee        money.Cents
	PaidAt     time.Time // the institution's time
	RecordedAt time.Time
}

// ExceptionKind says why a payment changed no checkout (decisions, 4).
type ExceptionKind string

const (
	ExceptionLate      ExceptionKind = "LATE"
	ExceptionUnderpaid ExceptionKind = "UNDERPAID"
	ExceptionOverpaid  ExceptionKind = "OVERPAID"
	ExceptionDuplicate ExceptionKind = "DUPLICATE"
	ExceptionUnmatched ExceptionKind = "UNMATCHED"
)

// InsertPayment writes p, unless a payment with its EndToEndID is there already:
// then it reports false. A concurrent twin is waited for.
func InsertPayment(tx *Tx, p *Payment) (inserted bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `INSERT INTO payments
			(id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (livemode, end_to_end_id) DO NOTHING`,
			p.ID, p.Livemode, p.EndToEndID, p.TxID, p.CheckoutID, p.Settles, p.Amount, p.Fee, p.PaidAt, p.RecordedAt)
		inserted = tag.RowsAffected() == 1
		return err
	})
	return inserted, err
}

// InsertException opens an exception about a payment.
func InsertException(tx *Tx, paymentID string, kind ExceptionKind, at time.Time) error {
	return tx.Exec("INSERT INTO payment_exceptions (payment_id, kind, created_at) VALUES (?, ?, ?)", paymentID, kind, at).Error
}

// Settling is the payment that made a checkout PAID, and how far its money has come.
type Settling struct {
	EndToEndID       string
	Amount, Fee      money.Cents
	SettlementStatus SettlementStatus
}

// SettlingPayment returns the payment of a paid checkout of the scope, or ErrNotFound.
func SettlingPayment(ctx context.Context, q Querier, scope Scope, checkoutID string) (*Settling, error) {
	var p Settling
	err := q.QueryRow(ctx, `SELECT p.end_to_end_id, p.amount, p.fee, c.settlement_status
		FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE p.checkout_id = $1 AND p.settles AND c.project_id = $2 AND c.livemode = $3`,
		checkoutID, scope.ProjectID, scope.Livemode).Scan(&p.EndToEndID, &p.Amount, &p.Fee, &p.SettlementStatus)
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}
