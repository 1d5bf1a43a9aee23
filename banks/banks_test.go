package banks_test

import (
	"crypto/x509"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/banks"
	"garoupa/internal/clientcert"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bacen"
	"garoupa/pix/psp/bank/banktest"
)

// house is an installation with two supervisors and a reviewer, beside a bank.
type house struct {
	*banks.Service
	Gateway       *paymentstest.Gateway
	Bank          *banktest.Bank
	eva, rui, bia models.Actor // supervisors, and a reviewer
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return houseAt(t, paymentstest.New(t))
}

func houseAt(t *testing.T, g *paymentstest.Gateway) *house {
	t.Helper()
	profiles, err := bacen.Profiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{Gateway: g, Bank: banktest.Serve(t, "generic"), Service: banks.New(banks.Options{
		DB: g.DB, Vault: g.Vault, Profiles: profiles, AllowPrivate: true, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})}
	staff := func(name string, role models.StaffRole) models.Actor {
		id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: name, Email: name + "@staff.example",
			Password: paymentstest.Password, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		return models.Actor{UserID: id, IP: "127.0.0.1"}
	}
	h.eva, h.rui = staff("eva", models.StaffSupervisor), staff("rui", models.StaffSupervisor)
	h.bia = staff("bia", models.StaffReviewer)
	return h
}

// account is the bank's account, as a supervisor enters it.
func (h *house) account(t *testing.T) banks.NewAccount {
	t.Helper()
	at := h.Bank.Folder.Account
	authority, err := h.Bank.Folder.AuthorityPEM()
	if err != nil {
		t.Fatal(err)
	}
	overrides := `{"base": "` + h.Bank.Base() + `", "token_url": "` + h.Bank.TokenURL() + `", "ca": "` +
		strings.ReplaceAll(string(authority), "\n", `\n`) + `"}`
	return banks.NewAccount{Name: "Conta principal", Profile: "generic", Overrides: overrides, PixKey: at.PixKey,
		HolderName: at.HolderName, HolderDocument: "11.222.333/0001-81", Credential: h.credential(t, time.Hour)}
}

// credential are new credentials whose certificate lasts for some time.
func (h *house) credential(t *testing.T, life time.Duration) banks.NewCredential {
	t.Helper()
	at, now := h.Bank.Folder.Account, time.Now()
	certificate, key, err := h.Bank.Folder.Issue(at.ClientID, now.Add(-2*time.Hour), now.Add(life),
		x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	return banks.NewCredential{ClientID: at.ClientID, ClientSecret: at.ClientSecret,
		Files: clientcert.Files{Certificate: certificate, Key: key}}
}

// propose proposes the bank's account and returns the ids of the account and of its credentials.
func (h *house) propose(t *testing.T, by models.Actor, in banks.NewAccount) (id, credentialID string) {
	t.Helper()
	id, err := h.Propose(t.Context(), by, in)
	if err != nil {
		t.Fatal(err)
	}
	return id, h.status(t, id, models.CredentialNew).ID
}

func (h *house) status(t *testing.T, id string, status models.CredentialStatus) *models.BankCredential {
	t.Helper()
	c, err := models.BankCredentialOf(t.Context(), h.DB, id, status)
	if err != nil {
		t.Fatalf("credentials %s of %s: %v", status, id, err)
	}
	return c
}

func (h *house) find(t *testing.T, id string) *models.BankAccount {
	t.Helper()
	account, err := models.BankAccountByID(t.Context(), h.DB, id)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// audited returns the actions about an account.
func (h *house) audited(t *testing.T, id string) string {
	t.Helper()
	return strings.Join(modelstest.Column[string](t, h.DB,
		"SELECT action FROM audit_log WHERE object_id = $1 ORDER BY id", id), " ")
}

func changed(err error) bool { return refusal.Of(err).Code == banks.ErrChanged.Code }

// An account becomes active when another supervisor approves it, and the bank accepts its credentials.
func TestApprove(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, credential := h.propose(t, h.eva, h.account(t))
	if a := h.find(t, id); a.Status != models.BankAccountDraft || a.HolderDocument != "11222333000181" {
		t.Errorf("the proposed account is %+v", a)
	}
	findings, err := h.Check(t.Context(), id)
	if err != nil || len(findings) < 5 {
		t.Errorf("found %+v, %v", findings, err)
	}
	for name, by := range map[string]models.Actor{"the author": h.eva, "a reviewer": h.bia,
		"the merchant": h.Gateway.Owner} {
		if err := h.Approve(t.Context(), by, id, credential); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := h.Approve(t.Context(), h.rui, id, credential); err != nil {
		t.Fatal(err)
	}
	a, c := h.find(t, id), h.status(t, id, models.CredentialActive)
	if a.Status != models.BankAccountActive || a.Version != 2 || c.ID != credential || *c.ApprovedBy != h.rui.UserID {
		t.Errorf("the account is %+v with %+v", a, c)
	}
	if err := h.Approve(t.Context(), h.rui, id, credential); !changed(err) {
		t.Errorf("a second approval: %v", err)
	}
	if got := h.audited(t, id); got != "bank_account.proposed bank_account.credentials_approved" {
		t.Errorf("audited %s", got)
	}
	told := modelstest.Column[string](t, h.DB, `SELECT concat_ws(' ', recipient, params->>'bank_change', params->>'by')
		FROM mails WHERE kind = 'bank_account_changed' ORDER BY created_at, recipient`)
	if diff := cmp.Diff([]string{"eva@staff.example proposed eva", "rui@staff.example proposed eva",
		"eva@staff.example credentials_approved rui", "rui@staff.example credentials_approved rui"}, told); diff != "" {
		t.Errorf("mails (-want +got)\n%s", diff)
	}
	if f, err := h.CheckCharge(t.Context(), id); err != nil || !f.OK {
		t.Errorf("a charge: %+v, %v", f, err)
	}
}

// The database and the audit log have no secret in plain text.
func TestPropose_Seals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.account(t)
	in.Credential.AppKey = "app-key-in-plain-text"
	id, _ := h.propose(t, h.eva, in)
	for name, secret := range map[string]string{"secret": in.Credential.ClientSecret, "app key": in.Credential.AppKey,
		"key": strings.Split(string(in.Credential.Files.Key), "\n")[1], "PEM": "PRIVATE KEY"} {
		if n := modelstest.One[int](t, h.DB, `SELECT count(*) FROM bank_credentials
			WHERE strpos(encode(client_secret || app_key || certificate || private_key, 'escape'), $1) > 0`,
			secret); n > 0 {
			t.Errorf("the %s is in plain text", name)
		}
		if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM audit_log WHERE strpos(detail::text, $1) > 0",
			secret); n > 0 {
			t.Errorf("the audit log has the %s", name)
		}
	}
	if got := h.find(t, id); got.Status != models.BankAccountDraft {
		t.Errorf("the account is %+v", got)
	}
}

// The same account is proposed twice at once: one proposal waits, and the other is told that the key is
// taken. So is a command on the server, until the proposal is discarded.
func TestPropose_AtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.account(t)
	var proposals sync.WaitGroup
	results := make(chan error, 2)
	for range cap(results) {
		proposals.Go(func() { _, err := h.Propose(t.Context(), h.eva, in); results <- err })
	}
	proposals.Wait()
	first, second := <-results, <-results
	if first == nil {
		first, second = second, first
	}
	taken := func(err error) bool {
		var invalid banks.Invalid
		return errors.As(err, &invalid) && invalid["pixKey"] == banks.Taken
	}
	if second != nil || !taken(first) {
		t.Errorf("the proposals: %v, %v", first, second)
	}
	if _, _, err := h.AddHere(t.Context(), in); !taken(err) {
		t.Errorf("beside a proposal: %v", err)
	}
	all, err := models.BankAccounts(t.Context(), h.DB)
	if err != nil || len(all) != 1 {
		t.Fatalf("the accounts are %+v, %v", all, err)
	}
	if err := h.Discard(t.Context(), h.rui, all[0].ID, h.status(t, all[0].ID, models.CredentialNew).ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Propose(t.Context(), h.eva, in); err != nil {
		t.Errorf("after it was discarded: %v", err)
	}
}

// Credentials that the bank does not accept are not approved, and what was in use stays in use.
func TestApprove_BankRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.account(t)
	in.Credential.ClientSecret = "another"
	id, credential := h.propose(t, h.eva, in)
	err := h.Approve(t.Context(), h.rui, id, credential)
	var failed banks.Failed
	if !errors.As(err, &failed) || failed[1].Check != "token" || failed[1].OK {
		t.Errorf("the approval: %v, %+v", err, failed)
	}
	if a := h.find(t, id); a.Status != models.BankAccountDraft {
		t.Errorf("the account is %+v", a)
	}
}

// New credentials replace the old ones at their approval, and not before. The secrets of the old
// ones are erased a day later.
func TestRotation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, first := h.propose(t, h.eva, h.account(t))
	if err := h.Approve(t.Context(), h.rui, id, first); err != nil {
		t.Fatal(err)
	}
	second, err := h.ProposeCredential(t.Context(), h.rui, id, h.credential(t, 60*24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.ProposeCredential(t.Context(), h.eva, id, h.credential(t, time.Hour)); !changed(err) {
		t.Errorf("credentials beside proposed ones: %v", err)
	}
	if c := h.status(t, id, models.CredentialActive); c.ID != first {
		t.Errorf("before the approval %s are in use", c.ID)
	}
	if err := h.Approve(t.Context(), h.eva, id, second); err != nil {
		t.Fatal(err)
	}
	if c := h.status(t, id, models.CredentialActive); c.ID != second {
		t.Errorf("after the approval %s are in use", c.ID)
	}
	for hours, want := range map[time.Duration]bool{23: true, 25: false} {
		before := time.Now().Add(hours * time.Hour).Add(-24 * time.Hour)
		if _, err := models.EraseRetiredCredentials(t.Context(), h.DB.Pool, before); err != nil {
			t.Fatal(err)
		}
		if kept := modelstest.One[bool](t, h.DB, "SELECT private_key IS NOT NULL FROM bank_credentials WHERE id = $1",
			first); kept != want && hours > 24 {
			t.Errorf("after %d hours the key is kept: %t", hours, kept)
		}
	}
	if a := h.find(t, id); a.Status != models.BankAccountActive {
		t.Errorf("the account is %+v", a)
	}
}

// Two supervisors approve at the same time: one does, and the other learns that it was done.
func TestApprove_AtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	third, err := h.Gateway.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "ana", Email: "ana@staff.example",
		Password: paymentstest.Password, Role: models.StaffSupervisor})
	if err != nil {
		t.Fatal(err)
	}
	id, credential := h.propose(t, h.eva, h.account(t))
	var approvals sync.WaitGroup
	results := make(chan error, 2)
	for _, by := range []models.Actor{h.rui, {UserID: third}} {
		approvals.Go(func() { results <- h.Approve(t.Context(), by, id, credential) })
	}
	approvals.Wait()
	first, second := <-results, <-results
	if first == nil {
		first, second = second, first
	}
	if second != nil || !changed(first) {
		t.Errorf("the approvals: %v, %v", first, second)
	}
	if got := h.audited(t, id); got != "bank_account.proposed bank_account.credentials_approved" {
		t.Errorf("audited %s", got)
	}
}

// An account that is approved takes the place of the active one, which is still read.
func TestApprove_Replaces(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old, findings, err := h.AddHere(t.Context(), h.account(t))
	if err != nil || len(findings) < 5 {
		t.Fatalf("%+v, %v", findings, err)
	}
	if _, _, err := h.AddHere(t.Context(), h.account(t)); err == nil || err.Error() !=
		"banks: add an account: banks: pixKey is taken" {
		t.Errorf("the same key twice: %v", err)
	}
	other := newHouse(t)
	other.Service, other.Gateway, other.eva, other.rui = h.Service, h.Gateway, h.eva, h.rui
	id, credential := other.propose(t, h.eva, other.account(t))
	if err := h.Approve(t.Context(), h.rui, id, credential); err != nil {
		t.Fatal(err)
	}
	active, err := models.ActiveBankAccount(t.Context(), h.DB)
	if err != nil || active.ID != id || h.find(t, old).Status != models.BankAccountRetiring {
		t.Errorf("active is %+v, %v; the old one is %+v", active, err, h.find(t, old))
	}
	if diff := cmp.Diff("bank_account.added_on_server", h.audited(t, old)); diff != "" {
		t.Errorf("audited (-want +got)\n%s", diff)
	}
}

// A command on the server adds nothing that the bank does not accept.
func TestAddHere_BankRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.account(t)
	in.Credential.ClientID = "another"
	_, findings, err := h.AddHere(t.Context(), in)
	var failed banks.Failed
	if all, _ := models.BankAccounts(t.Context(), h.DB); !errors.As(err, &failed) || len(findings) < 2 || len(all) > 0 {
		t.Errorf("%+v, %v; the accounts are %+v", findings, err, all)
	}
}

// Proposed credentials can be discarded, an active account retired, by what the actor has seen.
func TestDiscard_Retire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, credential := h.propose(t, h.eva, h.account(t))
	if err := h.Discard(t.Context(), h.bia, id, credential); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("a reviewer: %v", err)
	}
	if err := h.Discard(t.Context(), h.rui, id, credential); err != nil {
		t.Fatal(err)
	}
	if err := h.Approve(t.Context(), h.rui, id, credential); !changed(err) {
		t.Errorf("approving what was discarded: %v", err)
	}
	if a := h.find(t, id); a.Status != models.BankAccountClosed {
		t.Errorf("the discarded account is %+v", a)
	}
	active, _, err := h.AddHere(t.Context(), h.account(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Retire(t.Context(), h.eva, active, 1); !changed(err) {
		t.Errorf("an old version: %v", err)
	}
	if err := h.Retire(t.Context(), h.eva, active, h.find(t, active).Version); err != nil {
		t.Fatal(err)
	}
	if _, err := models.ActiveBankAccount(t.Context(), h.DB); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("after it retired there is an active account: %v", err)
	}
}
