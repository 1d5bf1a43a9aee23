package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// Terms are an account's fee and limits at a moment: its own if staff have set them, otherwise
// the installation's.
type Terms struct {
	Fee                  money.Fee
	MinAmount, MaxAmount money.Cents   // of one charge
	SettlementDelay      time.Duration // from a live payment until its money is available
	DestinationHold      time.Duration // from a destination's approval until its first use
}

// TermsAt returns the terms of an account at a moment.
func (s *Service) TermsAt(ctx context.Context, account *models.Account, at time.Time) (Terms, error) {
	fee, err := models.FeeAt(ctx, s.DB.Pool, account.ID, at)
	if err != nil {
		return Terms{}, fmt.Errorf("payments: read the fee of %s: %w", account.ID, err)
	}
	terms := s.Resolve(account.Limits.At(at))
	terms.Fee = fee
	return terms, nil
}

// Resolve returns the limits with the installation's values for those that are nil. It does
// not set the fee.
func (s *Service) Resolve(own models.Limits) Terms {
	terms := Terms{
		MinAmount: s.AmountMin, MaxAmount: s.AmountMax,
		SettlementDelay: s.SettlementDelayLive, DestinationHold: s.Withdrawals.Hold,
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
