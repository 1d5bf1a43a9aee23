package bankstest

import (
	"testing"

	"garoupa/banks"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/banktest"
)

// WithOwn gives the house's merchant an own account at a bank of its own, which is active. It returns the same
// house at that bank; the two share their clock.
func (h *House) WithOwn(t testing.TB) *House {
	t.Helper()
	own := &House{Gateway: h.Gateway, Banks: h.Banks, Bank: banktest.Serve(t, "generic"), beside: h}
	own.Bank.Clock.Add(h.Bank.Clock.Now().Sub(own.Bank.Clock.Now()))
	h.beside = own
	own.AccountID = h.ProposeOwn(t, own.Bank)
	h.ApproveOwn(t, own.AccountID)
	h.Later(banks.OwnWait)
	if err := h.Banks.ApplyDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	return own
}

// ProposeOwn proposes an account at a bank as the own one of the house's merchant, which gets the document of
// the bank's holder, and returns its id.
func (h *House) ProposeOwn(t testing.TB, bank *banktest.Bank) string {
	t.Helper()
	in := Account(t, bank)
	err := h.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.SetAccountDocument(tx, h.Gateway.Account.ID, in.HolderDocument)
	})
	if err != nil {
		t.Fatal(err)
	}
	id, err := h.Banks.ProposeOwn(t.Context(), h.Owner, h.Gateway.Account.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ProposeNext proposes the credentials of an own account's bank once more, and returns their id.
func (h *House) ProposeNext(t testing.TB, own *House) string {
	t.Helper()
	id, err := h.Banks.ProposeCredential(t.Context(), h.Owner, own.AccountID, Account(t, own.Bank).Credential)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ApproveOwn approves the credentials that wait at an account, as a supervisor.
func (h *House) ApproveOwn(t testing.TB, id string) {
	t.Helper()
	waiting, err := models.BankCredentialOf(t.Context(), h.DB, id, models.CredentialNew)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Banks.Approve(t.Context(), h.Supervisor(t), id, waiting.ID); err != nil {
		t.Fatal(err)
	}
}

// Supervisor adds a supervisor to the staff.
func (h *House) Supervisor(t testing.TB) models.Actor {
	t.Helper()
	id, err := h.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Rui Alves",
		Email: models.NewRefundID() + "@staff.example", Password: paymentstest.Password, Role: models.StaffSupervisor})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id, IP: "127.0.0.1"}
}
