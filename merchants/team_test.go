package merchants_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
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

// team returns the roles of the account's members by e-mail address.
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

// A person is invited once, to a role other than the owner's.
func TestInvite(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	for _, wrong := range []merchants.NewInvite{
		{Email: "bia@", Role: models.RoleAdmin}, {Email: "bia@example.com", Role: models.RoleOwner},
		{Email: "bia@example.com"}, {Email: g.Email, Role: models.RoleAdmin},
	} {
		if _, err := m.Invite(t.Context(), g.Owner, wrong); err == nil || !errors.As(err, &merchants.Invalid{}) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if _, err := m.Invite(t.Context(), g.Owner, merchants.NewInvite{Email: " Bia@Example.com",
		Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Invite(t.Context(), g.Owner, merchants.NewInvite{Email: "bia@example.com",
		Role: models.RoleAdmin}); err == nil || !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("Invite for the second time: %v", err)
	}
}

// An invitation is valid for seven days, and is sent again on demand, but not at once.
func TestInvite_Lifetime(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	i, err := m.Invite(t.Context(), g.Owner, merchants.NewInvite{Email: " Bia@Example.com", Role: models.RoleFinance})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.ResendInvite(t.Context(), g.Owner, i.ID); !errors.Is(err, merchants.ErrTooSoon) {
		t.Errorf("ResendInvite at once: %v", err)
	}
	g.Clock.Advance(merchants.InviteLifetime)
	link := g.Link(t, models.MailInvite, "bia@example.com")
	if _, err := m.Invitation(t.Context(), link); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the invitation after seven days: %v", err)
	}
	if err := m.ResendInvite(t.Context(), g.Owner, i.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(merchants.InviteLifetime - time.Second)
	read, err := m.Invitation(t.Context(), link)
	if err != nil || read.AccountName != "Ateliê Aurora" || read.InviterName != "Ana Lima" || read.Known ||
		read.Role != models.RoleFinance {
		t.Errorf("the invitation is %+v, %v", read, err)
	}
}

// An invitation gives access to the account once, to the person to whom it was sent.
func TestInvite_Once(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	_, err := m.Invite(t.Context(), g.Owner, merchants.NewInvite{Email: " Bia@Example.com", Role: models.RoleFinance})
	if err != nil {
		t.Fatal(err)
	}
	link := g.Link(t, models.MailInvite, "bia@example.com")
	owner := logIn(t, g)
	if err := m.AcceptInvite(t.Context(), owner, g.Owner, link); !errors.Is(err, merchants.ErrOthersInvite) {
		t.Errorf("AcceptInvite by another person: %v", err)
	}
	if _, err := m.JoinAsNewcomer(t.Context(), link, merchants.Newcomer{Name: "Bia", Password: "short"},
		""); err == nil || !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("JoinAsNewcomer with a short password: %v", err)
	}

	// Of two concurrent calls, one joins.
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for n := range errs {
		wg.Go(func() {
			_, errs[n] = m.JoinAsNewcomer(t.Context(), link, merchants.Newcomer{Name: "Bia", Password: password}, "")
		})
	}
	wg.Wait()
	joined := 0
	for _, err := range errs {
		if err == nil {
			joined++
		} else if !errors.Is(err, merchants.ErrKnown) && !errors.Is(err, merchants.ErrLink) {
			t.Error(err)
		}
	}
	if roles := team(t, g); joined != 1 || len(roles) != 2 || roles["bia@example.com"] != models.RoleFinance {
		t.Errorf("%d joined: %v", joined, roles)
	}
	if _, err := m.Invitation(t.Context(), link); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("used: %v", err)
	}
	user, err := models.UserByEmail(t.Context(), g.DB, "bia@example.com")
	if err != nil || user.EmailVerifiedAt == nil {
		t.Errorf("the link did not prove the address: %+v, %v", user, err)
	}
}

// A person who has a log-in joins with it; the session then shows the account.
func TestAcceptInvite(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	by := bruno(t, g)
	token, err := m.LogIn(t.Context(), "bruno@example.com", paymentstest.Password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	invite := func(role models.Role) string {
		if _, err := m.Invite(t.Context(), g.Owner,
			merchants.NewInvite{Email: "bruno@example.com", Role: role}); err != nil {
			t.Fatal(err)
		}
		return g.Link(t, models.MailInvite, "bruno@example.com")
	}
	link := invite(models.RoleDeveloper)
	if _, err := m.JoinAsNewcomer(t.Context(), link, merchants.Newcomer{Name: "X", Password: password},
		""); !errors.Is(err, merchants.ErrKnown) {
		t.Errorf("JoinAsNewcomer by a person with a log-in: %v", err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for n := range errs {
		wg.Go(func() { errs[n] = m.AcceptInvite(t.Context(), v, by, link) })
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, merchants.ErrLink) })); n != 1 {
		t.Errorf("%d of the concurrent calls succeeded: %v", n, errs)
	}
	after, err := m.Visitor(t.Context(), token)
	if err != nil || after.AccountID != g.Account.ID || after.Role != models.RoleDeveloper || after.Accounts != 2 {
		t.Errorf("the visitor is %+v, %v", after, err)
	}
	if err := m.LookAtAccount(t.Context(), v, by.AccountID); err != nil {
		t.Error(err)
	}
	stranger := join(t, g, "bia@example.com", models.RoleViewer)
	if err := m.LookAtAccount(t.Context(), &models.Visitor{Session: models.Session{UserID: stranger.UserID}},
		by.AccountID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("LookAtAccount with another person's account: %v", err)
	}

	// A revoked invitation cannot be used.
	if err := m.RemoveMember(t.Context(), g.Owner, by.UserID); err != nil {
		t.Fatal(err)
	}
	link = invite(models.RoleAdmin)
	open, err := models.OpenInvites(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil || len(open) != 1 {
		t.Fatalf("open: %+v, %v", open, err)
	}
	if err := m.RevokeInvite(t.Context(), models.Actor{UserID: by.UserID, AccountID: by.AccountID},
		open[0].ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("RevokeInvite from another account: %v", err)
	}
	if err := m.RevokeInvite(t.Context(), g.Owner, open[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := m.AcceptInvite(t.Context(), v, by, link); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("AcceptInvite of a revoked one: %v", err)
	}
	if err := m.ResendInvite(t.Context(), g.Owner, open[0].ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ResendInvite of a revoked one: %v", err)
	}
}

// Open invitations are limited, because they are mails to strangers.
func TestInvite_Bounded(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for i := range 50 {
		if _, err := g.Merchants.Invite(t.Context(), g.Owner,
			merchants.NewInvite{Email: fmt.Sprintf("p%d@example.com", i), Role: models.RoleViewer}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Merchants.Invite(t.Context(), g.Owner,
		merchants.NewInvite{Email: "last@example.com", Role: models.RoleViewer}); !errors.Is(err,
		merchants.ErrTooMany) {
		t.Errorf("the 51st invitation: %v", err)
	}
}

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
	var log []string
	g.DB.Raw(`SELECT action || ' ' || coalesce(before ->> 'role', '') || ' ' || coalesce(after ->> 'role', '')
		FROM audit_log
		WHERE account_id = ? AND object_id = ? ORDER BY id`, g.Account.ID, viewer.UserID).Scan(&log)
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
	var mails int
	g.DB.Raw("SELECT count(*) FROM mails WHERE kind = 'owner_changed'").Scan(&mails)
	if mails != 2 {
		t.Errorf("%d mails", mails)
	}
}

// The database enforces what the operations promise.
func TestOwner_Constraint(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, statement := range []string{"DELETE FROM members", "UPDATE members SET role = 'ADMIN'"} {
		if err := g.DB.Exec(statement).Error; err == nil || !models.Violates(err, "members_keep_owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if roles := team(t, g); roles[g.Email] != models.RoleOwner {
		t.Errorf("the roles left are %v", roles)
	}
	if err := g.DB.Exec("INSERT INTO invites (id, account_id, email, role, invited_by, created_at, sent_at, " +
		"expires_at) SELECT 'inv_00000000000000000000', account_id, 'x@y.z', 'OWNER', user_id, now(), now(), now() " +
		"FROM members").Error; err == nil || !strings.Contains(err.Error(), "check") {
		t.Errorf("an invitation with the role OWNER: %v", err)
	}
}

// An invitation ends when the member who sent it last loses the right to invite, so a person
// who has left cannot admit people.
func TestInvite_SenderGone(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	admin, other := join(t, g, "bia@example.com", models.RoleAdmin), join(t, g, "caio@example.com", models.RoleAdmin)
	leaving := join(t, g, "davi@example.com", models.RoleAdmin)
	senders := map[string]models.Actor{"by-bia@example.com": admin, "by-caio@example.com": other,
		"by-davi@example.com": leaving, "kept@example.com": admin, "own@example.com": g.Owner}
	ids := map[string]string{}
	for to, by := range senders {
		i, err := m.Invite(t.Context(), by, merchants.NewInvite{Email: to, Role: models.RoleViewer})
		if err != nil {
			t.Fatal(err)
		}
		ids[to] = i.ID
	}
	g.Clock.Advance(time.Hour)
	for _, err := range []error{
		m.ResendInvite(t.Context(), g.Owner, ids["kept@example.com"]), // the owner is its sender from now on
		m.RemoveMember(t.Context(), g.Owner, admin.UserID),
		m.ChangeRole(t.Context(), g.Owner, other.UserID, models.RoleFinance),
		m.RemoveMember(t.Context(), leaving, leaving.UserID),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for to := range senders {
		_, err := m.JoinAsNewcomer(t.Context(), g.Link(t, models.MailInvite, to),
			merchants.Newcomer{Name: "Eva", Password: password}, "")
		if stays := to == "kept@example.com" || to == "own@example.com"; stays != (err == nil) ||
			!stays && !errors.Is(err, merchants.ErrLink) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if n := len(team(t, g)); n != 4 { // the owner, Caio and the two
		t.Errorf("%d members", n)
	}
	lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{ObjectID: ids["by-bia@example.com"]})
	if err != nil || len(lines) == 0 || lines[0].Action != "member.invite_revoked" ||
		lines[0].Detail["invitedBy"] != admin.UserID {
		t.Errorf("the audit log has %+v, %v", lines, err)
	}
}
