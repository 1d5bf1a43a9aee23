package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/ledger"
	"garoupa/models"
)

// settleBatch limits the checkouts that one transaction settles.
const settleBatch = 100

// SettleDue makes the net amounts of payments available whose settlement delay is over, and books those at
// merchants' own bank accounts as paid out (docs/rules.md, "Settlement"). It returns the number of checkouts.
// Processes may run it at the same time. A book that another transaction has locked delays no settlement.
func (s *Service) SettleDue(ctx context.Context) (settled int, err error) {
	var unmarked []error
	for _, environment := range []models.Environment{models.Test, models.Live} {
		for {
			due, err := s.settleBatch(ctx, environment)
			if err != nil {
				return settled, errors.Join(append(unmarked, fmt.Errorf("payments: settle: %w", err))...)
			}
			if err := s.markCovering(ctx, environment, owners(due)); err != nil {
				unmarked = append(unmarked, err)
			}
			if settled += len(due); len(due) < settleBatch {
				break
			}
		}
	}
	return settled, errors.Join(unmarked...)
}

// markCovering does once more what settle did: meanwhile money may have left, and settle waits for no book. What a
// process that ends before leaves is marked with the account's next settlement.
func (s *Service) markCovering(ctx context.Context, environment models.Environment, accountIDs []string) error {
	if len(accountIDs) == 0 {
		return nil
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		return models.MarkCovering(tx, accountIDs, environment, true)
	})
	if err != nil {
		return fmt.Errorf("payments: find checkouts that are covered: %w", err)
	}
	return nil
}

// owners returns the accounts of checkouts that become AVAILABLE.
func owners(due []models.Unsettled) (accountIDs []string) {
	for _, u := range due {
		if !u.Own && !slices.Contains(accountIDs, u.AccountID) {
			accountIDs = append(accountIDs, u.AccountID)
		}
	}
	return accountIDs
}

// settlesAt returns when the money of a paid checkout becomes available, or nil if it is not
// paid. In live the account's own delay applies if it had one when the checkout was created. Money at the
// merchant's own bank account settles at once.
func (s *Service) settlesAt(c *models.LockedCheckout) *time.Time {
	if c.PaidAt == nil || c.Own {
		return c.PaidAt
	}
	delay := s.SettlementDelayTest
	if c.Environment == models.Live {
		delay = s.SettlementDelayLive
		if c.SettlementDelay != nil {
			delay = time.Duration(*c.SettlementDelay) * time.Second
		}
	}
	at := c.PaidAt.Add(delay)
	return &at
}

func (s *Service) settleBatch(ctx context.Context, environment models.Environment) (due []models.Unsettled,
	err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
		now := s.now()
		if due, err = models.LockUnsettled(tx, environment, now, settleBatch); err != nil || len(due) == 0 {
			return err
		}
		return settle(tx, environment, due, now)
	})
	return due, err
}

// settle makes the net amounts of checkouts that tx has locked available. Money that left before may cover them.
func settle(tx *models.Tx, environment models.Environment, due []models.Unsettled, now time.Time) error {
	postings := make([]ledger.Posting, 0, len(due))
	for _, u := range due {
		if u.Net == 0 {
			continue // the fee is the whole amount
		}
		to := ledger.Account(u.AccountID, environment, ledger.Available)
		if u.Own {
			to = ledger.PaidOut(environment)
		}
		postings = append(postings, ledger.Posting{Fact: "settlement/" + u.CheckoutID,
			Transfers: []ledger.Transfer{{
				From: ledger.Account(u.AccountID, environment, ledger.Pending), To: to, Amount: u.Net,
			}}})
	}
	if err := ledger.Post(tx, now, postings...); err != nil {
		return err
	}
	if err := models.SaveSettlement(tx, due); err != nil {
		return err
	}
	return models.MarkCovering(tx, owners(due), environment, false)
}

// CoverDue marks settled checkouts as COMPLETED, first paid first, as far as the money that
// left their account covers them, and returns their number. The money that left is completed
// withdrawals and refunds; a returned withdrawal, and a payment that staff accepted, first
// have to leave again. Instances may run it at the same time. An account that fails, or whose
// checkouts another transaction has locked, does not delay the others.
func (s *Service) CoverDue(ctx context.Context) (covered int, err error) {
	var done models.CoveringBook // this book and those before it are done
	var failed []error
	for {
		n := 0
		var book *models.CoveringBook
		err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			if book, err = models.LockCoveringBook(tx, done); err != nil {
				return err
			}
			n, err = models.CoverCheckouts(tx, book, settleBatch)
			return err
		})
		switch {
		case errors.Is(err, models.ErrNotFound):
			return covered, errors.Join(failed...)
		case book == nil:
			return covered, errors.Join(append(failed, fmt.Errorf("payments: cover checkouts: %w", err))...)
		case err != nil:
			failed = append(failed, fmt.Errorf("payments: cover checkouts of %s: %w", book.AccountID, err))
		}
		if covered += n; err != nil || n < settleBatch {
			done = *book
		}
	}
}
