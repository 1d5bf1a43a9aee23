package main

import (
	"errors"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// The certificate has ended for the bank: charges are refused, and none is lost. Staff were told before.
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
	h.warnedOfEnd(30, 7, 1)
	h.opsSees(h.opsHealth(), "Problema", "O certificado vence em")
	h.sound()
}

// warnedOfEnd checks that a supervisor gets a mail as soon as the certificate has less than each number of days
// left.
func (h *house) warnedOfEnd(days ...int) {
	h.t.Helper()
	if _, err := h.merchants.AddStaff(h.t.Context(), merchants.NewStaff{Name: "Rui", Email: "rui@staff.example",
		Password: demoPassword(), Role: models.StaffSupervisor}); err != nil {
		h.t.Fatal(err)
	}
	modelstest.Exec(h.t, h.db.DB, "ALTER TABLE bank_credentials DISABLE TRIGGER bank_credentials_transition")
	for i, n := range days {
		modelstest.Exec(h.t, h.db.DB, `UPDATE bank_credentials
			SET expires_at = now() + make_interval(days => $1) - interval '1 minute'`, n)
		if err := h.banks.WarnOfExpiry(h.t.Context()); err != nil {
			h.t.Error(err)
		}
		const mails = "SELECT count(*) FROM mails WHERE kind = 'bank_certificate_ends'"
		if got := modelstest.One[int](h.t, h.db.DB, mails); got != i+1 {
			h.t.Errorf("%d days before the end there are %d mails", n, got)
		}
	}
}

// One bank of two hangs: what is charged and paid at the other goes on as ever.
func TestBank_F35_OneOfTwo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old := h.charge("pedido-1")
	waiting := h.charge("pedido-2")
	other := anotherBank(t, "")
	otherID := h.addBank(other) // the first one takes no new charges, and is still read
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
	h.until("its row is red", func() bool {
		modelstest.Exec(t, h.db.DB, `UPDATE bank_states SET silent_since = silent_since - interval '1 minute'
			WHERE bank_account_id = $1`, h.accountID)
		return strings.Contains(h.opsReads("/ops/saude", "health-"+h.accountID), "Problema")
	})
	h.opsSees("/ops/saude#health-"+otherID, "Tudo certo")
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
