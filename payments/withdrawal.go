package payments

import (
	"context"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
)

// MinWithdrawal is the smallest withdrawal (decisions, 7).
const MinWithdrawal money.Cents = 5_00

// Rail is how a withdrawal leaves (contract 2.7).
type Rail string

const (
	RailPix  Rail = "BRL_PIX"
	RailUSDT Rail = "USDT_WALLET"
)

// NewWithdrawal is what a merchant asks for, for live. The caller has checked its
// fields.
type NewWithdrawal struct {
	Rail           Rail
	Amount         money.Cents
	IdempotencyKey string
	RequestHash    []byte
}

// CreateWithdrawal refuses what the account's switches forbid, in the order of
// decisions 2.12, and then for want of an approved destination: no account can
// have one yet. Faults: IdempotencyConflict, Forbidden, AccountSuspended,
// WithdrawalsBlocked, WithdrawalReadinessRequired.
func (s *Service) CreateWithdrawal(ctx context.Context, account *models.Account, in NewWithdrawal) error {
	const operation = "withdrawal"
	if _, err := s.resourceOf(ctx, account.ID, true, operation, in.IdempotencyKey, in.RequestHash); err != nil {
		return err
	}
	switch {
	case account.ProductionAccess != models.AccessApproved:
		return notApproved
	case account.Suspended:
		return suspended
	case account.WithdrawalsBlocked:
		return fault.New(fault.WithdrawalsBlocked, "Withdrawals of this account are blocked. Its members see the reason in the dashboard.")
	}
	return fault.New(fault.WithdrawalReadinessRequired, "The account has no approved destination for the rail %s.", in.Rail)
}

var suspended = fault.New(fault.AccountSuspended, "This account is suspended. Its members see the reason in the dashboard.")
