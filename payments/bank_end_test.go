package payments_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

func expireDue(t *testing.T, h *bankstest.House) (n int) {
	t.Helper()
	n, err := h.ExpireDue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A charge is removed at its bank before its checkout is canceled.
func TestBank_Cancel(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, h, c.ID, models.CheckoutCancelled)
	expectCharge(t, h, c.ID, models.BankChargeRemoved)
	if _, removed := chargesAt(t, h); removed != 1 {
		t.Errorf("%d charges are removed at the bank", removed)
	}
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); refusal.Of(err).Code != refusal.CheckoutNotPending {
		t.Errorf("again: %v", err)
	}
}

// While the bank is silent a checkout stays pending, and the removal goes on without the caller.
func TestBank_CancelSilent(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.Fault(t, control.Fault{Name: "reset", On: "/cob"})
	for range 2 { // the member asks again
		err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID)
		if !errors.Is(err, payments.ErrCancelRequested) {
			t.Fatal(err)
		}
	}
	expect(t, h, c.ID, models.CheckoutPending)
	expectCharge(t, h, c.ID, models.BankChargeRemoving)
	h.Heal(t)
	h.Later(2 * time.Minute)
	h.Tend(t)
	expect(t, h, c.ID, models.CheckoutCancelled)
	expectCharge(t, h, c.ID, models.BankChargeRemoved)
}

// A cancellation and a payment cross: the payment wins at the bank, and here.
func TestBank_CancelPaid(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); refusal.Of(err).Code != refusal.CheckoutNotPending {
		t.Errorf("canceled: %v", err)
	}
	expect(t, h, c.ID, models.CheckoutPaid)
	expectCharge(t, h, c.ID, models.BankChargePaid)
}

// A member who may not sell removes nothing at the bank.
func TestBank_CancelRole(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.GiveRole(t, models.RoleViewer)
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("canceled: %v", err)
	}
	expectCharge(t, h, c.ID, models.BankChargeOpen)
}

// A charge that the bank removed cancels its checkout.
func TestBank_RemovedByBank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	if _, err := h.Bank.Control.Remove(t.Context(), control.RemoveRequest{TxID: c.TxID}); err != nil {
		t.Fatal(err)
	}
	h.Later(20 * time.Second)
	h.Tend(t)
	expect(t, h, c.ID, models.CheckoutCancelled)
	expectCharge(t, h, c.ID, models.BankChargeRemoved)
}

// The bank refuses payments before a checkout expires, and says that there was none, so the checkout
// expires in time.
func TestBank_Expire(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	h.Later(2*time.Minute - 5*time.Second) // after the end at the bank, before the end here
	if _, err := h.Bank.Control.Pay(t.Context(), control.PayRequest{Code: c.CopyPaste}); err == nil {
		t.Error("the bank takes a payment after the end")
	}
	h.Tend(t)
	expectCharge(t, h, c.ID, models.BankChargeLapsed)
	expect(t, h, c.ID, models.CheckoutPending)
	h.Later(5 * time.Second)
	if n := expireDue(t, h); n != 1 {
		t.Errorf("%d checkouts expired", n)
	}
	expect(t, h, c.ID, models.CheckoutExpired)
}

// A payment in the bank's last second makes the checkout PAID, although its time is over when the bank
// is asked.
func TestBank_LastSecond(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	h.Later(time.Until(*h.BankCharge(t, c.ID).PayableUntil) - 900*time.Millisecond)
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Later(15 * time.Second)
	if n := expireDue(t, h); n != 0 {
		t.Errorf("%d checkouts expired before the bank was asked", n)
	}
	h.Tend(t)
	expect(t, h, c.ID, models.CheckoutPaid)
}

// While the bank is silent, a checkout waits for a minute and expires. Money that was sent in time pays it
// when the bank speaks again; money that was sent late does not.
func TestBank_ExpireSilent(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	inTime := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	late := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	h.Pay(t, control.PayRequest{Code: inTime.CopyPaste})
	h.Fault(t, control.Fault{Name: "reset"})
	h.Later(2*time.Minute + 50*time.Second)
	if err := h.TendBank(t.Context(), h.AccountID); err == nil {
		t.Error("the bank is not silent")
	}
	if n := expireDue(t, h); n != 0 {
		t.Errorf("%d checkouts expired at once", n)
	}
	h.Later(12 * time.Second)
	if n := expireDue(t, h); n != 2 {
		t.Errorf("%d checkouts expired after a minute", n)
	}
	h.Heal(t)
	h.Pay(t, control.PayRequest{Code: late.CopyPaste, Late: true})
	h.Later(6 * time.Minute) // the breaker tries again
	h.Sweep(t)
	expect(t, h, inTime.ID, models.CheckoutPaid)
	expect(t, h, late.ID, models.CheckoutExpired)
	if got := exceptions(t, h); !slices.Equal(got, []string{"LATE"}) {
		t.Errorf("exceptions %s", got)
	}
}

// The bank is silent for an hour, and buyers pay in their apps. When it speaks again its list of that hour
// pays all checkouts, with the bank's times, also those that have expired here meanwhile.
func TestBank_DownAnHour(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	var all []*models.Checkout
	for range 4 {
		all = append(all, h.Charge(t, payments.NewCheckout{}))
	}
	h.Sweep(t)
	h.Fault(t, control.Fault{Name: "reset"})
	paidAt := map[string]time.Time{}
	for _, c := range all {
		h.Later(7 * time.Minute)
		paidAt[c.ID] = h.Bank.Clock.Now()
		h.Pay(t, control.PayRequest{Code: c.CopyPaste})
		_ = h.TendBank(t.Context(), h.AccountID) // it fails
		expireDue(t, h)
	}
	h.Later(32 * time.Minute)
	expireDue(t, h)
	expect(t, h, all[0].ID, models.CheckoutExpired)
	h.Heal(t)
	h.Later(time.Minute) // the breaker tries again
	h.Sweep(t)
	for _, c := range all {
		expect(t, h, c.ID, models.CheckoutPaid)
		if at := h.State(t, c.ID).PaidAt; at == nil || at.Sub(paidAt[c.ID]).Abs() > time.Second {
			t.Errorf("paid at %s by the books, at %s at the bank", at, paidAt[c.ID])
		}
	}
}

// Without a look at a charge the list of received Pix decides whether it has lapsed.
func TestBank_LapsesByList(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	h.Later(2 * time.Minute)
	h.Sweep(t)
	expectCharge(t, h, c.ID, models.BankChargeOpen)
	h.Later(6 * time.Second) // 15 s after the end at the bank
	h.Sweep(t)
	expectCharge(t, h, c.ID, models.BankChargeLapsed)
	if n := expireDue(t, h); n != 1 {
		t.Errorf("%d checkouts expired", n)
	}
}

// A charge that a payer could still pay after its checkout has expired is removed.
func TestBank_ExpiresFirst(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET payable_until = payable_until + interval '1 minute'")
	h.Later(2 * time.Minute)
	if n := expireDue(t, h); n != 1 {
		t.Errorf("%d checkouts expired", n)
	}
	expectCharge(t, h, c.ID, models.BankChargeRemoving)
	h.Tend(t)
	expectCharge(t, h, c.ID, models.BankChargeRemoved)
	expect(t, h, c.ID, models.CheckoutExpired)
}

// The work on a bank account goes on in another process when one ends in the middle.
func TestBank_Lease(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	now := h.Bank.Clock.Now()
	lease, err := models.LeaseBankSweep(context.Background(), h.DB.Pool, h.AccountID, now, now.Add(time.Minute))
	if err != nil || lease == nil {
		t.Fatal(lease, err)
	}
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPending)
	h.Later(61 * time.Second)
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPaid)
}
