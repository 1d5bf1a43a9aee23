package payments_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// twice pays a new checkout twice and returns the payment that was one too many.
func twice(t *testing.T, g *paymentstest.Gateway, amount money.Cents) string {
	t.Helper()
	c := g.Checkout(t, payments.NewCheckout{Amount: amount})
	for range 2 {
		if err := g.ConfirmPayment(t.Context(), false, simulator.Pay(c.TxID, int64(amount), g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 100})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d exceptions, %v", len(open), err)
	}
	return open[len(open)-1].PaymentID
}

// Each decision moves the money of an exception once, where it says.
func TestDecideException(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	for _, tc := range []struct {
		name      string
		decide    func(id string) error
		available money.Cents
		fee       money.Cents
		book      ledger.Book // where it went, if not to the merchant
	}{
		{"accept", func(id string) error {
			_, err := g.AcceptException(t.Context(), by, id, "O comprador confirmou.")
			return err
		}, 99_01, 99, ""},
		{"refund", func(id string) error {
			_, err := g.RefundException(t.Context(), by, id, "Pago em dobro.", "D1")
			return err
		}, 0, 0, ledger.Refunds(false)},
		{"write off", func(id string) error {
			_, err := g.WriteOffException(t.Context(), by, id, "Ninguém reclamou.")
			return err
		}, 0, 0, ledger.WrittenOff(false)},
	} {
		id := twice(t, g, 100_00)
		before := balance(t, g, false)
		var done atomic.Int32
		var group errgroup.Group
		for range 5 { // five people decide at once
			group.Go(func() error {
				err := tc.decide(id)
				if err == nil {
					done.Add(1)
				} else if fault.Of(err).Code != fault.WrongState {
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil || done.Load() != 1 {
			t.Fatalf("%s: done %d times, %v", tc.name, done.Load(), err)
		}
		after := balance(t, g, false)
		if after.Available-before.Available != tc.available || after.Fee-before.Fee != tc.fee || after.Gross-before.Gross != tc.available+tc.fee {
			t.Errorf("%s: from %+v to %+v", tc.name, before, after)
		}
		if tc.book != "" {
			if held, err := ledger.Balance(t.Context(), g.DB.Pool, tc.book); err != nil || held != 100_00 {
				t.Errorf("%s: %s holds %s, %v", tc.name, tc.book, held.Decimal(), err)
			}
		}
		if held, err := ledger.Balance(t.Context(), g.DB.Pool, ledger.Suspense(false)); err != nil || held != 0 {
			t.Errorf("%s: %s is left in suspense, %v", tc.name, held.Decimal(), err)
		}
		x, err := models.ExceptionByPayment(t.Context(), g.DB.Pool, id)
		if err != nil || x.Decision == nil || *x.DecidedBy != by.UserID || x.Fee != tc.fee {
			t.Errorf("%s: %+v, %v", tc.name, x, err)
		}
	}
	sound(t, g)
}

func TestDecideException_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	id := twice(t, g, 100_00)
	if err := g.ConfirmPayment(t.Context(), false, simulator.Pay("nobody", 5_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 10})
	if err != nil || len(open) != 2 {
		t.Fatalf("%+v, %v", open, err)
	}
	unmatched := open[0].PaymentID
	if open[0].Kind != models.ExceptionUnmatched {
		unmatched = open[1].PaymentID
	}
	_, err = g.AcceptException(t.Context(), by, unmatched, "Sim.")
	refused(t, "accept what is nobody's", err, fault.WrongState)
	_, err = g.AcceptException(t.Context(), g.Member(), id, "É meu.")
	refused(t, "accept by the owner", err, fault.Forbidden)
	_, err = g.WriteOffException(t.Context(), by, id, "")
	refused(t, "without a reason", err, fault.ReasonRequired)
	_, err = g.WriteOffException(t.Context(), by, "pay_1", "Sim.")
	refused(t, "of no payment", err, fault.PaymentNotFound)
	_, err = g.RefundException(t.Context(), by, id, "Sim.", "<D>")
	refused(t, "with an odd id", err, fault.ProofRequired)
	if _, err := g.RefundException(t.Context(), by, unmatched, "De ninguém.", ""); err != nil {
		t.Errorf("refund what is nobody's: %v", err)
	}
	sound(t, g)
}

// The list of exceptions goes on where it ended, in both orders.
func TestExceptions_Pages(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for range 5 {
		ids = append(ids, twice(t, g, 1_00))
		g.Clock.Advance(1e9)
	}
	for _, open := range []bool{true, false} {
		var got []string
		f := models.ExceptionFilter{Open: open, Limit: 2, AccountID: g.Account.ID}
		for {
			page, err := models.Exceptions(t.Context(), g.DB.Pool, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range page {
				got = append(got, x.PaymentID)
				f.After = &models.Position{CreatedAt: x.CreatedAt, ID: x.PaymentID}
			}
			if len(page) < f.Limit {
				break
			}
		}
		want := ids
		if !open {
			want = []string{ids[4], ids[3], ids[2], ids[1], ids[0]}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("open %v (-want +got)\n%s", open, diff)
		}
	}
}

// A refund takes from what is available, never more than was paid, in all.
func TestRefundPayment(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	c := g.Fund(t, false, 100_00)
	g.Fund(t, false, 50_00)
	var paymentID string
	if err := g.DB.Raw("SELECT id FROM payments WHERE checkout_id = ?", c.ID).Row().Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		by   payments.Actor
		in   payments.NewRefund
		want fault.Code
	}{
		{"part", by, payments.NewRefund{PaymentID: paymentID, Amount: 60_00, Reason: "Item em falta.", ReturnID: "D1"}, ""},
		{"more than is left", by, payments.NewRefund{PaymentID: paymentID, Amount: 40_01, Reason: "Tudo."}, fault.InvalidAmount},
		{"an id again", by, payments.NewRefund{PaymentID: paymentID, Amount: 1, Reason: "Mais.", ReturnID: "D1"}, fault.ProofTaken},
		{"nothing", by, payments.NewRefund{PaymentID: paymentID, Reason: "Nada."}, fault.InvalidAmount},
		{"no reason", by, payments.NewRefund{PaymentID: paymentID, Amount: 1}, fault.ReasonRequired},
		{"no payment", by, payments.NewRefund{PaymentID: "pay_1", Amount: 1, Reason: "Sim."}, fault.PaymentNotFound},
		{"the owner", g.Member(), payments.NewRefund{PaymentID: paymentID, Amount: 1, Reason: "Sim."}, fault.Forbidden},
		{"the rest", by, payments.NewRefund{PaymentID: paymentID, Amount: 40_00, Reason: "O resto."}, ""},
		{"a centavo more", by, payments.NewRefund{PaymentID: paymentID, Amount: 1, Reason: "Sim."}, fault.InvalidAmount},
	} {
		g.Clock.Advance(time.Second)
		_, err := g.RefundPayment(t.Context(), step.by, step.in)
		if step.want != "" {
			refused(t, step.name, err, step.want)
		} else if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	if b := balance(t, g, false); b.Refunded != 100_00 || b.Available != 50_00 {
		t.Errorf("balance %+v", b)
	}
	if _, err := g.BlockAmount(t.Context(), by, g.Account.ID, false, 50_00, "Disputa."); err != nil {
		t.Fatal(err)
	}
	var other string
	if err := g.DB.Raw("SELECT id FROM payments WHERE checkout_id <> ?", c.ID).Row().Scan(&other); err != nil {
		t.Fatal(err)
	}
	_, err := g.RefundPayment(t.Context(), by, payments.NewRefund{PaymentID: other, Amount: 1, Reason: "Sim."})
	refused(t, "with nothing available", err, fault.InsufficientBalance)
	if refunds, err := models.Refunds(t.Context(), g.DB.Pool, g.Test, c.ID); err != nil || len(refunds) != 2 || refunds[0].Amount != 60_00 {
		t.Errorf("listed %+v, %v", refunds, err)
	}
	sound(t, g)
}

// Fifty refunds of one payment at once give back no more than was paid.
func TestRefundPayment_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	c := g.Fund(t, false, 100_00)
	g.Fund(t, false, 1000_00)
	var paymentID string
	if err := g.DB.Raw("SELECT id FROM payments WHERE checkout_id = ?", c.ID).Row().Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	var made atomic.Int32
	for range 50 {
		group.Go(func() error {
			_, err := g.RefundPayment(t.Context(), by, payments.NewRefund{PaymentID: paymentID, Amount: 9_00, Reason: "Devolução."})
			if err == nil {
				made.Add(1)
			} else if refusal, ok := errors.AsType[*fault.Error](err); !ok || refusal.Code != fault.InvalidAmount || errors.Unwrap(refusal) != nil {
				return err // the operation has to see it by itself, before the database does
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if b := balance(t, g, false); made.Load() != 11 || b.Refunded != 99_00 {
		t.Errorf("%d refunds, balance %+v", made.Load(), b)
	}
	err := g.DB.Exec(`INSERT INTO refunds SELECT 'rfd_00000000000000000000', payment_id, account_id, livemode, 101, reason, NULL, created_by, created_at
		FROM refunds LIMIT 1`).Error
	if !models.Violates(err, models.RefundsWithinPayment) {
		t.Errorf("the database takes more: %v", err)
	}
	sound(t, g)
}

// An amount is held back until it is released, whole and once.
func TestBlockAmount(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	g.Fund(t, false, 100_00)
	block := func(by payments.Actor, amount money.Cents, reason string) (*models.BlockedAmount, error) {
		return g.BlockAmount(t.Context(), by, g.Account.ID, false, amount, reason)
	}
	b, err := block(by, 60_00, "MED: contestação do pagador.")
	if err != nil {
		t.Fatal(err)
	}
	_, err = block(by, 40_01, "Mais.")
	refused(t, "more than is available", err, fault.InsufficientBalance)
	_, err = block(by, 0, "Nada.")
	refused(t, "nothing", err, fault.InvalidAmount)
	_, err = block(by, 1, " ")
	refused(t, "without a reason", err, fault.ReasonRequired)
	_, err = block(g.Member(), 1, "Sim.")
	refused(t, "by the owner", err, fault.Forbidden)
	if now := balance(t, g, false); now.Available != 40_00 || now.Blocked != 60_00 {
		t.Errorf("blocked: %+v", now)
	}
	for _, current := range []bool{true, false} {
		if all, err := models.BlockedAmounts(t.Context(), g.DB.Pool, g.Account.ID, false, current); err != nil || len(all) != 1 || all[0].Reason != b.Reason {
			t.Errorf("listed %+v, %v", all, err)
		}
	}
	_, err = g.UnblockAmount(t.Context(), g.Member(), b.ID, "Sim.")
	refused(t, "release by the owner", err, fault.Forbidden)
	_, err = g.UnblockAmount(t.Context(), by, "blk_1", "Sim.")
	refused(t, "release of none", err, fault.BlockNotFound)
	var group errgroup.Group
	released := make([]error, 5)
	for i := range released {
		group.Go(func() error {
			_, released[i] = g.UnblockAmount(t.Context(), by, b.ID, "Contestação negada.")
			return nil
		})
	}
	_ = group.Wait()
	done := 0
	for _, err := range released {
		if err == nil {
			done++
		} else {
			refused(t, "release again", err, fault.WrongState)
		}
	}
	if now := balance(t, g, false); done != 1 || now.Available != 100_00 || now.Blocked != 0 {
		t.Errorf("released %d times: %+v", done, now)
	}
	if all, err := models.BlockedAmounts(t.Context(), g.DB.Pool, g.Account.ID, false, true); err != nil || len(all) != 0 {
		t.Errorf("listed %+v, %v", all, err)
	}
	sound(t, g)
}
