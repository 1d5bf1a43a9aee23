package payments_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/simulator"
)

// Withdrawals are paid by a bank that fails, come back in parts and are decided by staff, at random and in
// several processes. At every moment the books agree with the rows.
func TestBooks_PayoutsProperty(t *testing.T) {
	t.Parallel()
	h := paying(t)
	length := 3 * time.Second
	if testing.Short() {
		length = time.Second
	}
	seed := uint64(time.Now().UnixNano())
	by := []models.Actor{h.Staff(t), h.Staff(t)}
	end := time.Now().Add(length)
	done := make([]int, len(payoutDeeds))
	var group errgroup.Group
	for i := range 4 {
		random, process := rand.New(rand.NewPCG(seed, uint64(i))), h.Another(t)
		group.Go(func() error {
			for time.Now().Before(end) {
				n := random.IntN(len(payoutDeeds))
				err := payoutDeeds[n](t.Context(), process, by[random.IntN(2)], random)
				if err != nil && refusal.Of(err).Code == refusal.Internal && !errors.Is(err, models.ErrNotFound) {
					return fmt.Errorf("deed %d: %w", n, err)
				}
				if i == 0 && err == nil {
					done[n]++
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for time.Now().Before(end) {
			if err := agree(t.Context(), h); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if err := agree(t.Context(), h); err != nil {
		t.Errorf("at the end, seed %d: %v", seed, err)
	}
	t.Logf("deeds of one process: %d", done)
}

// agree checks the balance, and all books against all rows.
func agree(ctx context.Context, h *bankstest.House) error {
	b, err := ledger.BalanceOf(ctx, h.DB.Pool, h.Gateway.Account.ID, models.Live)
	if err != nil {
		return err
	}
	if b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() || min(b.Available, b.Reserved) < 0 {
		return fmt.Errorf("the balance is %+v", b)
	}
	drift, err := ledger.Check(ctx, h.DB.Pool)
	if err == nil && len(drift) > 0 {
		err = errors.New(strings.Join(drift, "; "))
	}
	return err
}

// payoutDeeds are what may happen to withdrawals at a bank.
var payoutDeeds = []func(ctx context.Context, h *bankstest.House, by models.Actor, random *rand.Rand) error{
	func(ctx context.Context, h *bankstest.House, _ models.Actor, random *rand.Rand) error {
		_, _, err := h.RequestWithdrawal(ctx, h.Account,
			paymentstest.Withdrawal(models.RailPix, money.Cents(5_00+random.IntN(10_00))))
		return err
	},
	func(ctx context.Context, h *bankstest.House, by models.Actor, _ *rand.Rand) error {
		return onWithdrawal(ctx, h, models.WithdrawalPendingReview, func(w *models.Withdrawal) error {
			_, err := h.ApproveWithdrawal(ctx, by, w.ID, w.Version)
			return err
		})
	},
	tendAnyhow, tendAnyhow, tendAnyhow,
	func(_ context.Context, h *bankstest.House, _ models.Actor, random *rand.Rand) error {
		h.Later(time.Duration(random.IntN(300)) * time.Second)
		return nil
	},
	func(ctx context.Context, h *bankstest.House, _ models.Actor, random *rand.Rand) error {
		faults := []control.Fault{{Name: "send-unknown", Times: 1}, {Name: "drop-answer", On: sendPath, Times: 1},
			{Name: "403", On: sendPath, Times: 1}}
		return h.Bank.Control.SetFault(ctx, faults[random.IntN(len(faults))])
	},
	func(ctx context.Context, h *bankstest.House, _ models.Actor, _ *rand.Rand) error {
		return h.Bank.Control.ClearFaults(ctx)
	},
	func(ctx context.Context, h *bankstest.House, _ models.Actor, random *rand.Rand) error {
		return onWithdrawal(ctx, h, models.WithdrawalCompleted, func(w *models.Withdrawal) error {
			_, _ = h.Bank.Control.Return(ctx, control.ReturnRequest{EndToEndID: *w.EndToEndID,
				Amount: int64(random.IntN(int(w.Net())))})
			_, err := h.DB.Pool.Exec(ctx, "UPDATE payout_attempts SET next_look_at = $2 WHERE withdrawal_id = $1",
				w.ID, h.Bank.Clock.Now())
			return err
		})
	},
	func(ctx context.Context, h *bankstest.House, by models.Actor, _ *rand.Rand) error {
		return onWithdrawal(ctx, h, models.WithdrawalCompleted, func(w *models.Withdrawal) error {
			_, err := h.ReturnWithdrawal(ctx, by, w.ID, w.Version, "MD06", paymentstest.Reason)
			return err
		})
	},
	func(ctx context.Context, h *bankstest.House, by models.Actor, _ *rand.Rand) error {
		return onWithdrawal(ctx, h, models.WithdrawalProcessing, func(w *models.Withdrawal) error {
			_, err := h.FailWithdrawal(ctx, by, w.ID, w.Version, "OTHER", paymentstest.Reason)
			return err
		})
	},
	func(ctx context.Context, h *bankstest.House, by models.Actor, _ *rand.Rand) error {
		return onWithdrawal(ctx, h, models.WithdrawalProcessing, func(w *models.Withdrawal) error {
			_, err := h.CompleteWithdrawal(ctx, by, w.ID, w.Version,
				payments.Proof{EndToEndID: simulator.PayOut(h.Bank.Clock.Now())})
			return err
		})
	},
}

// tendAnyhow pays what is due. Its errors tell of a bank that fails, or that says another thing than staff did.
func tendAnyhow(ctx context.Context, h *bankstest.House, _ models.Actor, _ *rand.Rand) error {
	_ = h.TendPayouts(ctx, h.AccountID)
	return nil
}

// onWithdrawal acts on some withdrawal in a status, or fails with models.ErrNotFound.
func onWithdrawal(ctx context.Context, h *bankstest.House, status models.WithdrawalStatus,
	act func(w *models.Withdrawal) error) error {
	found, err := models.Withdrawals(ctx, h.DB.Pool, models.WithdrawalFilter{
		Statuses: []models.WithdrawalStatus{status}, Limit: 50})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return models.ErrNotFound
	}
	return act(&found[rand.IntN(len(found))].Withdrawal)
}
