package merchants_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// join invites an address and accepts the invitation as a newcomer.
func join(t *testing.T, g *paymentstest.Gateway, email string, role models.Role) models.Actor {
	t.Helper()
	if _, err := g.Merchants.Invite(t.Context(), g.Owner, merchants.NewInvite{Email: email, Role: role}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.JoinAsNewcomer(t.Context(), g.Link(t, models.MailInvite, email),
		merchants.Newcomer{Name: "Bia", Password: password}, ""); err != nil {
		t.Fatal(err)
	}
	user, err := models.UserByEmail(t.Context(), g.DB, email)
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: user.ID, AccountID: g.Account.ID}
}

// team returns the roles of the account's members by email address.
func team(t *testing.T, g *paymentstest.Gateway) map[string]models.Role {
	t.Helper()
	people, err := models.Team(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]models.Role{}
	for _, p := range people {
		roles[p.Email] = p.Role
	}
	return roles
}

func forbidden(err error) bool { return refusal.Of(err).Code == refusal.Forbidden }

// The owner and administrators change roles; the owner's role cannot be changed.
func TestChangeRole(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	admin, viewer := join(t, g, "admin@example.com", models.RoleAdmin), join(t, g, "viewer@example.com",
		models.RoleViewer)
	outsider := bruno(t, g)
	outsider.AccountID = g.Account.ID
	for name, by := range map[string]models.Actor{"a viewer": viewer, "an outsider": outsider} {
		if err := m.ChangeRole(t.Context(), by, viewer.UserID, models.RoleAdmin); !forbidden(err) {
			t.Errorf("ChangeRole by %s: %v", name, err)
		}
		if err := m.RemoveMember(t.Context(), by, admin.UserID); !forbidden(err) {
			t.Errorf("RemoveMember by %s: %v", name, err)
		}
		if _, err := m.Invite(t.Context(), by, merchants.NewInvite{Email: "x@example.com",
			Role: models.RoleViewer}); !forbidden(err) {
			t.Errorf("%s invited: %v", name, err)
		}
	}
	for _, by := range []models.Actor{g.Owner, admin} {
		if err := m.ChangeRole(t.Context(), by, g.Owner.UserID, models.RoleViewer); !errors.Is(err,
			merchants.ErrOwner) {
			t.Errorf("ChangeRole of the owner: %v", err)
		}
		if err := m.RemoveMember(t.Context(), by, g.Owner.UserID); !errors.Is(err, merchants.ErrOwner) {
			t.Errorf("RemoveMember of the owner: %v", err)
		}
	}
	if err := m.ChangeRole(t.Context(), admin, viewer.UserID, models.RoleOwner); err == nil ||
		!errors.As(err, &merchants.Invalid{}) {
		t.Errorf("ChangeRole to OWNER: %v", err)
	}
	if err := m.HandOver(t.Context(), admin, viewer.UserID); !forbidden(err) {
		t.Errorf("HandOver by an administrator: %v", err)
	}
	if err := m.ChangeRole(t.Context(), g.Owner, outsider.UserID, models.RoleAdmin); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("ChangeRole of an outsider: %v", err)
	}
	if err := m.ChangeRole(t.Context(), admin, viewer.UserID, models.RoleFinance); err != nil {
		t.Error(err)
	}
	if err := m.RemoveMember(t.Context(), viewer, viewer.UserID); err != nil {
		t.Errorf("a member leaves: %v", err)
	}
	if err := m.RemoveMember(t.Context(), viewer, viewer.UserID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("leaving for the second time: %v", err)
	}
	log := modelstest.Column[string](t, g.DB, `SELECT action || ' ' || coalesce(before ->> 'role', '') || ' ' ||
		coalesce(after ->> 'role', '')
		FROM audit_log
		WHERE account_id = $1 AND object_id = $2 ORDER BY id`, g.Account.ID, viewer.UserID)
	if want := []string{"member.joined  ", "member.role_changed VIEWER FINANCE",
		"member.left  "}; !slices.Equal(log, want) {
		t.Errorf("the audit log has %q", log)
	}
}

// The account always has exactly one owner, however many changes of the team happen at once.
func TestHandOver_AtOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	others := make([]models.Actor, 4)
	for i := range others {
		others[i] = join(t, g, fmt.Sprintf("p%d@example.com", i), models.RoleAdmin)
	}
	everybody := append(others, g.Owner)
	var wg sync.WaitGroup
	won := make([]bool, len(others))
	for i, to := range others {
		wg.Go(func() {
			err := m.HandOver(t.Context(), g.Owner, to.UserID)
			won[i] = err == nil
			if err != nil && !forbidden(err) {
				t.Error(err)
			}
		})
		wg.Go(func() { // other changes of the team meanwhile
			for _, target := range everybody {
				for _, err := range []error{m.ChangeRole(t.Context(), to, target.UserID, models.RoleAdmin),
					m.ChangeRole(t.Context(), to, target.UserID, models.RoleViewer)} {
					if err != nil && !forbidden(err) && !errors.Is(err, merchants.ErrOwner) {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	owners, roles := 0, team(t, g)
	for _, role := range roles {
		if role == models.RoleOwner {
			owners++
		}
	}
	if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 || owners != 1 ||
		roles[g.Email] == models.RoleOwner {
		t.Errorf("%d of the concurrent calls succeeded: %v", n, roles)
	}
	mails := modelstest.One[int](t, g.DB, "SELECT count(*) FROM mails WHERE kind = 'owner_changed'")
	if mails != 2 {
		t.Errorf("%d mails", mails)
	}
}

// The database enforces what the operations promise.
func TestOwner_Constraint(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, statement := range []string{"DELETE FROM members", "UPDATE members SET role = 'ADMIN'"} {
		if _, err := g.DB.Pool.Exec(t.Context(), statement); err == nil || !models.Violates(err, "members_keep_owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if roles := team(t, g); roles[g.Email] != models.RoleOwner {
		t.Errorf("the roles left are %v", roles)
	}
	if _, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO invites (id, account_id, email, role, invited_by,
		created_at, sent_at,
		expires_at) SELECT 'inv_00000000000000000000', account_id, 'x@y.z', 'OWNER', user_id, now(), now(), now()
		FROM members`); err == nil || !strings.Contains(err.Error(), "check") {
		t.Errorf("an invitation with the role OWNER: %v", err)
	}
}
