package payments

import (
	"context"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/internal/usdt/quote"
	"garoupa/models"
)

// SeenWithdrawal is what a person agreed to when requesting a withdrawal.
type SeenWithdrawal struct {
	DestinationID string
	Fee           money.Cents
	Rate          int64 // of the quote, as in models.Quote; 0 for Pix
}

// PreviewWithdrawal returns the withdrawal that RequestWithdrawal would create now, with its
// destination, amounts and quote. It stores and reserves nothing. Refusals, in their order:
// InvalidAmount, Forbidden, AccountSuspended, WithdrawalsBlocked, WithdrawalReadinessRequired,
// InsufficientBalance, QuoteUnavailable. Only RequestWithdrawal checks the limit of 24 hours.
func (s *Service) PreviewWithdrawal(ctx context.Context, account *models.Account, rail models.Rail,
	amount money.Cents) (*models.Withdrawal, error) {
	if err := s.checkWithdrawalAmount(amount); err != nil {
		return nil, err
	}
	if err := withdrawalGate(account); err != nil {
		return nil, err
	}
	w, err := s.newWithdrawal(ctx, account, NewWithdrawal{Rail: rail, Amount: amount})
	if err == nil && rail == models.RailPix { // newWithdrawal has checked the other rail
		err = s.affordable(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// unseen refuses a withdrawal that differs from what the person saw: another destination,
// another fee, or a rate more than 1 % worse. If seen is nil it accepts everything.
func unseen(seen *SeenWithdrawal, w *models.Withdrawal) error {
	if seen == nil {
		return nil
	}
	worse := w.Quote != nil && quote.Worse(w.Quote.Rate, seen.Rate)
	if seen.DestinationID != w.Destination.ID || seen.Fee != w.Fee || worse {
		return refusal.New(refusal.ChangedMeanwhile,
			"The destination, the fee or the rate changed since you looked at it. Look again, then decide.")
	}
	return nil
}
