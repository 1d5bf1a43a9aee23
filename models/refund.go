package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// Refund is money of a payment that went back to its buyer out of the account's
// balance.
type Refund struct {
	ID        string
	PaymentID string
	AccountID string
	Livemode  bool
	Amount    money.Cents
	Reason    string
	ReturnID  *string // the institution's name for it
	CreatedBy string
	CreatedAt time.Time
}

// RefundedOf adds up what went back of a payment. Who holds the payment sees all of it.
func RefundedOf(tx *Tx, paymentID string) (sum money.Cents, err error) {
	err = tx.Raw("SELECT coalesce(sum(amount), 0)::bigint FROM refunds WHERE payment_id = ?", paymentID).Row().Scan(&sum)
	return sum, err
}

// RefundsWithinPayment is the constraint that keeps the refunds of a payment within
// what was paid.
const RefundsWithinPayment = "refunds_within_payment"

// RefundsReturnIDUnique is the constraint that keeps a ReturnID to one refund.
const RefundsReturnIDUnique = "refunds_return_id_unique"

const refundColumns = "r.id, r.payment_id, r.account_id, r.livemode, r.amount, r.reason, r.return_id, r.created_by, r.created_at"

func (r *Refund) targets() []any {
	return []any{&r.ID, &r.PaymentID, &r.AccountID, &r.Livemode, &r.Amount, &r.Reason, &r.ReturnID, &r.CreatedBy, &r.CreatedAt}
}

// InsertRefund writes a refund; too much violates RefundsWithinPayment.
func InsertRefund(tx *Tx, r *Refund) error { return tx.Create(r).Error }

// Refunds lists the refunds of a checkout's payments in the scope, oldest first.
func Refunds(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Refund, error) {
	rows, err := q.Query(ctx, "SELECT "+refundColumns+` FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN checkouts c ON c.id = p.checkout_id
		WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3 ORDER BY r.created_at, r.id`, checkoutID, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Refund, err error) { return r, row.Scan(r.targets()...) })
}
