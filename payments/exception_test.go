package payments_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// twice pays a new checkout twice and returns the id of the second payment.
func twice(t *testing.T, g *paymentstest.Gateway, amount money.Cents) string {
	t.Helper()
	c := g.Checkout(t, payments.NewCheckout{Amount: amount})
	for range 2 {
		if err := g.ConfirmPayment(t.Context(), models.Test,
			simulator.Pay(c.TxID, int64(amount), g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 100})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d exceptions, %v", len(open), err)
	}
	return open[len(open)-1].PaymentID
}

// Each decision moves the money of an exception once, to the right book.
func TestDecideException(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	for _, tc := range []struct {
		name      string
		decide    func(id string) error
		available money.Cents
		fee       money.Cents
		book      ledger.Book // the money's new book, if it is not the merchant's
	}{
		{"accept", func(id string) error {
			_, err := g.AcceptException(t.Context(), by, id, "O comprador confirmou.")
			return err
		}, 99_01, 99, ""},
		{"refund", func(id string) error {
			_, err := g.RefundException(t.Context(), by, id, "Pago em dobro.", "D1")
			return err
		}, 0, 0, ledger.Refunds(models.Test)},
		{"write off", func(id string) error {
			_, err := g.WriteOffException(t.Context(), by, id, "Ninguém reclamou.")
			return err
		}, 0, 0, ledger.WrittenOff(models.Test)},
	} {
		id := twice(t, g, 100_00)
		before := balance(t, g, models.Test)
		var done atomic.Int32
		var group errgroup.Group
		for range 5 { // five people decide at the same time
			group.Go(func() error {
				err := tc.decide(id)
				if err == nil {
					done.Add(1)
				} else if refusal.Of(err).Code != refusal.WrongState {
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil || done.Load() != 1 {
			t.Fatalf("%s: %d decisions succeeded, %v", tc.name, done.Load(), err)
		}
		after := balance(t, g, models.Test)
		if after.Available-before.Available != tc.available || after.Fee-before.Fee != tc.fee ||
			after.Gross-before.Gross != tc.available+tc.fee {
			t.Errorf("%s: from %+v to %+v", tc.name, before, after)
		}
		if tc.book != "" {
			if held := modelstest.Held(t, g.DB, tc.book); held != 100_00 {
				t.Errorf("%s: %s holds %s", tc.name, tc.book, held.Decimal())
			}
		}
		if held := modelstest.Held(t, g.DB, ledger.Suspense(models.Test)); held != 0 {
			t.Errorf("%s: %s is left in suspense", tc.name, held.Decimal())
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
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay("nobody", 5_00, g.Clock.Now())); err != nil {
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
	_, err = g.AcceptException(t.Context(), by, unmatched, paymentstest.Reason)
	refused(t, "accept without a checkout", err, refusal.WrongState)
	_, err = g.AcceptException(t.Context(), g.Owner, id, paymentstest.Reason)
	refused(t, "accept by the owner", err, refusal.Forbidden)
	_, err = g.WriteOffException(t.Context(), by, id, "")
	refused(t, "without a reason", err, refusal.ReasonRequired)
	_, err = g.WriteOffException(t.Context(), by, "pay_1", paymentstest.Reason)
	refused(t, "of no payment", err, refusal.PaymentNotFound)
	_, err = g.RefundException(t.Context(), by, id, paymentstest.Reason, "<D>")
	refused(t, "with an odd id", err, refusal.ProofRequired)
	if _, err := g.RefundException(t.Context(), by, unmatched, "De ninguém.", ""); err != nil {
		t.Errorf("refund without a checkout: %v", err)
	}
	sound(t, g)
}

// The pages of the list of exceptions continue after the previous page, in both orders.
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

// Refunds take available money, and never exceed the payment in total.
func TestRefundPayment(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	c := g.Fund(t, models.Test, 100_00)
	g.Fund(t, models.Test, 50_00)
	var paymentID string
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
		c.ID).Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		by   models.Actor
		in   payments.NewRefund
		want refusal.Code
	}{
		{"part", by, payments.NewRefund{PaymentID: paymentID, Amount: 60_00, Reason: "Item em falta.", ReturnID: "D1"},
			""},
		{"a repeated request", by, payments.NewRefund{
			PaymentID: paymentID, Amount: 10_00, Reason: "Item em falta.",
		}, refusal.ChangedMeanwhile},
		{"with a wrong number of seen refunds", by, payments.NewRefund{
			PaymentID: paymentID, Amount: 10_00, Reason: paymentstest.Reason, Seen: 2,
		}, refusal.ChangedMeanwhile},
		{"more than is left", by, payments.NewRefund{
			PaymentID: paymentID, Amount: 40_01, Reason: paymentstest.Reason, Seen: 1,
		}, refusal.InvalidAmount},
		{"a used id", by, payments.NewRefund{
			PaymentID: paymentID, Amount: 1, Reason: paymentstest.Reason, ReturnID: "D1", Seen: 1,
		}, refusal.ProofTaken},
		{"nothing", by, payments.NewRefund{PaymentID: paymentID, Reason: paymentstest.Reason}, refusal.InvalidAmount},
		{"no reason", by, payments.NewRefund{PaymentID: paymentID, Amount: 1}, refusal.ReasonRequired},
		{"no payment", by, payments.NewRefund{PaymentID: "pay_1", Amount: 1, Reason: paymentstest.Reason},
			refusal.PaymentNotFound},
		{"the owner", g.Owner, payments.NewRefund{PaymentID: paymentID, Amount: 1, Reason: paymentstest.Reason},
			refusal.Forbidden},
		{"the rest", by, payments.NewRefund{PaymentID: paymentID, Amount: 40_00, Reason: paymentstest.Reason, Seen: 1},
			""},
		{"one more centavo", by, payments.NewRefund{
			PaymentID: paymentID, Amount: 1, Reason: paymentstest.Reason, Seen: 2,
		}, refusal.InvalidAmount},
	} {
		g.Clock.Advance(time.Second)
		_, err := g.RefundPayment(t.Context(), step.by, step.in)
		if step.want != "" {
			refused(t, step.name, err, step.want)
		} else if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	if b := balance(t, g, models.Test); b.Refunded != 100_00 || b.Available != 50_00 {
		t.Errorf("balance %+v", b)
	}
	if refunds, err := models.Refunds(t.Context(), g.DB.Pool, g.Test, c.ID); err != nil || len(refunds) != 2 ||
		refunds[0].Amount != 60_00 {
		t.Errorf("listed %+v, %v", refunds, err)
	}
	sound(t, g)
}

// A refund needs available money, whatever the payment was.
func TestRefundPayment_NothingAvailable(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	c := g.Fund(t, false, 50_00)
	if _, err := g.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Test, Amount: 50_00, Reason: paymentstest.Reason,
	}); err != nil {
		t.Fatal(err)
	}
	var paymentID string
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
		c.ID).Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	_, err := g.RefundPayment(t.Context(), by,
		payments.NewRefund{PaymentID: paymentID, Amount: 1, Reason: paymentstest.Reason})
	refused(t, "with nothing available", err, refusal.InsufficientBalance)
	sound(t, g)
}

// Of fifty concurrent refunds of one payment by people who saw the same refunds, one succeeds.
// All together never exceed the payment.
func TestRefundPayment_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	c := g.Fund(t, models.Test, 100_00)
	g.Fund(t, models.Test, 1000_00)
	var paymentID string
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
		c.ID).Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	for seen := range 12 {
		var group errgroup.Group
		var made atomic.Int32
		for range 5 {
			group.Go(func() error {
				_, err := g.RefundPayment(t.Context(), by, payments.NewRefund{
					PaymentID: paymentID, Amount: 9_00, Reason: "Devolução.", Seen: seen,
				})
				if err == nil {
					made.Add(1)
				} else if refused, ok := errors.AsType[*refusal.Error](err); !ok || errors.Unwrap(refused) != nil ||
					refused.Code != refusal.ChangedMeanwhile && refused.Code != refusal.InvalidAmount {
					return err // the operation must refuse it before the database does
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if b := balance(t, g, models.Test); b.Refunded != money.Cents(9_00*min(seen+1, 11)) ||
			seen < 11 && made.Load() != 1 {
			t.Errorf("of those who saw %d refunds %d succeeded; the balance is %+v", seen, made.Load(), b)
		}
	}
	const more = `INSERT INTO refunds (id, payment_id, account_id, livemode, number, amount, reason, created_by,
		created_at)
		SELECT 'rfd_00000000000000000000', payment_id, account_id, livemode, $1, $2, reason, created_by, created_at
		FROM refunds LIMIT 1`
	if _, err := g.DB.Pool.Exec(t.Context(), more, 12, 101); !models.Violates(err, models.RefundsWithinPayment) {
		t.Errorf("the database accepts more than was paid: %v", err)
	}
	if _, err := g.DB.Pool.Exec(t.Context(), more, 11, 1); !models.Violates(err, models.RefundsNumberUnique) {
		t.Errorf("the database accepts a number twice: %v", err)
	}
	sound(t, g)
}
