// Package bankstest gives tests a gateway that charges at a bank: the bank of pix/psp/bank, over real TLS,
// with the gateway on the bank's clock.
package bankstest

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/internal/clientcert"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bacen"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

// House is a gateway with one active bank account, and its bank.
type House struct {
	*paymentstest.Gateway
	Banks     *banks.Service
	Bank      *banktest.Bank
	AccountID string // of the bank account

	beside   *House // the same gateway at its other bank; nil without one
	profiles []byte // as Known has it
}

// New returns a house whose merchant may charge in live.
func New(t testing.TB) *House {
	t.Helper()
	return At(t, "generic")
}

// At is New at a bank with this profile.
func At(t testing.TB, profile string) *House {
	t.Helper()
	return Known(t, profile, "")
}

// Known is At with what a file of GAROUPA_BANK_PROFILES says of banks, "" for none.
func Known(t testing.TB, profile, profiles string) *House {
	t.Helper()
	g := paymentstest.NewWith(t, nil)
	g.Approve(t)
	h := &House{Gateway: g, Bank: banktest.Serve(t, profile), profiles: []byte(profiles)}
	h.Join(t)
	account := Account(t, h.Bank)
	account.Profile = profile
	id, findings, err := h.Banks.AddHere(t.Context(), account)
	if err != nil {
		t.Fatalf("%v: %+v", err, findings)
	}
	h.AccountID = id
	return h
}

// Join gives the house's gateway its clients of banks and the bank's clock, as a process that starts has
// them.
func (h *House) Join(t testing.TB) {
	t.Helper()
	profiles, err := bacen.Profiles(h.profiles)
	if err != nil {
		t.Fatal(err)
	}
	h.Banks = banks.New(banks.Options{DB: h.DB, Vault: h.Vault, Profiles: profiles, AllowPrivate: true,
		Now: h.Bank.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	h.Service.Banks, h.Service.Now = h.Banks, h.Bank.Clock.Now
}

// Another returns the same house as in another process.
func (h *House) Another(t testing.TB) *House {
	t.Helper()
	other := &House{Gateway: h.Gateway.Another(t), Bank: h.Bank, AccountID: h.AccountID, profiles: h.profiles}
	other.Join(t)
	return other
}

// Account returns the account of a bank that is being served.
func Account(t testing.TB, b *banktest.Bank) banks.NewAccount {
	t.Helper()
	authority, err := b.Folder.AuthorityPEM()
	if err != nil {
		t.Fatal(err)
	}
	overrides, err := json.Marshal(map[string]any{"base": b.Base(), "token_url": b.TokenURL(), "ca": string(authority),
		"notice_proof": map[string]string{"ca": string(authority), "common_name": folder.CommonName}})
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(b.Folder.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	state, err := b.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := b.Folder.Account
	return banks.NewAccount{
		Name: "Conta principal", Profile: state.Profile, Overrides: string(overrides), PixKey: at.PixKey,
		AccountNumber: "1", HolderName: at.HolderName, HolderDocument: at.HolderDocument,
		Credential: banks.NewCredential{ClientID: at.ClientID, ClientSecret: at.ClientSecret, AppKey: "teste",
			Files: clientcert.Files{Certificate: read("client.crt"), Key: read("client.key")}},
	}
}

// Charge creates a live checkout.
func (h *House) Charge(t testing.TB, in payments.NewCheckout) *models.Checkout {
	t.Helper()
	c, created, err := h.CreateCheckout(t.Context(), h.Live, h.Gateway.Account, paymentstest.Filled(in))
	if err != nil || !created {
		t.Fatalf("created %t, %v", created, err)
	}
	return c
}

// Pay pays a checkout's code at the bank and returns the ids of the Pix.
func (h *House) Pay(t testing.TB, r control.PayRequest) []string {
	t.Helper()
	paid, err := h.Bank.Control.Pay(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return paid.EndToEndIDs
}

// Fault makes the bank fail.
func (h *House) Fault(t testing.TB, f control.Fault) {
	t.Helper()
	if err := h.Bank.Control.SetFault(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// Heal ends the bank's faults.
func (h *House) Heal(t testing.TB) {
	t.Helper()
	if err := h.Bank.Control.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Tend does once what is due at the bank account.
func (h *House) Tend(t testing.TB) {
	t.Helper()
	if err := h.TendBank(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
}

// Sweep reads the bank's list of received Pix, as if it were time.
func (h *House) Sweep(t testing.TB) {
	t.Helper()
	if err := models.HurryBankSweep(t.Context(), h.DB.Pool, h.AccountID); err != nil {
		t.Fatal(err)
	}
	h.Tend(t)
}

// Later moves the clock of the banks and of the gateway.
func (h *House) Later(d time.Duration) {
	h.Bank.Clock.Add(d)
	if h.beside != nil {
		h.beside.Bank.Clock.Add(d)
	}
}

// State returns a live checkout as it is now.
func (h *House) State(t testing.TB, id string) *models.Checkout {
	t.Helper()
	c, err := h.Service.Checkout(t.Context(), h.Live, id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// BankCharge returns the charge of a checkout as it is now.
func (h *House) BankCharge(t testing.TB, checkoutID string) *models.BankCharge {
	t.Helper()
	c, err := models.BankChargeOf(t.Context(), h.DB.Pool, checkoutID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
