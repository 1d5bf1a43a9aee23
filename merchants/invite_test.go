package merchants_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

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
