package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// WithdrawalReturn is money of a completed withdrawal that came back, the whole or a part.
type WithdrawalReturn struct {
	ID           string
	WithdrawalID string
	ReturnID     *string // assigned by the payment system; nil if staff noted it, or if the bank does not say it
	BankReturnID *string // its id in its Pix at the bank; nil if staff noted it
	Amount       money.Cents
	ReturnedAt   time.Time // by the bank's clock
	RecordedAt   time.Time
	CreatedBy    *string // the person who noted it; nil if it was found at the bank
}

// InsertWithdrawalReturn writes money that came back. The caller has locked the withdrawal, which is COMPLETED.
// More than was paid out is refused.
func InsertWithdrawalReturn(tx *Tx, r *WithdrawalReturn) error {
	return tx.exec(`INSERT INTO withdrawal_returns (id, withdrawal_id, return_id, bank_return_id, amount, returned_at,
			recorded_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, r.ID, r.WithdrawalID, r.ReturnID, r.BankReturnID, r.Amount,
		r.ReturnedAt, r.RecordedAt, r.CreatedBy)
}

// WithdrawalReturns lists what came back of a withdrawal, oldest first. There is nothing for one that came back
// before the parts were recorded.
func WithdrawalReturns(ctx context.Context, q Querier, withdrawalID string) ([]WithdrawalReturn, error) {
	return collect[WithdrawalReturn](ctx, q, `SELECT id, withdrawal_id, return_id, bank_return_id, amount, returned_at,
			recorded_at, created_by
		FROM withdrawal_returns WHERE withdrawal_id = $1 ORDER BY recorded_at, id`, withdrawalID)
}

// LockedWithdrawalReturns is WithdrawalReturns in a transaction that has locked the withdrawal.
func LockedWithdrawalReturns(tx *Tx, withdrawalID string) ([]WithdrawalReturn, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]WithdrawalReturn, error) {
		return WithdrawalReturns(ctx, q, withdrawalID)
	})
}
