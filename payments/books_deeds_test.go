package payments_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// receipts returns the operations that bring money in.
func (w *world) receipts() []deed {
	pay := func(ctx context.Context, s *payments.Service, random *rand.Rand, more int64, times int) error {
		scope := w.Test
		if random.IntN(4) > 0 {
			scope = w.Live
		}
		c, _, err := s.CreateCheckout(ctx, scope, w.Account,
			paymentstest.Filled(payments.NewCheckout{Amount: money.Cents(100 + random.IntN(300_00))}))
		for range times {
			if err == nil {
				received := simulator.Pay(c.TxID, int64(c.Amount)+more, w.Clock.Now())
				w.mu.Lock()
				w.received = append(w.received, received)
				w.mu.Unlock()
				err = s.ConfirmPayment(ctx, scope.Environment, received)
			}
		}
		return err
	}
	return []deed{
		{"pay", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, 0, 1)
		}},
		{"pay in part", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, -1, 1)
		}},
		{"pay twice", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, 0, 2)
		}},
		{"pay an unknown charge", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			return s.ConfirmPayment(ctx, models.Live, simulator.Pay("nobody", 77, w.Clock.Now()))
		}},
		{"repeat a payment", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			w.mu.Lock()
			if len(w.received) == 0 {
				w.mu.Unlock()
				return models.ErrNotFound
			}
			received := w.received[random.IntN(len(w.received))]
			w.mu.Unlock()
			environment := models.Environment(random.IntN(4) > 0) // in the wrong one the charge is unknown
			return s.ConfirmPayment(ctx, environment, received)
		}},
	}
}

// passages returns the operations that need no person: time passes, money settles, processes
// die and transactions fail.
func (w *world) passages() []deed {
	return []deed{
		{"pass time", func(context.Context, *payments.Service, *rand.Rand) error {
			w.Clock.Advance(time.Second)
			return nil
		}},
		{"settle", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			_, err := s.SettleDue(ctx)
			return err
		}},
		{"cover", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			_, err := s.CoverDue(ctx)
			return err
		}},
		{"kill", w.kill},
		{"snapshot", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			return s.SnapshotLedger(ctx)
		}},
		{"roll back", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			err := s.DB.InTx(ctx, func(tx *models.Tx) error {
				err := ledger.Post(tx, w.Clock.Now(),
					ledger.Posting{Fact: fmt.Sprint("gift/", random.Uint64()), Transfers: []ledger.Transfer{{
						From:   ledger.Clearing(models.Live),
						To:     ledger.Account(w.Account.ID, models.Live, ledger.Available),
						Amount: 1_000_000_00,
					}}})
				time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
				return errors.Join(errRollBack, err)
			})
			if errors.Is(err, errRollBack) && ctx.Err() == nil {
				return nil
			}
			return err
		}},
	}
}

var errRollBack = errors.New("roll back")

// withdrawals returns the operations that take money out, step by step and in every order.
func (w *world) withdrawals() []deed {
	on := func(name string, status models.WithdrawalStatus,
		act func(ctx context.Context, s *payments.Service, by models.Actor, id string) error) deed {
		return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, "SELECT id FROM withdrawals WHERE status = $1", status)
			if err != nil {
				return err
			}
			return act(ctx, s, w.person(random), id)
		}}
	}
	return []deed{
		{"withdraw", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			in := paymentstest.Withdrawal([]models.Rail{models.RailPix, models.RailUSDT}[random.IntN(2)],
				money.Cents(5_00+random.IntN(300_00)))
			in.IdempotencyKey = fmt.Sprint(random.IntN(2000))
			_, _, err := s.RequestWithdrawal(ctx, w.Account, in)
			return err
		}},
		{"withdraw everything", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			b, err := ledger.BalanceOf(ctx, s.DB.Pool, w.Account.ID, models.Live)
			if err != nil || b.Available < 5_00 {
				return errors.Join(models.ErrNotFound, err)
			}
			_, _, err = s.RequestWithdrawal(ctx, w.Account,
				paymentstest.Withdrawal(models.RailPix, min(b.Available, 50_000_00)))
			return err
		}},
		on("cancel", models.WithdrawalPendingReview,
			func(ctx context.Context, s *payments.Service, _ models.Actor, id string) error {
				_, err := s.CancelWithdrawal(ctx, w.Owner, w.Account.ID, id)
				return err
			}),
		on("reject", models.WithdrawalPendingReview,
			func(ctx context.Context, s *payments.Service, by models.Actor, id string) error {
				_, err := s.RejectWithdrawal(ctx, by, id, 1, "OTHER", paymentstest.Reason)
				return err
			}),
		on("approve", models.WithdrawalPendingReview, w.approve),
		on("approve again", models.WithdrawalPendingReview, w.approve),
		on("start", models.WithdrawalApproved, func(ctx context.Context, s *payments.Service, by models.Actor,
			id string) error {
			_, err := s.StartPayout(ctx, by, id, w.seen(ctx, s, id))
			return err
		}),
		on("complete", models.WithdrawalProcessing,
			func(ctx context.Context, s *payments.Service, by models.Actor, id string) error {
				_, err := s.CompleteWithdrawal(ctx, by, id, w.seen(ctx, s, id), payments.Proof{
					EndToEndID: simulator.PayOut(w.Clock.Now()), TxHash: simulator.TransferUSDT(),
				})
				return err
			}),
		on("fail", models.WithdrawalApproved, w.fail), on("fail late", models.WithdrawalProcessing, w.fail),
		on("return", models.WithdrawalCompleted, func(ctx context.Context, s *payments.Service, by models.Actor,
			id string) error {
			_, err := s.ReturnWithdrawal(ctx, by, id, w.seen(ctx, s, id), "MD06", paymentstest.Reason)
			return err
		}),
		{"pay out", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error { return s.PayOutDue(ctx) }},
	}
}

func (w *world) approve(ctx context.Context, s *payments.Service, by models.Actor, id string) error {
	look, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, id)
	if err != nil {
		return err
	}
	_, err = s.ApproveWithdrawal(ctx, by, id, look.Version)
	return err
}

// seen returns the version of a withdrawal that a person sees; 0 if it cannot be read.
func (w *world) seen(ctx context.Context, s *payments.Service, id string) int {
	look, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, id)
	if err != nil {
		return 0
	}
	return look.Version
}

func (w *world) fail(ctx context.Context, s *payments.Service, by models.Actor, id string) error {
	_, err := s.FailWithdrawal(ctx, by, id, w.seen(ctx, s, id), "AC03", paymentstest.Reason)
	return err
}

// decisions returns the other operations of staff on money.
func (w *world) decisions() []deed {
	on := func(name, query string, act func(ctx context.Context, s *payments.Service, random *rand.Rand,
		id string) error) deed {
		return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, query)
			if err != nil {
				return err
			}
			return act(ctx, s, random, id)
		}}
	}
	const open = "SELECT payment_id FROM payment_exceptions WHERE decision IS NULL"
	const blocked = "SELECT id FROM blocked_amounts WHERE released_at IS NULL"
	return []deed{
		on("accept", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.AcceptException(ctx, w.person(random), id, paymentstest.Reason)
			return err
		}),
		on("assign", open+" AND kind = 'UNMATCHED'", func(ctx context.Context, s *payments.Service, random *rand.Rand,
			id string) error {
			_, err := s.AssignException(ctx, w.person(random), id, w.Account.ID, "", paymentstest.Reason)
			return err
		}),
		on("give back", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.RefundException(ctx, w.person(random), id, paymentstest.Reason, "")
			return err
		}),
		on("write off", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.WriteOffException(ctx, w.person(random), id, paymentstest.Reason)
			return err
		}),
		on("refund", "SELECT id FROM payments WHERE settles",
			func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
				var seen int
				if err := s.DB.Pool.QueryRow(ctx, "SELECT count(*) FROM refunds WHERE payment_id = $1",
					id).Scan(&seen); err != nil {
					return err
				}
				_, err := s.RefundPayment(ctx, w.person(random), payments.NewRefund{
					PaymentID: id, Amount: money.Cents(1 + random.IntN(50_00)), Reason: paymentstest.Reason, Seen: seen,
				})
				return err
			}),
		{"block", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			seen, err := models.BlockedAmountCount(ctx, s.DB.Pool, w.Account.ID)
			if err != nil {
				return err
			}
			_, err = s.BlockAmount(ctx, w.person(random), payments.NewBlock{
				AccountID: w.Account.ID, Environment: models.Environment(random.IntN(2) == 0),
				Amount: money.Cents(1 + random.IntN(100_00)), Reason: paymentstest.Reason, Seen: seen,
			})
			return err
		}},
		on("unblock", blocked, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.UnblockAmount(ctx, w.person(random), id, paymentstest.Reason)
			return err
		}),
	}
}
