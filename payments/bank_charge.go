package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// firstLook is how long after its creation the bank is asked about a charge. Each further wait is
	// twice as long, up to longestLook.
	firstLook, longestLook = 15 * time.Second, 5 * time.Minute
	// overAfter is how long after the end of a charge's time the bank knows whether it was paid.
	overAfter = 3 * time.Second
	// notFoundAfter is the age of a charge from which the bank's "not found" is believed.
	notFoundAfter = 30 * time.Second
	// removalPause is the first wait between two tries to remove a charge.
	removalPause = 2 * time.Second
	// lookedForUntil is how long after its end a charge is looked for at a bank that is silent.
	lookedForUntil = 24 * time.Hour
	// listedBack is how far back the Pix of one charge are read; banks allow a day. Sweeps find the others.
	listedBack = 23 * time.Hour
)

// inCharge runs fn in a transaction that has locked a charge and its checkout, which is nil while it
// does not exist, and then writes the charge. fn must recognize what it did in an earlier call.
func (s *Service) inCharge(ctx context.Context, charge *models.BankCharge,
	fn func(tx *models.Tx, c *models.LockedCheckout, now *models.BankCharge) (queued bool, err error)) error {
	err := models.UntilAnswered(ctx, func() error {
		return s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			c, err := models.LockCheckoutByID(tx, charge.CheckoutID)
			if err != nil && !errors.Is(err, models.ErrNotFound) {
				return false, err
			}
			charges, err := models.LockBankCharges(tx, []string{charge.TxID})
			if err != nil {
				return false, err
			}
			now := charges[charge.TxID]
			if now == nil {
				return false, models.ErrNotFound
			}
			if queued, err = fn(tx, c, now); err != nil {
				return false, err
			}
			return queued, models.SaveBankCharge(tx, now)
		})
	})
	if err != nil {
		return fmt.Errorf("payments: change the charge of %s: %w", charge.CheckoutID, err)
	}
	return nil
}

// giveUpCharge lets a charge without a checkout be removed at the bank.
func (s *Service) giveUpCharge(ctx context.Context, charge *models.BankCharge, why string) error {
	return s.inCharge(ctx, charge, func(_ *models.Tx, c *models.LockedCheckout, now *models.BankCharge) (bool, error) {
		if now.Status == models.BankChargeCreating {
			s.remove(now)
			now.Failure = why
		}
		return false, nil
	})
}

// remove lets a charge be removed at the bank at once.
func (s *Service) remove(charge *models.BankCharge) {
	at := s.now()
	charge.Status, charge.Checks, charge.NextCheckAt = models.BankChargeRemoving, 0, &at
}

// failure is what a charge's row says of an error of the bank.
func failure(err error) string {
	if e, ok := errors.AsType[*psp.Error](err); ok {
		short := *e
		short.Err = nil
		return short.Error()
	}
	return "the bank cannot be asked"
}

// heed acts on what the bank says of a charge.
func (s *Service) heed(ctx context.Context, bank psp.Bank, charge *models.BankCharge, state psp.ChargeState) error {
	if state.Status == psp.ChargePaid {
		paid, err := s.paidFor(ctx, bank, charge, state)
		if err != nil {
			return err
		}
		_, err = s.RecordBankPayments(ctx, charge.BankAccountID, paid)
		return err
	}
	bankNow := bank.Now()
	return s.inCharge(ctx, charge, func(tx *models.Tx, c *models.LockedCheckout, now *models.BankCharge) (bool, error) {
		switch now.Status {
		case models.BankChargePaid, models.BankChargeRefused, models.BankChargeConflict:
			return false, nil
		}
		now.Failure = ""
		switch {
		case state.Status == psp.ChargeRemoved:
			return s.removed(tx, c, now)
		case state.Amount != int64(now.Amount):
			now.Failure = "the bank has another amount: " + money.Cents(state.Amount).Decimal()
		case state.Status == psp.ChargeUnknown:
			now.Failure = "the bank says " + state.RawStatus
		}
		s.scheduleLook(now, bankNow)
		return false, nil
	})
}

// scheduleLook sets when the bank is asked next about a charge that it says is not paid. An OPEN charge
// whose time is over has lapsed.
func (s *Service) scheduleLook(charge *models.BankCharge, bankNow time.Time) {
	now := s.now()
	switch charge.Status {
	case models.BankChargeOpen:
		left := charge.PayableUntil.Add(overAfter).Sub(bankNow)
		if left <= 0 {
			charge.Status, charge.NextCheckAt = models.BankChargeLapsed, nil
			return
		}
		at := now.Add(min(pause(firstLook, charge.Checks), left))
		charge.NextCheckAt = &at
	case models.BankChargeRemoving:
		at := now.Add(pause(removalPause, charge.Checks))
		charge.NextCheckAt = &at
		s.forgetSilent(charge)
	}
}

// pause is a wait that doubles with each look.
func pause(first time.Duration, looks int) time.Duration {
	return min(first<<max(0, min(looks, 20)), longestLook)
}

// forgetSilent gives up on a bank that has said nothing of a charge for a day after its end.
func (s *Service) forgetSilent(charge *models.BankCharge) {
	end := charge.CreatedAt.Add(time.Duration(charge.Expiration) * time.Second)
	if charge.PayableUntil != nil {
		end = *charge.PayableUntil
	}
	if s.now().After(end.Add(lookedForUntil)) {
		charge.Status, charge.NextCheckAt = models.BankChargeLapsed, nil
	}
}

// removed writes that the bank takes no payment of a charge any more. A checkout that is still pending
// is canceled.
func (s *Service) removed(tx *models.Tx, c *models.LockedCheckout, charge *models.BankCharge) (queued bool, err error) {
	if charge.Status == models.BankChargeCreating {
		s.remove(charge) // first it is given up, and the next look finds it removed
		return false, nil
	}
	byBank := charge.Status == models.BankChargeOpen
	charge.Status, charge.NextCheckAt = models.BankChargeRemoved, nil
	if c == nil || c.Status != models.CheckoutPending || c.TxID != charge.TxID {
		return false, nil
	}
	if byBank {
		if err := s.audit(tx, system, c.AccountID, "payment.charge_removed", c.ID,
			map[string]string{"txid": charge.TxID}); err != nil {
			return false, err
		}
	}
	return s.transitionWanted(tx, models.CheckoutCancelled, models.EventCheckoutCancelled, c)
}

// paidFor returns the Pix of a charge that the bank says is paid.
func (s *Service) paidFor(ctx context.Context, bank psp.Bank, charge *models.BankCharge, state psp.ChargeState) (
	paid []psp.Payment, err error) {
	if len(state.Payments) > 0 {
		return state.Payments, nil
	}
	// The bank does not list them with the charge.
	w := psp.Window{From: bank.Now().Add(-listedBack), TxID: charge.TxID}
	if paid, _, err = psp.AllPayments(ctx, bank, w); err != nil {
		return nil, fmt.Errorf("payments: read the Pix of %s: %w", charge.CheckoutID, err)
	}
	return paid, nil
}
