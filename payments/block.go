package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// NewBlock is an amount that staff hold back from an account.
type NewBlock struct {
	AccountID   string
	Environment models.Environment
	Amount      money.Cents
	Reason      string // shown to the merchant
	Seen        int    // how many amounts of the account had been blocked when the form was shown
}

// BlockAmount holds back an amount of the account's available money in the environment. For staff who
// are not members of the account. Refusals: Forbidden, InvalidAmount, InsufficientBalance,
// ReasonRequired, ChangedMeanwhile.
func (s *Service) BlockAmount(ctx context.Context, by models.Actor, in NewBlock) (*models.BlockedAmount, error) {
	reason, err := checkReason(in.Reason)
	if err != nil {
		return nil, err
	}
	if in.Amount <= 0 {
		return nil, refusal.New(refusal.InvalidAmount, "amount must be more than 0.00.")
	}
	b := &models.BlockedAmount{
		ID: models.NewBlockID(), AccountID: in.AccountID, Environment: in.Environment, Amount: in.Amount,
		Reason: reason, CreatedBy: by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockAccount(tx, b.AccountID); err != nil {
			return err
		}
		if err := staff(tx, by, models.Matter{AccountID: b.AccountID}); err != nil {
			return err
		}
		err := tx.PGX(func(ctx context.Context, conn models.Querier) error {
			made, err := models.BlockedAmountCount(ctx, conn, b.AccountID)
			if err != nil {
				return err
			}
			return unchanged(in.Seen, made)
		})
		if err != nil {
			return err
		}
		return s.block(tx, by, b)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: block an amount of %s: %w", in.AccountID, err)
	}
	return b, nil
}

func (s *Service) block(tx *models.Tx, by models.Actor, b *models.BlockedAmount) error {
	before, err := ledger.Spend(tx, b.AccountID, b.Environment, "block/"+b.ID, b.CreatedAt, ledger.Transfer{
		From:   ledger.Account(b.AccountID, b.Environment, ledger.Available),
		To:     ledger.Account(b.AccountID, b.Environment, ledger.Blocked),
		Amount: b.Amount,
	})
	if errors.Is(err, ledger.ErrShort) {
		return insufficient(before)
	} else if err != nil {
		return err
	}
	if err := models.InsertBlockedAmount(tx, b); err != nil {
		return err
	}
	return s.audit(tx, by, b.AccountID, "amount.blocked", b.ID,
		map[string]string{"amount": b.Amount.Decimal(), "reason": b.Reason})
}

// UnblockAmount makes the whole of a blocked amount available again. For staff who are not
// members of the account. Refusals: BlockNotFound, Forbidden, WrongState, ReasonRequired.
func (s *Service) UnblockAmount(
	ctx context.Context, by models.Actor, id, reason string,
) (b *models.BlockedAmount, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		b, err = models.LockBlockedAmount(tx, id)
		if errors.Is(err, models.ErrNotFound) {
			return refusal.New(refusal.BlockNotFound, "No amount was blocked under this id.")
		} else if err != nil {
			return err
		}
		if err := staff(tx, by, models.Matter{AccountID: b.AccountID, Since: b.CreatedAt}); err != nil {
			return err
		}
		if b.ReleasedAt != nil {
			return refusal.New(refusal.WrongState, "The amount was released already.")
		}
		now := s.now()
		b.ReleaseReason, b.ReleasedBy, b.ReleasedAt = &reason, &by.UserID, &now
		_, err := ledger.Spend(tx, b.AccountID, b.Environment, "block/"+b.ID+"/released", now, ledger.Transfer{
			From: ledger.Account(b.AccountID, b.Environment, ledger.Blocked),
			To:   ledger.Account(b.AccountID, b.Environment, ledger.Available), Amount: b.Amount,
		})
		if err != nil {
			return err
		}
		if err := models.SaveRelease(tx, b); err != nil {
			return err
		}
		return s.audit(tx, by, b.AccountID, "amount.unblocked", b.ID,
			map[string]string{"amount": b.Amount.Decimal(), "reason": reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: unblock %s: %w", id, err)
	}
	return b, nil
}
