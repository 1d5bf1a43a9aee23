package payments

import (
	"context"
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

func (s *Service) settlementDelay(livemode bool) time.Duration {
	if livemode {
		return s.SettlementDelayLive
	}
	return s.SettlementDelayTest
}

func (s *Service) settleBatch(ctx context.Context, livemode bool) (n int, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		now := s.now()
		due, err := models.LockUnsettled(tx, livemode, now.Add(-s.settlementDelay(livemode)), settleBatch)
		if n = len(due); err != nil || n == 0 {
			return err
		}
		for _, u := range due {
			if u.Net == 0 {
				continue // the fee took all of it
			}
			_, err := ledger.Post(tx, "settlement/"+u.CheckoutID, now, ledger.Transfer{
				From: ledger.Account(u.AccountID, livemode, ledger.Pending), To: ledger.Account(u.AccountID, livemode, ledger.Available), Amount: u.Net,
			})
			if err != nil {
				return err
			}
		}
		return models.SaveSettlement(tx, due)
	})
	return n, err
}
