package payments_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

func unavailable(t *testing.T, h *bankstest.House, in payments.NewCheckout) {
	t.Helper()
	_, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, paymentstest.Filled(in))
	if refusal.Of(err).Code != refusal.ProviderUnavailable {
		t.Errorf("created: %v", err)
	}
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM checkouts"); n != 0 {
		t.Errorf("%d checkouts", n)
	}
}

// A charge that is given up while the bank is asked gets no checkout.
func TestBank_GivenUpMeanwhile(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Service.Banks = between{Banks: h.Banks, after: func() error {
		modelstest.Exec(t, h.DB, "UPDATE bank_charges SET status = 'REMOVING'")
		return nil
	}}
	unavailable(t, h, payments.NewCheckout{})
	unavailable(t, h, payments.NewCheckout{IdempotencyKey: "k"})
}

// A code that cannot be believed is not given out, and its charge is removed.
func TestBank_WrongCode(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"wrong-amount", "bad-crc"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			h.Fault(t, control.Fault{Name: fault})
			unavailable(t, h, payments.NewCheckout{})
			id := modelstest.One[string](t, h.DB, "SELECT checkout_id FROM bank_charges")
			expectCharge(t, h, id, models.BankChargeRemoving)
			h.Heal(t)
			h.Later(time.Minute)
			h.Tend(t)
			expectCharge(t, h, id, models.BankChargeRemoved)
		})
	}
}

// Another charge that stands under our TxID is never touched, and no other one takes its place.
func TestBank_OtherConflict(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Fault(t, control.Fault{Name: "other-charge"})
	in := payments.NewCheckout{IdempotencyKey: "k"}
	unavailable(t, h, in)
	id := modelstest.One[string](t, h.DB, "SELECT checkout_id FROM bank_charges")
	expectCharge(t, h, id, models.BankChargeConflict)
	h.Heal(t)
	h.Later(time.Hour)
	h.Tend(t)
	unavailable(t, h, in)
	expectCharge(t, h, id, models.BankChargeConflict)
	if all, removed := chargesAt(t, h); all != 1 || removed != 0 {
		t.Errorf("the bank has %d charges, %d removed", all, removed)
	}
}

// The list of received Pix is read again from a Pix that waits for its checkout, however long it waits.
func TestBank_WaitingPixIsKept(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	var code string
	h.Service.Banks = coded{h.Banks, &code}
	if _, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account,
		paymentstest.Filled(payments.NewCheckout{ExpiresIn: 24 * time.Hour})); err == nil {
		t.Fatal("created")
	}
	h.Service.Banks = h.Banks
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	h.Tend(t)
	h.Pay(t, control.PayRequest{Code: code})
	for range 3 {
		h.Later(40 * time.Minute)
		h.Sweep(t)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET status = 'REMOVING'")
	modelstest.Exec(t, h.DB, "UPDATE bank_sweeps SET old_read_at = now() + interval '1 year'") // days apart
	h.Sweep(t)
	if got := exceptions(t, h); !slices.Equal(got, []string{"UNMATCHED"}) {
		t.Errorf("exceptions %s", got)
	}
}

// Pix from before the account began are not the gateway's.
func TestBank_PixFromBefore(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Tend(t)
	modelstest.Exec(t, h.DB, "UPDATE bank_sweeps SET started_at = started_at + interval '10 minutes'")
	h.Pay(t, control.PayRequest{Code: h.Charge(t, payments.NewCheckout{}).CopyPaste, NoTxID: true})
	h.Later(10 * time.Minute)
	h.Sweep(t)
	h.Pay(t, control.PayRequest{Code: h.Charge(t, payments.NewCheckout{}).CopyPaste, NoTxID: true})
	h.Sweep(t)
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payments"); n != 1 {
		t.Errorf("%d payments are recorded", n)
	}
}

// A charge that took another amount than its own takes no more, so its checkout is canceled at once.
func TestBank_CancelUnderpaid(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 1})
	h.Sweep(t)
	h.Bank.Stop()
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); err != nil {
		t.Error(err)
	}
	expect(t, h, c.ID, models.CheckoutCancelled)
}

// counted counts how often a return is asked for.
type counted struct {
	payments.Banks
	asked *atomic.Int32
}

// For implements payments.Banks.
func (b counted) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return countedBank{bank, b.asked}, err
}

type countedBank struct {
	psp.Bank
	asked *atomic.Int32
}

// PutReturn implements psp.Bank.
func (b countedBank) PutReturn(ctx context.Context, endToEndID, id string, amount int64) (psp.Return, error) {
	b.asked.Add(1)
	return b.Bank.PutReturn(ctx, endToEndID, id, amount)
}

// A return whose answer was lost is read, and not asked for again.
func TestBank_RefundReadFirst(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	var asked atomic.Int32
	h.Service.Banks = counted{h.Banks, &asked}
	h.Fault(t, control.Fault{Name: "drop-answer", On: "devolucao"})
	r := refund(t, h, c.ID, 40_00)
	h.Tend(t)
	h.Heal(t)
	ended(t, h, r.ID, models.RefundCompleted)
	if asked.Load() != 1 {
		t.Errorf("the return was asked for %d times", asked.Load())
	}
}

// A return by the id of a refund that has another amount ends nothing.
func TestBank_RefundOfAnotherAmount(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r := refund(t, h, c.ID, 40_00)
	_, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{{EndToEndID: r.EndToEndID, TxID: c.TxID,
		Amount: 100_00, PaidAt: h.Bank.Clock.Now(), Returns: []psp.Return{{ID: strings.ReplaceAll(r.ID, "_", ""),
			Status: psp.TransferDone, Amount: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	if r := expectRefund(t, h, r.ID, models.RefundRequested); !strings.Contains(r.Failure, "another amount") {
		t.Errorf("the refund is %+v", r)
	}
	held(t, h, 59_01, 0, 40_00)
}
