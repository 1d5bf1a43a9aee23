package main

import (
	"errors"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// The certificate has ended for the bank: charges are refused, and none is lost. The mails before its end are
// tested in package banks.
func TestBank_F34_CertificateOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	h.fault(control.Fault{Name: "expired-cert"})
	h.refused("pedido-2")
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	if got := h.try("bank", "check", h.accountID); got.status != 1 || !strings.Contains(got.out, "✗") {
		t.Errorf("check of the account says %s", got.out)
	}
	h.heal()
	h.hurried(c.ID, "PAID")
	h.told(c.ID, createdAndPaid...)
	h.sound()
}

// One bank of two hangs: what is charged and paid at the other goes on as ever.
func TestBank_F35_OneOfTwo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old := h.charge("pedido-1")
	waiting := h.charge("pedido-2")
	other := anotherBank(t, "")
	h.addBank(other) // the first one takes no new charges, and is still read
	hanging, working := h.control, control.Dial(other.folder.Socket())
	h.fault(control.Fault{Name: "hang"})
	h.control = working
	h.until("the new account is known", func() bool {
		const at = "SELECT count(*) FROM bank_charges b JOIN bank_accounts a ON a.id = b.bank_account_id " +
			"WHERE a.status = 'ACTIVE' AND b.status = 'OPEN'"
		h.post("/v1/checkouts", order(1800), "")
		return modelstest.One[int](t, h.db.DB, at) > 0
	})
	for range 3 {
		h.paid(h.charge(""))
	}
	if _, err := hanging.Pay(t.Context(), control.PayRequest{Code: old.Pix.CopyPaste}); err != nil {
		t.Fatal(err)
	}
	if got := h.read(h.key, old.ID).Status; got != "PENDING" {
		t.Errorf("the checkout of the bank that hangs is %s", got)
	}
	canceled := make(chan error, 1)
	go func() { canceled <- h.payments.CancelCheckout(t.Context(), h.owner, h.live, waiting.ID) }()
	h.until("the cancellation waits", func() bool {
		charge, err := models.BankChargeOf(t.Context(), h.db.Pool, waiting.ID)
		return err == nil && charge.Status == models.BankChargeRemoving
	})
	h.control = hanging
	h.heal()
	h.bank.kill() // ends the calls that hang
	h.bank.start()
	if err := <-canceled; err != nil && !errors.Is(err, payments.ErrCancelRequested) {
		t.Errorf("the cancellation: %v", err)
	}
	h.hurried(old.ID, "PAID")
	h.hurried(waiting.ID, "CANCELLED")
	h.told(old.ID, createdAndPaid...)
	h.told(waiting.ID, models.EventCheckoutCreated, models.EventCheckoutCancelled)
	h.sound()
}
