package merchants_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// named returns the name of the account that buyers see, and the states of its proposed names, the first first.
func named(t *testing.T, g *paymentstest.Gateway) (name string, proposals []string) {
	t.Helper()
	account, err := models.AccountByID(t.Context(), g.DB, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	list := modelstest.One[string](t, g.DB, `SELECT coalesce(string_agg(name || ' ' || status, ','
		ORDER BY proposed_at), '') FROM name_proposals`)
	return account.Name, strings.Split(list, ",")
}

// approved returns a gateway whose account was approved for live, and two members of staff.
func approved(t *testing.T) (g *paymentstest.Gateway, eva, rui models.Actor) {
	t.Helper()
	g = paymentstest.New(t)
	eva, rui = newStaff(t, g, "eva@staff.example", models.StaffReviewer), newStaff(t, g, "rui@staff.example",
		models.StaffReviewer)
	modelstest.Exec(t, g.DB, "UPDATE accounts SET production_access = 'APPROVED'")
	return g, eva, rui
}

// rename asks for a new name and returns the id of the proposal.
func rename(t *testing.T, g *paymentstest.Gateway, name string) string {
	t.Helper()
	if reviewed, err := g.Merchants.Rename(t.Context(), g.Owner, name); err != nil || !reviewed {
		t.Fatalf("reviewed: %t, %v", reviewed, err)
	}
	p, err := models.LatestNameProposal(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Second)
	return p.ID
}

// The new name of an account that was approved for live waits for staff; buyers see the former one until then.
func TestRename_Reviewed(t *testing.T) {
	t.Parallel()
	g, eva, rui := approved(t)
	m, before := g.Merchants, g.Account.Name
	_, secret, err := m.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "Loja",
		Permissions: []models.Permission{models.PermissionCheckoutRead}})
	if err != nil {
		t.Fatal(err)
	}
	byKey := func() string {
		key, err := m.Authenticate(t.Context(), secret, "203.0.113.9")
		if err != nil {
			t.Fatal(err)
		}
		return key.Account.Name
	}
	first := rename(t, g, "Banco do Povo")
	if again := rename(t, g, "Banco do Povo"); again != first {
		t.Error("the same name is proposed twice")
	}
	second := rename(t, g, "Ateliê Lua")
	if name, proposals := named(t, g); name != before || byKey() != before ||
		!slices.Equal(proposals, []string{"Banco do Povo WITHDRAWN", "Ateliê Lua PENDING"}) {
		t.Fatalf("before the decision: %q, %q", name, proposals)
	}
	if err := m.ApproveName(t.Context(), eva, first); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("a withdrawn name is approved: %v", err)
	}
	if err := m.ApproveName(t.Context(), eva, second); err != nil {
		t.Fatal(err)
	}
	if name, _ := named(t, g); name != "Ateliê Lua" || byKey() != "Ateliê Lua" {
		t.Errorf("approved, and the name is %q, %q by the key", name, byKey())
	}
	for name, err := range map[string]error{
		"approve again":      m.ApproveName(t.Context(), rui, second),
		"refuse an approved": m.RefuseName(t.Context(), rui, second, paymentstest.Reason),
		"withdraw":           m.WithdrawName(t.Context(), g.Owner, second),
	} {
		if !errors.Is(err, merchants.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	third := rename(t, g, "Ateliê Sol")
	if err := m.RefuseName(t.Context(), eva, third, " x "); err == nil {
		t.Error("refused without a reason")
	}
	if err := m.RefuseName(t.Context(), eva, third, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	if err := m.WithdrawName(t.Context(), g.Owner, rename(t, g, "Ateliê Mar")); err != nil {
		t.Fatal(err)
	}
	if name, proposals := named(t, g); name != "Ateliê Lua" || !slices.Equal(proposals[1:],
		[]string{"Ateliê Lua APPROVED", "Ateliê Sol REFUSED", "Ateliê Mar WITHDRAWN"}) {
		t.Errorf("in the end: %q, %q", name, proposals)
	}
	told := modelstest.One[string](t, g.DB, `SELECT string_agg(kind || ' ' || recipient || ' ' || (params->>'new_name'),
		', ' ORDER BY created_at) FROM mails WHERE kind LIKE 'name_%'`)
	if want := "name_approved " + g.Email + " Ateliê Lua, name_refused " + g.Email + " Ateliê Sol"; told != want {
		t.Errorf("mails: %s, want %s", told, want)
	}
	acts := modelstest.One[string](t, g.DB, `SELECT string_agg(replace(action, 'account.name_', ''), ' ' ORDER BY id)
		FROM audit_log WHERE action LIKE 'account.name_%' AND account_id = (SELECT id FROM accounts)`)
	if acts != "proposed withdrawn proposed approved proposed refused proposed withdrawn" {
		t.Errorf("the audit log: %s", acts)
	}
}

// Staff do not decide about a name that they proposed or of an account of theirs, and members only withdraw.
func TestRename_WhoDecides(t *testing.T) {
	t.Parallel()
	g, eva, _ := approved(t)
	m, id := g.Merchants, rename(t, g, "Ateliê Lua")
	viewer := join(t, g, "val@example.com", models.RoleViewer)
	if err := m.WithdrawName(t.Context(), viewer, id); !forbidden(err) {
		t.Errorf("a viewer withdraws: %v", err)
	}
	if err := m.ApproveName(t.Context(), g.Owner, id); !forbidden(err) {
		t.Errorf("the owner approves: %v", err)
	}
	modelstest.Exec(t, g.DB, "UPDATE users SET staff_role = 'REVIEWER' WHERE id = '"+g.Owner.UserID+"'")
	if err := m.ApproveName(t.Context(), g.Owner, id); !errors.Is(err, merchants.ErrOwnAccount) {
		t.Errorf("the proposer approves as staff: %v", err)
	}
	if err := m.ApproveName(t.Context(), eva, "npr_00000000000000000000"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, proposals := named(t, g); !slices.Equal(proposals, []string{"Ateliê Lua PENDING"}) {
		t.Errorf("%q", proposals)
	}
}

// An account that was not approved renames at once, and staff who saw the former name do not approve the new one
// unseen.
func TestRename_BeforeApproval(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by, asked := newStaff(t, g, "eva@staff.example", models.StaffReviewer), request(t, g)
	if reviewed, err := g.Merchants.Rename(t.Context(), g.Owner, "Ateliê Lua"); err != nil || reviewed {
		t.Fatalf("reviewed: %t, %v", reviewed, err)
	}
	if name, _ := named(t, g); name != "Ateliê Lua" {
		t.Errorf("the name is %q", name)
	}
	approval := merchants.AccessDecision{Version: asked.Version, Outcome: models.AccessRequestApproved}
	if err := g.Merchants.DecideAccess(t.Context(), by, asked.ID, approval); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("approved with a name that was not seen: %v", err)
	}
	approval.Version++
	if err := g.Merchants.DecideAccess(t.Context(), by, asked.ID, approval); err != nil {
		t.Error(err)
	}
}
