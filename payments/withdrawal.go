package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
)

// WithdrawalPolicy bounds withdrawals (decisions, 7).
type WithdrawalPolicy struct {
	Min      money.Cents   // of one withdrawal
	Max      money.Cents   // of one withdrawal
	DailyMax money.Cents   // of an account in any 24 hours
	FourEyes money.Cents   // above it two people approve
	Hold     time.Duration // from a destination's approval to its first use
}

// NewWithdrawal is what a merchant asks for, in live.
type NewWithdrawal struct {
	Rail           models.Rail
	Amount         money.Cents
	By             Actor  // the API key, by its id, or the member
	IdempotencyKey string // the account's; a form makes one up
	RequestHash    []byte // SHA-256 of the canonical body
	// Seen is what a person looked at before; nil takes the destination, the fee and
	// the rate of the moment.
	Seen *SeenWithdrawal
}

// RequestWithdrawal reserves the amount and queues the withdrawal for review, to
// the account's destination of this moment. For keys with WITHDRAWAL:CREATE and for
// members with the role OWNER, ADMIN or FINANCE. A request repeated with its
// IdempotencyKey gets the withdrawal of the first, as it is now, and created is
// false. Faults, in their order (decisions, 2): InvalidAmount, IdempotencyConflict,
// Forbidden, AccountSuspended, WithdrawalsBlocked, WithdrawalReadinessRequired,
// InsufficientBalance, QuoteUnavailable, and with Seen ChangedMeanwhile. After any of
// them the key is free.
func (s *Service) RequestWithdrawal(ctx context.Context, account *models.Account, in NewWithdrawal) (w *models.Withdrawal, created bool, err error) {
	if err := s.checkWithdrawalAmount(in.Amount); err != nil {
		return nil, false, err
	}
	if w, err := s.earlierWithdrawal(ctx, account.ID, in); err != nil || w != nil {
		return w, false, err
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
	err = s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
		if created, err = models.InsertWithdrawal(tx, w, in.IdempotencyKey, in.RequestHash); err != nil || !created {
			return false, err
		}
		if err := s.reserveAmount(tx, w); err != nil {
			return false, err
		}
		if err := s.audit(tx, in.By, w.AccountID, "withdrawal.requested", w.ID, map[string]string{"amount": w.Amount.Decimal()}); err != nil {
			return false, err
		}
		return s.tellWithdrawal(tx, w, models.EventWithdrawalCreated)
	})
	if err != nil {
		return nil, false, fmt.Errorf("payments: request a withdrawal: %w", err)
	}
	if !created { // a twin was faster
		w, err = s.earlierWithdrawal(ctx, account.ID, in)
	}
	return w, created, err
}

func (s *Service) checkWithdrawalAmount(amount money.Cents) error {
	switch {
	case amount < s.Withdrawals.Min:
		return fault.New(fault.InvalidAmount, "amount must be at least %s.", s.Withdrawals.Min.Decimal())
	case amount > s.Withdrawals.Max:
		return fault.New(fault.InvalidAmount, "amount must be at most %s.", s.Withdrawals.Max.Decimal())
	}
	return nil
}

// earlierWithdrawal returns the withdrawal that a first request with the same key
// made, nil if there was none.
func (s *Service) earlierWithdrawal(ctx context.Context, accountID string, in NewWithdrawal) (*models.Withdrawal, error) {
	id, err := s.resourceOf(ctx, accountID, true, models.OperationWithdrawal, in.IdempotencyKey, in.RequestHash)
	if err != nil || id == "" {
		return nil, err
	}
	return s.Withdrawal(ctx, accountID, true, id)
}

// withdrawalGate refuses what the account's switches forbid (decisions, 2.12).
func withdrawalGate(a *models.Account) error {
	switch {
	case a.ProductionAccess != models.AccessApproved:
		return notApproved
	case a.Suspended:
		return suspended
	case a.WithdrawalsBlocked:
		return fault.New(fault.WithdrawalsBlocked, "Withdrawals of this account are blocked. Its members see the reason in the dashboard.")
	}
	return nil
}

// newWithdrawal decides where the money goes and what it is worth there. It looks
// at the balance first, so that a quote is only asked for when there is something
// to quote; the balance counts when it is reserved.
func (s *Service) newWithdrawal(ctx context.Context, account *models.Account, in NewWithdrawal) (*models.Withdrawal, error) {
	now := s.now()
	destination, err := models.ActiveDestination(ctx, s.DB.Pool, account.ID, in.Rail, now)
	if errors.Is(err, models.ErrNotFound) {
		return nil, fault.New(fault.WithdrawalReadinessRequired, "The account has no approved destination for the rail %s.", in.Rail)
	} else if err != nil {
		return nil, fmt.Errorf("payments: read the destination: %w", err)
	}
	fee := money.Fee{BasisPoints: account.WithdrawalFeeBasisPoints, Fixed: account.WithdrawalFeeFixed}.Of(in.Amount)
	if fee >= in.Amount {
		return nil, fault.New(fault.InvalidAmount, "amount must be more than the fee on it, %s.", fee.Decimal())
	}
	w := &models.Withdrawal{
		ID: models.NewWithdrawalID(), AccountID: account.ID, Rail: in.Rail, Status: models.WithdrawalPendingReview, Version: 1,
		Amount: in.Amount, Fee: fee, Destination: *destination, RequestedBy: in.By.UserID, CreatedAt: now, UpdatedAt: now,
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

// affordable looks whether the balance of the moment covers a new withdrawal.
func (s *Service) affordable(ctx context.Context, w *models.Withdrawal) error {
	balance, err := ledger.BalanceOf(ctx, s.DB.Pool, w.AccountID, true)
	if err == nil && balance.Available < w.Amount {
		err = insufficient(balance)
	}
	return err
}

// reserveAmount takes the amount of a new withdrawal out of what is available.
func (s *Service) reserveAmount(tx *models.Tx, w *models.Withdrawal) error {
	available, reserved := ledger.Account(w.AccountID, true, ledger.Available), ledger.Account(w.AccountID, true, ledger.Reserved)
	before, err := ledger.Spend(tx, w.AccountID, true, withdrawalFact(w, ""), w.CreatedAt, ledger.Transfer{From: available, To: reserved, Amount: w.Amount})
	if errors.Is(err, ledger.ErrShort) {
		return insufficient(before)
	} else if err != nil {
		return err
	}
	asked, err := models.WithdrawnSince(tx, w.AccountID, w.CreatedAt.Add(-24*time.Hour)) // this one included
	if err == nil && asked > s.Withdrawals.DailyMax {
		err = fault.New(fault.InvalidAmount, "amount must be at most %s, which is what is left of the limit of %s in 24 hours.",
			max(0, s.Withdrawals.DailyMax-asked+w.Amount).Decimal(), s.Withdrawals.DailyMax.Decimal())
	}
	return err
}

func insufficient(b models.Balance) error {
	return fault.New(fault.InsufficientBalance, "The available balance is %s, less than the amount.", b.Available.Decimal())
}

// withdrawalFact names what the ledger records of a withdrawal: its reservation (""),
// and one way in which it ends.
func withdrawalFact(w *models.Withdrawal, end string) string { return "withdrawal/" + w.ID + end }

var suspended = fault.New(fault.AccountSuspended, "This account is suspended. Its members see the reason in the dashboard.")

// Withdrawal returns one withdrawal of the account and environment. The fault is
// WithdrawalNotFound.
func (s *Service) Withdrawal(ctx context.Context, accountID string, livemode bool, id string) (*models.Withdrawal, error) {
	if !livemode {
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

var noWithdrawal = fault.New(fault.WithdrawalNotFound, "No withdrawal has this id.")

// WithdrawalPage is one page of a list.
type WithdrawalPage struct {
	Withdrawals []models.AccountWithdrawal
	NextCursor  string // "" when there is no further page
}

// AccountWithdrawals returns a page of the account's withdrawals in the
// environment, the newest first. In test there are none.
func (s *Service) AccountWithdrawals(ctx context.Context, livemode bool, f models.WithdrawalFilter) (WithdrawalPage, error) {
	if !livemode {
		return WithdrawalPage{}, nil
	}
	limit := f.Limit
	f.Limit++ // one more tells whether there is a further page
	rows, err := models.Withdrawals(ctx, s.DB.Pool, f)
	if err != nil {
		return WithdrawalPage{}, fmt.Errorf("payments: list withdrawals: %w", err)
	}
	page := WithdrawalPage{Withdrawals: rows}
	if len(rows) > limit {
		page.Withdrawals = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = s.Cursor(ListWithdrawals, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	return page, nil
}
