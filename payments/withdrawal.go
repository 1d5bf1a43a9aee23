package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// WithdrawalPolicy limits withdrawals (docs/rules.md, "Withdrawals").
type WithdrawalPolicy struct {
	Min      money.Cents   // of one withdrawal
	Max      money.Cents   // of one withdrawal
	DailyMax money.Cents   // of an account in any 24 hours
	FourEyes money.Cents   // larger withdrawals need two approvals
	Hold     time.Duration // from a destination's approval until its first use
	Fee      money.Fee     // of accounts that have none of their own
}

// NewWithdrawal is a merchant's request for a withdrawal, in live.
type NewWithdrawal struct {
	Rail           models.Rail
	Amount         money.Cents
	By             models.Actor // the API key or the member
	IdempotencyKey string       // unique in the account; a form creates one
	RequestHash    []byte       // SHA-256 of the canonical body
	// Seen is what a person saw when confirming; nil accepts the current destination, fee and
	// rate.
	Seen *SeenWithdrawal
}

// RequestWithdrawal reserves the amount and submits the withdrawal to the account's current
// destination for review. For members who can MoveMoney, and for keys that have
// WITHDRAWAL:CREATE, which the caller must have checked. A request with the IdempotencyKey of
// an earlier one returns the earlier withdrawal in its current state, and created is false.
// Refusals, in their order: IdempotencyConflict, InvalidAmount, Forbidden, AccountSuspended,
// WithdrawalsBlocked, WithdrawalReadinessRequired, InsufficientBalance, QuoteUnavailable, and
// with Seen ChangedMeanwhile. After a refusal the key can be used again.
func (s *Service) RequestWithdrawal(ctx context.Context, account *models.Account,
	in NewWithdrawal) (w *models.Withdrawal, created bool, err error) {
	if in.Amount <= 0 {
		return nil, false, s.checkWithdrawalAmount(in.Amount)
	}
	if w, err := s.earlierWithdrawal(ctx, account.ID, in); err != nil || w != nil {
		return w, false, err
	}
	if err := s.checkWithdrawalAmount(in.Amount); err != nil {
		return nil, false, err
	}
	if err := withdrawalGate(account); err != nil {
		return nil, false, err
	}
	w, err = s.newWithdrawal(ctx, account, in)
	if err == nil {
		err = unseen(in.Seen, w)
	}
	if err != nil {
		return nil, false, err
	}
	err = s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
		now, err := models.ShareAccount(tx, w.AccountID) // keeps switches and destinations from changing
		if err != nil {
			return false, err
		}
		if in.By.KeyID == "" { // the API has checked its keys
			if err := member(tx, in.By, w.AccountID, models.MoveMoney); err != nil {
				return false, err
			}
		}
		if created, err = models.InsertWithdrawal(tx, w, in.IdempotencyKey, in.RequestHash); err != nil || !created {
			return false, err
		}
		if err := withdrawalGate(now); err != nil {
			return false, err
		}
		if err := s.stillAsMade(tx, w); err != nil {
			return false, err
		}
		if err := s.reserveAmount(tx, w); err != nil {
			return false, err
		}
		if err := s.audit(tx, in.By, w.AccountID, "withdrawal.requested", w.ID,
			map[string]string{"amount": w.Amount.Decimal()}); err != nil {
			return false, err
		}
		return s.tellWithdrawal(tx, w, models.EventWithdrawalCreated)
	})
	if errors.Is(err, errOtherTerms) {
		return s.RequestWithdrawal(ctx, account, in)
	} else if err != nil {
		return nil, false, fmt.Errorf("payments: request a withdrawal: %w", err)
	}
	if !created { // a concurrent request with the same key was first
		w, err = s.earlierWithdrawal(ctx, account.ID, in)
	}
	return w, created, err
}

func (s *Service) checkWithdrawalAmount(amount money.Cents) error {
	switch {
	case amount < max(s.Withdrawals.Min, 1):
		return refusal.New(refusal.InvalidAmount, "amount must be at least %s.", max(s.Withdrawals.Min, 1).Decimal())
	case amount > s.Withdrawals.Max:
		return refusal.New(refusal.InvalidAmount, "amount must be at most %s.", s.Withdrawals.Max.Decimal())
	}
	return nil
}

// earlierWithdrawal returns the withdrawal that an earlier request with the same key created,
// or nil.
func (s *Service) earlierWithdrawal(ctx context.Context, accountID string,
	in NewWithdrawal) (*models.Withdrawal, error) {
	id, err := s.resourceOf(ctx, accountID, models.Live, models.OperationWithdrawal, in.IdempotencyKey, in.RequestHash)
	if err != nil || id == "" {
		return nil, err
	}
	return s.Withdrawal(ctx, accountID, models.Live, id)
}

// withdrawalGate refuses withdrawals that the account's access and switches forbid
// (docs/rules.md, "Account switches").
func withdrawalGate(a *models.Account) error {
	switch {
	case a.ProductionAccess != models.AccessApproved:
		return notApproved
	case a.Suspended:
		return suspended
	case a.WithdrawalsBlocked:
		return refusal.New(refusal.WithdrawalsBlocked,
			"Withdrawals of this account are blocked. Its members see the reason in the dashboard.")
	}
	return nil
}

// newWithdrawal returns the withdrawal with its destination and, in USDT, its quote. It checks
// the balance first, so that no quote is requested in vain. The decisive check is made when
// the amount is reserved.
func (s *Service) newWithdrawal(ctx context.Context, account *models.Account,
	in NewWithdrawal) (*models.Withdrawal, error) {
	now := s.now()
	destination, err := models.ActiveDestination(ctx, s.DB.Pool, account.ID, in.Rail, now)
	if errors.Is(err, models.ErrNotFound) {
		return nil, refusal.New(refusal.WithdrawalReadinessRequired,
			"The account has no approved destination for the rail %s.", in.Rail)
	} else if err != nil {
		return nil, fmt.Errorf("payments: read the destination: %w", err)
	}
	rate, err := s.withdrawalFeeAt(ctx, s.DB.Pool, account.ID, now)
	if err != nil {
		return nil, err
	}
	fee := rate.Of(in.Amount)
	if fee >= in.Amount {
		return nil, refusal.New(refusal.InvalidAmount, "amount must be more than the fee on it, %s.", fee.Decimal())
	}
	w := &models.Withdrawal{
		ID: models.NewWithdrawalID(), AccountID: account.ID, Rail: in.Rail,
		Status: models.WithdrawalPendingReview, Version: 1,
		Amount: in.Amount, Fee: fee, Destination: *destination, RequestedBy: in.By.ID(), CreatedAt: now, UpdatedAt: now,
	}
	if in.Rail == models.RailPix {
		return w, nil
	}
	if err := s.affordable(ctx, w); err != nil {
		return nil, err
	}
	w.Quote, err = s.quoteOf(ctx, w)
	return w, err
}

// errOtherTerms reports that the destination or the fee of a new withdrawal is no longer the
// account's.
var errOtherTerms = errors.New("payments: the destination or the fee was changed meanwhile")

// stillAsMade fails with errOtherTerms unless the withdrawal has the destination and the fee
// that apply. The caller must have locked the account.
func (s *Service) stillAsMade(tx *models.Tx, w *models.Withdrawal) error {
	return tx.PGX(func(ctx context.Context, conn models.Querier) error {
		d, err := models.ActiveDestination(ctx, conn, w.AccountID, w.Rail, w.CreatedAt)
		if errors.Is(err, models.ErrNotFound) || err == nil && d.ID != w.Destination.ID {
			return errOtherTerms
		} else if err != nil {
			return err
		}
		fee, err := s.withdrawalFeeAt(ctx, conn, w.AccountID, w.CreatedAt)
		if err == nil && fee.Of(w.Amount) != w.Fee {
			return errOtherTerms
		}
		return err
	})
}

// affordable checks whether the current balance covers a new withdrawal.
func (s *Service) affordable(ctx context.Context, w *models.Withdrawal) error {
	balance, err := ledger.BalanceOf(ctx, s.DB.Pool, w.AccountID, models.Live)
	if err == nil && balance.Available < w.Amount {
		err = insufficient(balance)
	}
	return err
}

// reserveAmount moves the amount of a new withdrawal from the available to the reserved money.
func (s *Service) reserveAmount(tx *models.Tx, w *models.Withdrawal) error {
	available := ledger.Account(w.AccountID, models.Live, ledger.Available)
	reserved := ledger.Account(w.AccountID, models.Live, ledger.Reserved)
	before, err := ledger.Spend(tx, w.AccountID, models.Live, withdrawalFact(w, ""), w.CreatedAt,
		ledger.Transfer{From: available, To: reserved, Amount: w.Amount})
	if errors.Is(err, ledger.ErrShort) {
		return insufficient(before)
	} else if err != nil {
		return err
	}
	asked, err := models.WithdrawnSince(tx, w.AccountID, w.CreatedAt.Add(-24*time.Hour)) // includes this one
	if err == nil && asked > s.Withdrawals.DailyMax {
		err = refusal.New(refusal.InvalidAmount,
			"amount must be at most %s, which is what is left of the limit of %s in 24 hours.",
			max(0, s.Withdrawals.DailyMax-asked+w.Amount).Decimal(), s.Withdrawals.DailyMax.Decimal())
	}
	return err
}

func insufficient(b models.Balance) error {
	return refusal.New(refusal.InsufficientBalance, "The available balance is %s, less than the amount.",
		b.Available.Decimal())
}

// withdrawalFact returns the ledger's fact for a withdrawal: for its reservation if end is "",
// otherwise for a way in which it ends.
func withdrawalFact(w *models.Withdrawal, end string) string { return "withdrawal/" + w.ID + end }

var suspended = refusal.New(refusal.AccountSuspended,
	"This account is suspended. Its members see the reason in the dashboard.")

// Withdrawal returns one withdrawal of the account and environment. The refusal is
// WithdrawalNotFound.
func (s *Service) Withdrawal(ctx context.Context, accountID string, environment models.Environment,
	id string) (*models.Withdrawal, error) {
	if environment == models.Test {
		return nil, noWithdrawal
	}
	w, err := models.WithdrawalByID(ctx, s.DB.Pool, accountID, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noWithdrawal
	} else if err != nil {
		return nil, fmt.Errorf("payments: read withdrawal: %w", err)
	}
	return w, nil
}

var noWithdrawal = refusal.New(refusal.WithdrawalNotFound, "No withdrawal has this id.")

// AccountWithdrawals returns a page of the account's withdrawals in the environment, newest
// first. There are none in test.
func (s *Service) AccountWithdrawals(ctx context.Context, environment models.Environment,
	f models.WithdrawalFilter) (page models.Page[models.AccountWithdrawal], err error) {
	if environment == models.Test {
		return page, nil
	}
	page, err = models.ReadPage(f.Limit, func(limit int) ([]models.AccountWithdrawal, error) {
		f.Limit = limit
		return models.Withdrawals(ctx, s.DB.Read, f)
	})
	if err != nil {
		return page, fmt.Errorf("payments: list withdrawals: %w", err)
	}
	return page, nil
}
