package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/ledger"
	"garoupa/models"
)

// settleBatch bounds how many checkouts one transaction settles.
const settleBatch = 100

// SettleDue makes the net of payments available whose settlement delay is over
// (decisions, 4), and returns how many. Instances may run it at the same time.
func (s *Service) SettleDue(ctx context.Context) (settled int, err error) {
	for _, livemode := range []bool{false, true} {
		for {
			n, err := s.settleBatch(ctx, livemode)
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

// settlesAt says when the money of a paid checkout becomes available, nil for one
// that is not paid. The account may have a delay of its own in live.
func (s *Service) settlesAt(c *models.LockedCheckout) *time.Time {
	if c.PaidAt == nil {
		return nil
	}
	delay := s.SettlementDelayTest
	if c.Livemode {
		delay = s.SettlementDelayLive
		if c.SettlementDelay != nil {
			delay = time.Duration(*c.SettlementDelay) * time.Second
		}
	}
	at := c.PaidAt.Add(delay)
	return &at
}

func (s *Service) settleBatch(ctx context.Context, livemode bool) (n int, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		now := s.now()
		due, err := models.LockUnsettled(tx, livemode, now, settleBatch)
		if n = len(due); err != nil || n == 0 {
			return err
		}
		postings := make([]ledger.Posting, 0, n)
		for _, u := range due {
			if u.Net == 0 {
				continue // the fee took all of it
			}
			postings = append(postings, ledger.Posting{Fact: "settlement/" + u.CheckoutID, Transfers: []ledger.Transfer{{
				From: ledger.Account(u.AccountID, livemode, ledger.Pending), To: ledger.Account(u.AccountID, livemode, ledger.Available), Amount: u.Net,
			}}})
		}
		if err := ledger.Post(tx, now, postings...); err != nil {
			return err
		}
		return models.SaveSettlement(tx, due)
	})
	return n, err
}

// CoverDue turns settled checkouts COMPLETED, the first paid first, as far as the
// money that left their account covers them, and returns how many (decisions, 4).
// What leaves is completed withdrawals and refunds; a withdrawal that comes back,
// and a payment that staff accept, have to leave first. Each checkout is looked at
// until it is covered and never again. Instances may run it at the same time.
func (s *Service) CoverDue(ctx context.Context) (covered int, err error) {
	for {
		n := 0
		err := s.DB.InTx(ctx, func(tx *models.Tx) error {
			book, err := models.LockCoveringBook(tx)
			if err != nil {
				return err
			}
			n, err = models.CoverCheckouts(tx, book, settleBatch)
			return err
		})
		if errors.Is(err, models.ErrNotFound) {
			return covered, nil
		} else if err != nil {
			return covered, fmt.Errorf("payments: cover checkouts: %w", err)
		}
		covered += n
	}
}
