package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
)

// BlockAmount holds back so much of what the account has available in the
// environment; the merchant sees the reason. For staff who are not members of the
// account. Faults: Forbidden, InvalidAmount, InsufficientBalance, ReasonRequired.
func (s *Service) BlockAmount(ctx context.Context, by Actor, accountID string, livemode bool, amount money.Cents, reason string) (*models.BlockedAmount, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	if amount <= 0 {
		return nil, fault.New(fault.InvalidAmount, "amount must be more than 0.00.")
	}
	b := &models.BlockedAmount{
		ID: models.NewBlockID(), AccountID: accountID, Livemode: livemode, Amount: amount, Reason: reason, CreatedBy: by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staff(tx, by, accountID); err != nil {
			return err
		}
		before, err := ledger.Spend(tx, accountID, livemode, "block/"+b.ID, b.CreatedAt, ledger.Transfer{
			From: ledger.Account(accountID, livemode, ledger.Available), To: ledger.Account(accountID, livemode, ledger.Blocked), Amount: amount,
		})
		if errors.Is(err, ledger.ErrShort) {
			return insufficient(before)
		} else if err != nil {
			return err
		}
		if err := models.InsertBlockedAmount(tx, b); err != nil {
			return err
		}
		return s.audit(tx, by, accountID, "amount.blocked", b.ID, map[string]string{"amount": amount.Decimal(), "reason": reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: block an amount of %s: %w", accountID, err)
	}
	return b, nil
}

// UnblockAmount makes an amount that was held back available again, whole. For staff
// who are not members of the account. Faults: BlockNotFound, Forbidden, WrongState,
// ReasonRequired.
func (s *Service) UnblockAmount(ctx context.Context, by Actor, id, reason string) (b *models.BlockedAmount, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		b, err = models.LockBlockedAmount(tx, id)
		if errors.Is(err, models.ErrNotFound) {
			return fault.New(fault.BlockNotFound, "No amount was blocked under this id.")
		} else if err != nil {
			return err
		}
		if err := staff(tx, by, b.AccountID); err != nil {
			return err
		}
		if b.ReleasedAt != nil {
			return fault.New(fault.WrongState, "The amount was released already.")
		}
		now := s.now()
		b.ReleaseReason, b.ReleasedBy, b.ReleasedAt = &reason, &by.UserID, &now
		_, err := ledger.Spend(tx, b.AccountID, b.Livemode, "block/"+b.ID+"/released", now, ledger.Transfer{
			From: ledger.Account(b.AccountID, b.Livemode, ledger.Blocked), To: ledger.Account(b.AccountID, b.Livemode, ledger.Available), Amount: b.Amount,
		})
		if err != nil {
			return err
		}
		if err := models.SaveRelease(tx, b); err != nil {
			return err
		}
		return s.audit(tx, by, b.AccountID, "amount.unblocked", b.ID, map[string]string{"amount": b.Amount.Decimal(), "reason": reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: unblock %s: %w", id, err)
	}
	return b, nil
}
