package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/ledger"
	"garoupa/models"
)

// settleBatch limits the checkouts that one transaction settles.
const settleBatch = 100

// SettleDue makes the net amounts of payments available whose settlement delay is over, and books those at
// merchants' own bank accounts as paid out (docs/rules.md, "Settlement"). It returns the number of checkouts.
// Processes may run it at the same time.
func (s *Service) SettleDue(ctx context.Context) (settled int, err error) {
	for _, environment := range []models.Environment{models.Test, models.Live} {
		for {
			n, err := s.settleBatch(ctx, environment)
			if err != nil {
				return settled, fmt.Errorf("payments: settle: %w", err)
			}
			if settled += n; n < settleBatch {
				break
			}
		}
	}
	return settled, nil
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

func (s *Service) settleBatch(ctx context.Context, environment models.Environment) (n int, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		now := s.now()
		due, err := models.LockUnsettled(tx, environment, now, settleBatch)
		if n = len(due); err != nil || n == 0 {
			return err
		}
		return settle(tx, environment, due, now)
	})
	return n, err
}

// settle makes the net amounts of checkouts that tx has locked available.
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
	return models.SaveSettlement(tx, due)
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
