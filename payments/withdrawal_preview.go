package payments

import (
	"context"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/quote"
)

// SeenWithdrawal is what a person agreed to when asking for a withdrawal.
type SeenWithdrawal struct {
	DestinationID string
	Fee           money.Cents
	Rate          int64 // of the quote, as in models.Quote; 0 for Pix
}

// PreviewWithdrawal returns what RequestWithdrawal would make now: to where, for how
// much, and what it is worth there. It stores and reserves nothing. Faults, in their
// order: InvalidAmount, Forbidden, AccountSuspended, WithdrawalsBlocked,
// WithdrawalReadinessRequired, InsufficientBalance, QuoteUnavailable. The limit of 24
// hours counts only at the request.
func (s *Service) PreviewWithdrawal(ctx context.Context, account *models.Account, rail models.Rail, amount money.Cents) (*models.Withdrawal, error) {
	if err := s.checkWithdrawalAmount(amount); err != nil {
		return nil, err
	}
	if err := withdrawalGate(account); err != nil {
		return nil, err
	}
	w, err := s.newWithdrawal(ctx, account, NewWithdrawal{Rail: rail, Amount: amount})
	if err == nil && rail == models.RailPix { // newWithdrawal looked for the other
		err = s.affordable(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// unseen refuses a withdrawal that is not the one which was agreed to: to another
// destination, with another fee, or at a rate more than 1 % worse. No seen agrees to
// whatever comes.
func unseen(seen *SeenWithdrawal, w *models.Withdrawal) error {
	if seen == nil {
		return nil
	}
	worse := w.Quote != nil && quote.Worse(w.Quote.Rate, seen.Rate)
	if seen.DestinationID != w.Destination.ID || seen.Fee != w.Fee || worse {
		return fault.New(fault.ChangedMeanwhile, "The destination, the fee or the rate changed since you looked at it. Look again, then decide.")
	}
	return nil
}
