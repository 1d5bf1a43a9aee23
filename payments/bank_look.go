package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
	"garoupa/pix/psp"
)

// A call of LookAtCharges asks the bank about one open charge, so that thousands of them use up no bank's
// limits: the list of received Pix tells of the others. It removes up to eight.
const openLooks, otherLooks = 1, 8

// LookAtCharges asks the bank about the charges of an account whose look is due: about those that are to
// be removed, those that have no checkout, and one of those that are open. Instances may call it at the
// same time: each asks about different charges.
func (s *Service) LookAtCharges(ctx context.Context, bank psp.Bank, bankAccountID string) error {
	due, err := models.ClaimBankCharges(ctx, s.DB.Pool, bankAccountID, s.now(), bankWorkWithin, openLooks, otherLooks)
	if err != nil {
		return fmt.Errorf("payments: find charges to look at: %w", err)
	}
	return errors.Join(each("look at a charge", len(due), openLooks+otherLooks, func(i int) error {
		return s.look(ctx, bank, &due[i])
	})...)
}

// look asks the bank about a charge, or to remove it.
func (s *Service) look(ctx context.Context, bank psp.Bank, charge *models.BankCharge) error {
	var state psp.ChargeState
	var err error
	switch charge.Status {
	case models.BankChargeCreating:
		return s.giveUpCharge(ctx, charge, "no checkout was written")
	case models.BankChargeRemoving:
		state, err = bank.RemoveCharge(ctx, charge.TxID)
	default:
		state, err = bank.Charge(ctx, charge.TxID)
	}
	if err != nil {
		return s.lookFailed(ctx, charge, err)
	}
	return s.heed(ctx, bank, charge, state)
}

// lookFailed writes that the bank did not answer, or does not know a charge. A charge that is to be
// removed and that the bank does not know was never there.
func (s *Service) lookFailed(ctx context.Context, charge *models.BankCharge, cause error) error {
	why, known := errors.AsType[*psp.Error](cause)
	if !known {
		return fmt.Errorf("payments: look at the charge of %s: %w", charge.CheckoutID, cause)
	}
	return s.inCharge(ctx, charge, func(_ *models.Tx, _ *models.LockedCheckout, now *models.BankCharge) (bool, error) {
		if now.NextCheckAt == nil {
			return false, nil
		}
		first := firstLook
		if now.Status == models.BankChargeRemoving {
			first = removalPause
		}
		at := s.now().Add(pause(first, now.Checks))
		now.NextCheckAt, now.Failure = &at, failure(why)
		old := s.now().After(now.CreatedAt.Add(notFoundAfter))
		if why.Kind == psp.NotFound && old && now.Status == models.BankChargeRemoving && now.PayableUntil == nil {
			now.Status, now.NextCheckAt = models.BankChargeRefused, nil
			return false, nil
		}
		if now.Status != models.BankChargeCreating {
			s.forgetSilent(now)
		}
		return false, nil
	})
}
