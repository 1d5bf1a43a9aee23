package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// ErrCancelRequested reports that a checkout is to be canceled as soon as its bank takes no payment of it
// any more. Until then it can be paid.
var ErrCancelRequested = refusal.New(refusal.ProviderUnavailable,
	"The cancellation is requested, and the institution has not confirmed it. Until then the checkout can be paid.")

// cancelAtBank removes a charge at its bank, and then cancels its checkout, if may allows the actor. The
// removal is written before the bank is asked, and goes on without the caller.
func (s *Service) cancelAtBank(ctx context.Context, charge *models.BankCharge, may func(*models.Tx) error) error {
	err := s.inCharge(ctx, charge, func(tx *models.Tx, c *models.LockedCheckout, now *models.BankCharge) (bool, error) {
		if err := may(tx); err != nil {
			return false, err
		}
		switch {
		case c == nil:
			return false, noCheckout(models.ErrNotFound)
		case c.Status != models.CheckoutPending:
			return false, notPending(c.Status)
		case now.Dead(), now.Status == models.BankChargePaid: // the bank takes no payment any more
			*charge = *now
			return s.transitionWanted(tx, models.CheckoutCancelled, models.EventCheckoutCancelled, c)
		case now.Status == models.BankChargeOpen:
			s.remove(now)
			next := s.now().Add(bankWorkWithin) // this call asks first
			now.NextCheckAt = &next
		}
		*charge = *now
		return false, nil
	})
	if err != nil || charge.Status != models.BankChargeRemoving {
		return err
	}
	bank, err := s.Banks.For(ctx, charge.BankAccountID)
	if err != nil {
		return fmt.Errorf("payments: cancel %s: %w", charge.CheckoutID, err)
	}
	if err := s.look(ctx, bank, charge); err != nil {
		return err
	}
	return s.canceled(ctx, charge)
}

// canceled returns what has become of a checkout that was to be canceled.
func (s *Service) canceled(ctx context.Context, charge *models.BankCharge) error {
	c, err := models.AnyCheckoutByID(ctx, s.DB.Pool, charge.CheckoutID)
	switch {
	case err != nil:
		return fmt.Errorf("payments: read checkout: %w", err)
	case c.Status == models.CheckoutCancelled:
		return nil
	case c.Status == models.CheckoutPending:
		return ErrCancelRequested
	}
	return notPending(c.Status)
}

// endBankCharges updates the charges at banks of live checkouts that expire, see models.EndBankCharges.
func endBankCharges(tx *models.Tx, expired []models.LockedCheckout, now time.Time) error {
	var ids []string
	for i := range expired {
		if expired[i].Environment == models.Live {
			ids = append(ids, expired[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := models.EndBankCharges(tx, ids, now); err != nil {
		return fmt.Errorf("end the charges: %w", err)
	}
	return nil
}
