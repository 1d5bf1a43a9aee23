package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// A Pix of the bank's last second pays the checkout, although its time is over when the bank is asked.
func TestBank_F19_LastSecond(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for round := 0; ; round++ {
		c := h.chargeFor(60, "")
		const end = "SELECT payable_until FROM bank_charges WHERE checkout_id = $1"
		until := modelstest.One[time.Time](t, h.db.DB, end, c.ID)
		h.fault(control.Fault{Name: "skew", Value: (time.Until(until) - 900*time.Millisecond).String()})
		_, err := h.control.Pay(t.Context(), control.PayRequest{Code: c.Pix.CopyPaste})
		h.heal()
		if err != nil && round < 20 { // the second is over on a busy machine
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		h.over(c.ID)
		h.hurried(c.ID, "PAID")
		h.told(c.ID, createdAndPaid...)
		break
	}
	h.sound()
}

// A Pix with a time of the bank after the end: the checkout stays expired, and the buyer reads whom to ask.
func TestBank_F20_Late(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	h.over(c.ID)
	h.shows(c, "Este código Pix venceu", false) // already before the bank has said that it was not paid
	h.hurried(c.ID, "EXPIRED")
	h.chargeIs(c.ID, models.BankChargeLapsed, "")
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste, Late: true})
	h.hurriedUntil("it is a case", func() bool { return len(h.cases()) > 0 })
	h.expectCases("LATE")
	h.opsSees("/ops/excecoes", "Pago depois do vencimento")
	h.shows(c, "Seu Pix chegou, mas não fechou esta compra", false)
	h.shows(c, "Fale com Ateliê Aurora e mostre o comprovante", false)
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutExpired)
	h.sound()
}

// A cancellation and a payment cross: the payment counts.
func TestBank_F21_CancelledWhilePaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	// The payment has these seconds; the product gives the bank eight.
	h.fault(control.Fault{Name: "slow", Value: "4s", On: "/cob/", Times: 1})
	canceled := make(chan error, 1)
	go func() { canceled <- h.payments.CancelCheckout(t.Context(), h.owner, h.live, c.ID) }()
	h.until("the cancellation is under way", func() bool {
		charge, err := models.BankChargeOf(t.Context(), h.db.Pool, c.ID)
		return err == nil && charge.Status == models.BankChargeRemoving
	})
	h.shows(c, "Cobrança cancelada", false)
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	if err := <-canceled; refusal.Of(err).Code != refusal.CheckoutNotPending {
		t.Errorf("the cancellation: %v", err)
	}
	h.awaits(c.ID, "PAID")
	h.shows(c, "Pagamento confirmado", false)
	h.told(c.ID, createdAndPaid...)
	h.sound()
}

// While the bank does not confirm a cancellation the checkout can be paid; the cancellation goes on without
// the member.
func TestBank_F21_CancelledInSilence(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	h.fault(control.Fault{Name: "reset", On: "/cob/"})
	err := h.payments.CancelCheckout(t.Context(), h.owner, h.live, c.ID)
	if !errors.Is(err, payments.ErrCancelRequested) {
		t.Errorf("the cancellation: %v", err)
	}
	h.chargeIs(c.ID, models.BankChargeRemoving, "bank: remove charge")
	if got := h.read(h.key, c.ID).Status; got != "PENDING" {
		t.Errorf("the checkout is %s", got)
	}
	h.heal()
	h.hurried(c.ID, "CANCELLED")
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutCancelled)
	h.sound()
}

// The bank removes a charge by itself.
func TestBank_F22_RemovedByBank(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	txID := modelstest.One[string](t, h.db.DB, "SELECT txid FROM bank_charges WHERE checkout_id = $1", c.ID)
	removed, err := h.control.Remove(t.Context(), control.RemoveRequest{TxID: txID})
	if err != nil || !strings.HasPrefix(removed.Status, "REMOVID") {
		t.Fatal(removed, err)
	}
	h.hurried(c.ID, "CANCELLED")
	h.chargeIs(c.ID, models.BankChargeRemoved, "")
	h.shows(c, "Cobrança cancelada", false)
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutCancelled)
	h.opsSees("/ops/cobrancas/"+c.ID, "Cobrança removida pelo banco")
	h.sound()
}
