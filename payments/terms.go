package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// Terms are an account's fees and limits at a moment: its own if staff have set them, otherwise
// the installation's.
type Terms struct {
	Fee                  money.Fee // of charges
	WithdrawalFee        money.Fee
	MinAmount, MaxAmount money.Cents   // of one charge
	SettlementDelay      time.Duration // from a live payment until its money is available
	DestinationHold      time.Duration // from a destination's approval until its first use
	WebhookEndpoints     int64         // that a project may have in an environment
}

// TermsAt returns the terms of an account at a moment.
func (s *Service) TermsAt(ctx context.Context, account *models.Account, at time.Time) (Terms, error) {
	fee, err := models.FeeAt(ctx, s.DB.Pool, account.ID, at)
	if err != nil {
		return Terms{}, fmt.Errorf("payments: read the fee of %s: %w", account.ID, err)
	}
	withdrawalFee, err := s.withdrawalFeeAt(ctx, s.DB.Pool, account.ID, at)
	if err != nil {
		return Terms{}, err
	}
	terms := s.Resolve(account.Limits.At(at))
	terms.Fee, terms.WithdrawalFee = fee, withdrawalFee
	return terms, nil
}

// withdrawalFeeAt returns the fee of withdrawals that an account requests at a moment: its own,
// or the installation's.
func (s *Service) withdrawalFeeAt(ctx context.Context, q models.Querier, accountID string,
	at time.Time) (money.Fee, error) {
	own, err := models.WithdrawalFeeAt(ctx, q, accountID, at)
	switch {
	case err != nil:
		return money.Fee{}, fmt.Errorf("payments: read the withdrawal fee of %s: %w", accountID, err)
	case own == nil:
		return s.Withdrawals.Fee, nil
	}
	return *own, nil
}

// Resolve returns the limits with the installation's values for those that are nil. It does
// not set the fees.
func (s *Service) Resolve(own models.Limits) Terms {
	terms := Terms{
		MinAmount: s.AmountMin, MaxAmount: s.AmountMax,
		SettlementDelay: s.SettlementDelayLive, DestinationHold: s.Withdrawals.Hold,
		WebhookEndpoints: own.Endpoints(),
	}
	if own.MinAmount != nil {
		terms.MinAmount = *own.MinAmount
	}
	if own.MaxAmount != nil {
		terms.MaxAmount = *own.MaxAmount
	}
	if own.SettlementDelay != nil {
		terms.SettlementDelay = time.Duration(*own.SettlementDelay) * time.Second
	}
	if own.DestinationHold != nil {
		terms.DestinationHold = time.Duration(*own.DestinationHold) * time.Second
	}
	return terms
}

// Bounds returns the smallest and the largest charge that an account may make now.
func (s *Service) Bounds(account *models.Account) (least, most money.Cents) {
	terms := s.Resolve(account.Limits.At(s.now()))
	return terms.MinAmount, terms.MaxAmount
}

// OutOfBounds is the cause of a refused charge whose amount is outside of the account's
// limits.
type OutOfBounds struct{ Min, Max money.Cents }

// Error implements error.
func (e OutOfBounds) Error() string {
	return fmt.Sprintf("payments: the account charges %s to %s", e.Min.Decimal(), e.Max.Decimal())
}

// withinBounds refuses an amount that the account may not charge now. The refusal is
// InvalidRequestBody with the cause OutOfBounds.
func (s *Service) withinBounds(account *models.Account, amount money.Cents) error {
	least, most := s.Bounds(account)
	if amount >= least && amount <= most {
		return nil
	}
	return refusal.New(refusal.InvalidRequestBody,
		"amount must be %d to %d centavos for this account (R$ %s to R$ %s).",
		least, most, least.Decimal(), most.Decimal()).Because(OutOfBounds{least, most})
}
