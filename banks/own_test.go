package banks_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
)

// waiting returns the credentials that wait at an account.
func waiting(t *testing.T, h *bankstest.House, id string) *models.BankCredential {
	t.Helper()
	c, err := models.BankCredentialOf(t.Context(), h.DB, id, models.CredentialNew)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func apply(t *testing.T, h *bankstest.House) {
	t.Helper()
	if err := h.Banks.ApplyDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func statusOf(t *testing.T, h *bankstest.House, id string) models.BankAccountStatus {
	t.Helper()
	a, err := models.BankAccountByID(t.Context(), h.DB, id)
	if err != nil {
		t.Fatal(err)
	}
	return a.Status
}

func want(t *testing.T, h *bankstest.House, id string, status models.BankAccountStatus) {
	t.Helper()
	if got := statusOf(t, h, id); got != status {
		t.Errorf("the account is %s, want %s", got, status)
	}
}

func forbidden(err error) bool { return refusal.Of(err).Code == refusal.Forbidden }

// An own account takes effect 24 hours after its approval, and not a moment before.
func TestOwn(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	id := h.ProposeOwn(t, banktest.Serve(t, "generic"))
	want(t, h, id, models.BankAccountDraft)
	h.ApproveOwn(t, id)
	waits := waiting(t, h, id)
	if at := waits.AppliesAt; at == nil || !at.Equal(waits.ApprovedAt.Add(24*time.Hour)) {
		t.Errorf("takes effect at %v", at)
	}
	if err := h.Banks.Approve(t.Context(), h.Supervisor(t), id, waits.ID); !changed(err) {
		t.Errorf("a second approval: %v", err)
	}
	h.Banks.Now = func() time.Time { return waits.AppliesAt.Add(-time.Millisecond) }
	apply(t, h)
	want(t, h, id, models.BankAccountDraft)
	h.Banks.Now = func() time.Time { return *waits.AppliesAt }
	if due, err := models.DueBankCredentials(t.Context(), h.DB, h.Banks.Now()); err != nil || len(due) != 1 {
		t.Errorf("due are %+v, %v", due, err)
	}
}

// What a merchant's log and the mails say of an own account, from its proposal to its end.
func TestOwn_Told(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	own := h.WithOwn(t)
	want(t, h, own.AccountID, models.BankAccountActive)
	want(t, h, h.AccountID, models.BankAccountActive) // one of each
	if err := h.Banks.Retire(t.Context(), h.Owner, own.AccountID, 2); err != nil {
		t.Fatal(err)
	}
	want(t, h, own.AccountID, models.BankAccountRetiring)
	want(t, h, h.AccountID, models.BankAccountActive)
	log := modelstest.Column[string](t, h.DB, `SELECT action ||
			CASE WHEN account_id = $1 THEN '' ELSE ' of no merchant' END
		FROM audit_log WHERE object_id = $2 ORDER BY id`, h.Gateway.Account.ID, own.AccountID)
	if diff := cmp.Diff([]string{"bank_account.proposed", "bank_account.credentials_approved", "bank_account.applied",
		"bank_account.retired"}, log); diff != "" {
		t.Errorf("the log (-want +got)\n%s", diff)
	}
	mails := modelstest.Column[string](t, h.DB, `SELECT params->>'bank_change' FROM mails
		WHERE kind = 'own_bank_changed' ORDER BY created_at, id`)
	slices.Sort(mails)
	if diff := cmp.Diff([]string{"own_applied", "own_credentials_approved", "own_proposed", "own_retired"},
		mails); diff != "" {
		t.Errorf("mails (-want +got)\n%s", diff)
	}
	if n := modelstest.One[int](t, h.DB,
		"SELECT count(*) FROM mails WHERE params::text LIKE '%Rui Alves%' AND kind = 'own_bank_changed'"); n > 0 {
		t.Error("the merchant is told who of the staff acted")
	}
}

// Only the owner proposes, retires and discards; only supervisors who are no members approve.
func TestOwn_Roles(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	bank := banktest.Serve(t, "generic")
	ctx, account, in := t.Context(), h.Gateway.Account.ID, bankstest.Account(t, bank)
	modelstest.Exec(t, h.DB, "UPDATE accounts SET document = $1", in.HolderDocument)
	rui := h.Supervisor(t)
	for _, role := range []models.Role{models.RoleAdmin, models.RoleFinance, models.RoleDeveloper, models.RoleViewer,
		""} {
		h.GiveRole(t, role)
		if _, err := h.Banks.ProposeOwn(ctx, h.Owner, account, in); !forbidden(err) {
			t.Errorf("%s proposes: %v", role, err)
		}
	}
	if _, err := h.Banks.ProposeOwn(ctx, rui, account, in); !forbidden(err) {
		t.Errorf("a supervisor proposes: %v", err)
	}
	h.GiveRole(t, models.RoleOwner)
	id := h.ProposeOwn(t, bank)
	credential := waiting(t, h, id).ID
	if _, err := h.Banks.ProposeOwn(ctx, h.Owner, account, in); !changed(err) {
		t.Errorf("a second proposal: %v", err)
	}
	for _, by := range []models.Actor{h.Owner, h.Staff(t), {}, {UserID: "usr_x"}} {
		if err := h.Banks.Approve(ctx, by, id, credential); !forbidden(err) {
			t.Errorf("%+v approves: %v", by, err)
		}
	}
	for _, by := range []models.Actor{rui, h.Staff(t), {UserID: "usr_x"}} {
		if err := h.Banks.Retire(ctx, by, id, 1); !forbidden(err) {
			t.Errorf("%+v retires: %v", by, err)
		}
		if _, err := h.Banks.ProposeCredential(ctx, by, id, in.Credential); !forbidden(err) {
			t.Errorf("%+v proposes credentials: %v", by, err)
		}
	}
	if err := h.Banks.Retire(ctx, h.Owner, h.AccountID, 2); !forbidden(err) {
		t.Errorf("the owner retires the installation's: %v", err)
	}
	modelstest.Exec(t, h.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')", account,
		rui.UserID)
	for name, err := range map[string]error{"approves": h.Banks.Approve(ctx, rui, id, credential),
		"discards": h.Banks.Discard(ctx, rui, id, credential)} {
		if !forbidden(err) {
			t.Errorf("a supervisor who is a member %s: %v", name, err)
		}
	}
	if err := h.Banks.Discard(ctx, h.Staff(t), id, credential); !forbidden(err) {
		t.Errorf("a reviewer discards: %v", err)
	}
	if err := h.Banks.Discard(ctx, h.Supervisor(t), id, credential); err != nil {
		t.Errorf("a supervisor discards: %v", err)
	}
	want(t, h, id, models.BankAccountClosed)
}

// What an owner may not propose, and what the refusal says.
func TestProposeOwn_Refused(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	bank := banktest.Serve(t, "generic")
	good := bankstest.Account(t, bank)
	ours := bankstest.Account(t, h.Bank)
	set := func(column string, value any) func(*testing.T, *banks.NewAccount) {
		return func(t *testing.T, _ *banks.NewAccount) {
			modelstest.Exec(t, h.DB, "UPDATE accounts SET "+column+" = $1", value)
		}
	}
	reset := func() {
		modelstest.Exec(t, h.DB, "UPDATE accounts SET document = $1, suspended = false, production_access = 'APPROVED'",
			good.HolderDocument)
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *banks.NewAccount)
		want   string
	}{
		"no access": {set("production_access", "REJECTED"), "production access"},
		"no number": {set("document", nil), "production access"},
		"suspended": {set("suspended", true), "suspended"},
		"another's certificate": {func(t *testing.T, in *banks.NewAccount) {
			in.HolderDocument = ""
			set("document", "52998224725")(t, in)
		}, "certificate is foreign_holder"},
		"another holder": {set("document", "52998224725"), "holderDocument is foreign_holder"},
		"the installation's key": {func(_ *testing.T, in *banks.NewAccount) { in.PixKey = ours.PixKey },
			"pixKey is taken"},
		"a bank of one's choice": {func(*testing.T, *banks.NewAccount) { h.Banks.AllowPrivate = false },
			"overrides is malformed"},
	} {
		reset()
		in := good
		c.change(t, &in)
		_, err := h.Banks.ProposeOwn(t.Context(), h.Owner, h.Gateway.Account.ID, in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		h.Banks.AllowPrivate = true
	}
	reset()
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_accounts WHERE account_id IS NOT NULL"); n > 0 {
		t.Errorf("%d are proposed", n)
	}
}

// The key is compared again at the approval: a key that is in use meanwhile is refused, and a key that only
// another merchant proposed hinders no one.
func TestOwn_KeyOnce(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	bank := banktest.Serve(t, "generic")
	id := h.ProposeOwn(t, bank)
	if _, findings, err := h.Banks.AddHere(t.Context(), bankstest.Account(t, bank)); err != nil {
		t.Fatalf("beside a merchant's proposal: %v %+v", err, findings)
	}
	err := h.Banks.Approve(t.Context(), h.Supervisor(t), id, waiting(t, h, id).ID)
	if problem, ok := errors.AsType[banks.Invalid](err); !ok || problem["pixKey"] != banks.Taken {
		t.Errorf("the approval: %v", err)
	}
}

// Credentials that were approved wait while the merchant is suspended or the bank does not accept them. The owner
// may discard them until they are applied.
func TestOwn_Waits(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	own := h.WithOwn(t)
	h.ProposeNext(t, own)
	h.ApproveOwn(t, own.AccountID)
	before, next := inUse(t, h, own.AccountID), waiting(t, h, own.AccountID).ID
	h.Later(banks.OwnWait)
	modelstest.Exec(t, h.DB, "UPDATE accounts SET suspended = true WHERE id = $1", h.Gateway.Account.ID)
	apply(t, h)
	if got := inUse(t, h, own.AccountID); got != before {
		t.Error("applied to a suspended account")
	}
	modelstest.Exec(t, h.DB, "UPDATE accounts SET suspended = false WHERE id = $1", h.Gateway.Account.ID)
	own.Fault(t, control.Fault{Name: "token-down"})
	apply(t, h)
	if got := inUse(t, h, own.AccountID); got != before {
		t.Error("applied although the bank does not accept them")
	}
	own.Heal(t)
	h.Later(time.Minute) // the breaker
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, h.Another(t)} {
		both.Go(func() { apply(t, process) })
	}
	both.Wait()
	if got := inUse(t, h, own.AccountID); got != next {
		t.Errorf("in use are %s, want %s", got, next)
	}
	const applied = "SELECT count(*) FROM audit_log WHERE action = 'bank_account.applied'"
	if n := modelstest.One[int](t, h.DB, applied); n != 2 {
		t.Errorf("applied %d times", n)
	}
	h.ProposeNext(t, own)
	h.ApproveOwn(t, own.AccountID)
	if err := h.Banks.Discard(t.Context(), h.Owner, own.AccountID, waiting(t, h, own.AccountID).ID); err != nil {
		t.Fatal(err)
	}
	h.Later(banks.OwnWait)
	apply(t, h)
	if got := inUse(t, h, own.AccountID); got != next {
		t.Error("discarded credentials were applied")
	}
}

func inUse(t *testing.T, h *bankstest.House, id string) string {
	t.Helper()
	c, err := models.BankCredentialOf(t.Context(), h.DB, id, models.CredentialActive)
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// A retired account takes what waits for it along, and is used again once new credentials take effect.
func TestOwn_RetiredAndBack(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	own := h.WithOwn(t)
	h.ProposeNext(t, own)
	h.ApproveOwn(t, own.AccountID)
	if err := h.Banks.Retire(t.Context(), h.Owner, own.AccountID, 2); err != nil {
		t.Fatal(err)
	}
	h.Later(banks.OwnWait)
	apply(t, h)
	want(t, h, own.AccountID, models.BankAccountRetiring)
	h.ProposeNext(t, own)
	h.ApproveOwn(t, own.AccountID)
	h.Later(banks.OwnWait)
	apply(t, h)
	want(t, h, own.AccountID, models.BankAccountActive)
}

// Two supervisors approve at once: one does.
func TestOwn_ApprovedAtOnce(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	id := h.ProposeOwn(t, banktest.Serve(t, "generic"))
	credential := waiting(t, h, id).ID
	var both sync.WaitGroup
	results := make(chan error, 2)
	for range cap(results) {
		by := h.Supervisor(t)
		both.Go(func() { results <- h.Banks.Approve(t.Context(), by, id, credential) })
	}
	both.Wait()
	first, second := <-results, <-results
	if first == nil {
		first, second = second, first
	}
	if second != nil || !changed(first) {
		t.Errorf("the approvals: %v, %v", first, second)
	}
}

// The end of an own account's certificate is mailed to the owner and not to the staff.
func TestOwn_CertificateEnds(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	own := h.WithOwn(t)
	modelstest.Exec(t, h.DB, `UPDATE bank_credentials SET status = 'RETIRED', retired_at = now()
		WHERE bank_account_id <> $1 AND status = 'ACTIVE'`, own.AccountID)
	ends := modelstest.One[time.Time](t, h.DB, "SELECT expires_at FROM bank_credentials WHERE id = $1",
		inUse(t, h, own.AccountID))
	h.Banks.Now = func() time.Time { return ends.Add(-time.Hour) }
	for range 2 {
		if err := h.Banks.WarnOfExpiry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := modelstest.Column[string](t, h.DB, "SELECT kind FROM mails WHERE kind LIKE '%certificate_ends'")
	if len(got) != 1 || got[0] != models.MailOwnBankCertificateEnds {
		t.Errorf("mails %v", got)
	}
}
