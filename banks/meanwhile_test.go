package banks_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
)

// whileAsked makes something happen once, when the bank is asked about proposed credentials: Approve has
// checked the actor then, and has locked nothing.
func (h *house) whileAsked(t *testing.T, id string, happen func()) {
	t.Helper()
	var armed atomic.Bool
	h.Now = func() time.Time {
		if armed.CompareAndSwap(true, false) {
			happen()
		}
		return time.Now()
	}
	if _, err := h.Check(t.Context(), id); err != nil { // makes the client
		t.Fatal(err)
	}
	armed.Store(true)
}

// What changes while the bank is asked counts: a role that was taken, credentials that were discarded, a
// database that takes no writes. Nothing is approved then.
func TestApprove_Meanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happen  func(t *testing.T, h *house, id, credential string)
		refused func(error) bool
	}{
		"the supervisor is demoted": {func(t *testing.T, h *house, _, _ string) {
			modelstest.Exec(t, h.DB, "UPDATE users SET staff_role = $1 WHERE id = $2", models.StaffReviewer,
				h.rui.UserID)
		}, func(err error) bool { return refusal.Of(err).Code == refusal.Forbidden }},
		"the credentials are discarded": {func(t *testing.T, h *house, id, credential string) {
			if err := h.Discard(t.Context(), h.eva, id, credential); err != nil {
				t.Error(err)
			}
		}, changed},
		"others are proposed": {func(t *testing.T, h *house, id, _ string) {
			modelstest.Exec(t, h.DB, `UPDATE bank_credentials SET status = 'RETIRED', retired_at = now()
				WHERE bank_account_id = $1`, id)
			if _, err := h.ProposeCredential(t.Context(), h.eva, id, h.credential(t, time.Hour)); err != nil {
				t.Error(err)
			}
		}, changed},
		"the database takes no writes": {func(t *testing.T, h *house, _, _ string) {
			faulttest.ReadOnly(t, h.DB.Pool.Config().ConnString())
		}, func(err error) bool { return err != nil && refusal.Of(err).Code != refusal.Forbidden }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			id, credential := h.propose(t, h.eva, h.account(t))
			h.whileAsked(t, id, func() { c.happen(t, h, id, credential) })
			if err := h.Approve(t.Context(), h.rui, id, credential); !c.refused(err) {
				t.Errorf("the approval: %v", err)
			}
			if n := modelstest.One[int](t, h.DB,
				"SELECT count(*) FROM bank_credentials WHERE approved_at IS NOT NULL"); n > 0 {
				t.Error("the credentials are approved")
			}
		})
	}
}

// An account that retires while new credentials of it are approved has the new credentials, and stays
// retiring.
func TestApprove_CrossesRetire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, _, err := h.AddHere(t.Context(), h.account(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.ProposeCredential(t.Context(), h.eva, id, h.credential(t, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	h.whileAsked(t, id, func() {
		if err := h.Retire(t.Context(), h.eva, id, h.find(t, id).Version); err != nil {
			t.Error(err)
		}
	})
	if err := h.Approve(t.Context(), h.rui, id, second); err != nil {
		t.Error(err)
	}
	a, c := h.find(t, id), h.status(t, id, models.CredentialActive)
	if a.Status != models.BankAccountRetiring || c.ID != second {
		t.Errorf("the account is %+v with %+v", a, c)
	}
	if err := h.Retire(t.Context(), h.eva, id, h.find(t, id).Version); !changed(err) {
		t.Errorf("retiring it again: %v", err)
	}
}

// If the answer to the last COMMIT is lost, the error says that the approval may be done. It is done once:
// a second try learns that it was.
func TestApprove_CommitUnknown(t *testing.T) {
	t.Parallel()
	g, network := paymentstest.NewBehind(t)
	h := houseAt(t, g)
	id, credential := h.propose(t, h.eva, h.account(t))
	h.whileAsked(t, id, func() { network.LoseAnswers(1, "commit") })
	if err := h.Approve(t.Context(), h.rui, id, credential); !errors.Is(err, models.ErrCommitUnknown) {
		t.Errorf("the approval: %v", err)
	}
	if err := h.Approve(t.Context(), h.rui, id, credential); !changed(err) {
		t.Errorf("the second approval: %v", err)
	}
	if a := h.find(t, id); a.Status != models.BankAccountActive {
		t.Errorf("the account is %+v", a)
	}
	if got := h.audited(t, id); got != "bank_account.proposed bank_account.credentials_approved" {
		t.Errorf("audited %s", got)
	}
}

// Accounts that become active at the same time: one is active at the end, each other has given its place
// up, or was told that it came too late.
func TestActive_AtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const n = 3
	var all sync.WaitGroup
	begin := make(chan struct{})
	results := make(chan error, 2*n)
	for range n {
		drafted := &house{Bank: banktest.Serve(t, "generic"), Service: h.Service}
		id, credential := drafted.propose(t, h.eva, drafted.account(t))
		here := (&house{Bank: banktest.Serve(t, "generic")}).account(t)
		all.Go(func() { <-begin; results <- h.Approve(t.Context(), h.rui, id, credential) })
		all.Go(func() { <-begin; _, _, err := h.AddHere(t.Context(), here); results <- err })
	}
	close(begin)
	all.Wait()
	close(results)
	done := 0
	for err := range results {
		if err == nil {
			done++
		} else if !changed(err) {
			t.Error(err)
		}
	}
	now := strings.Join(modelstest.Column[string](t, h.DB,
		"SELECT status FROM bank_accounts WHERE status <> 'DRAFT' ORDER BY status"), " ")
	if want := strings.TrimSpace("ACTIVE" + strings.Repeat(" RETIRING", done-1)); now != want {
		t.Errorf("%d became active, the accounts are %s", done, now)
	}
}

// A person who may not approve makes us call no bank.
func TestApprove_StrangerCallsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, credential := h.propose(t, h.eva, h.account(t))
	if err := h.Bank.Control.SetFault(t.Context(), control.Fault{Name: "token-down", Times: 1}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []models.Actor{h.eva, h.bia, h.Gateway.Owner, {}, {UserID: "usr_x"}} {
		if err := h.Approve(t.Context(), by, id, credential); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%+v: %v", by, err)
		}
	}
	for _, ids := range [][2]string{{"bnk_x", credential}, {"", ""}, {id, "bcr_x"}} {
		if err := h.Approve(t.Context(), h.rui, ids[0], ids[1]); !changed(err) && !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%v: %v", ids, err)
		}
	}
	if state, err := h.Bank.Control.State(t.Context()); err != nil || len(state.Faults) != 1 {
		t.Errorf("the bank was called: %+v, %v", state.Faults, err)
	}
}

// No secret is in a log, an error or a finding, whatever the bank does.
func TestCheck_TellsNoSecret(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var told bytes.Buffer
	h.Log = slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug}))
	in := h.account(t)
	in.Credential.AppKey = "app-key-in-plain-text"
	id, _ := h.propose(t, h.eva, in)
	for _, fault := range []string{"", "token-down", "401", "403", "429", "500-done", "reset", "fewer-scopes",
		"expired-cert"} {
		if err := h.Bank.Control.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
		if fault != "" {
			if err := h.Bank.Control.SetFault(t.Context(), control.Fault{Name: fault}); err != nil {
				t.Fatal(err)
			}
		}
		findings, err := h.Check(t.Context(), id)
		fmt.Fprintln(&told, fault, findings, err)
	}
	for name, secret := range map[string]string{"secret": in.Credential.ClientSecret, "app key": in.Credential.AppKey,
		"key": strings.Split(string(in.Credential.Files.Key), "\n")[1], "PEM": "PRIVATE KEY", "token": "Bearer "} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("the %s is told:\n%s", name, told.String())
		}
	}
}
