package merchants_test

import (
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// linked logs a person in at the provider, and returns the person as an actor.
func linked(t *testing.T, g *paymentstest.Gateway, email string) (by models.Actor, token string) {
	t.Helper()
	modelstest.Exec(t, g.DB, "UPDATE users SET email_verified_at = now() WHERE email = $1", email)
	who := oidc.Identity{Issuer: issuer, Subject: email, Email: email}
	token, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: modelstest.One[string](t, g.DB, "SELECT id FROM users WHERE email = $1", email),
		AccountID: g.Account.ID}, token
}

// links counts the links of a person, and the mails and lines about their ends.
func links(t *testing.T, g *paymentstest.Gateway, userID string) (left, told, recorded int) {
	t.Helper()
	return modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM person_identities WHERE user_id = $1", userID),
		modelstest.One[int](t, g.DB, `SELECT count(*)::int FROM mails m JOIN users u ON u.email = m.recipient
			WHERE m.kind = 'identity_unlinked' AND u.id = $1`, userID),
		modelstest.One[int](t, g.DB, `SELECT count(*)::int FROM audit_log WHERE action = 'user.identity_unlinked'
			AND object_id = $1`, userID)
}

// A person unlinks themselves, in six windows at once, with one line and one mail. The sessions that began at the
// provider end.
func TestUnlinkSelf(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by, there := linked(t, g, g.Email)
	var group errgroup.Group
	refused := make([]error, 6)
	for i := range refused {
		group.Go(func() error { refused[i] = g.Merchants.UnlinkSelf(t.Context(), by); return nil })
	}
	_ = group.Wait()
	done := 0
	for _, err := range refused {
		if err == nil {
			done++
		} else if !errors.Is(err, merchants.ErrNotLinked) {
			t.Error(err)
		}
	}
	if left, told, recorded := links(t, g, by.UserID); done != 1 || left != 0 || told != 1 || recorded != 1 {
		t.Errorf("done %d times: %d links, %d mails, %d lines", done, left, told, recorded)
	}
	if _, err := g.Merchants.Visitor(t.Context(), there); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the session of the provider goes on: %v", err)
	}
}

// A person keeps the link if it is the only way to log in.
func TestUnlinkSelf_OnlyWay(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by, _ := linked(t, g, g.Email)
	modelstest.Exec(t, g.DB, `INSERT INTO passkeys (id, user_id, credential_id, public_key, name, sign_count, synced,
			created_at)
		VALUES ('pky_00000000000000000000', $1, 'x', 'x', 'Notebook', 0, false, now())`, by.UserID)
	modelstest.Exec(t, g.DB, "UPDATE users SET password_hash = NULL WHERE id = $1", by.UserID)
	if err := g.Merchants.UnlinkSelf(t.Context(), by); !errors.Is(err, merchants.ErrOnlyWay) {
		t.Errorf("with a passkey, of which the installation's address takes none: %v", err)
	}
	g.Merchants.SSOOnly = true // the next log-in at the provider links the proven address anew
	modelstest.Exec(t, g.DB, "UPDATE users SET email_verified_at = NULL WHERE id = $1", by.UserID)
	if err := g.Merchants.UnlinkSelf(t.Context(), by); !errors.Is(err, merchants.ErrOnlyWay) {
		t.Errorf("with an address that is not proven: %v", err)
	}
	modelstest.Exec(t, g.DB, "UPDATE users SET email_verified_at = now() WHERE id = $1", by.UserID)
	if err := g.Merchants.UnlinkSelf(t.Context(), by); err != nil {
		t.Errorf("with a proven address: %v", err)
	}
}

// Only the owner unlinks a member, and neither strangers nor staff; only supervisors unlink staff.
func TestUnlink_Others(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	other := g.Merchant(t, "bruno@example.com")
	supervisor, reviewer := staff(t, g, "sup@example.com", models.StaffSupervisor), staff(t, g, "rev@example.com",
		models.StaffReviewer)
	member, _ := linked(t, g, "bruno@example.com")
	linked(t, g, "rev@example.com")
	owner, _ := linked(t, g, g.Email)
	m := g.Merchants
	attack := func(name string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) && (refusal.Of(want).Code == refusal.Internal ||
			refusal.Of(err).Code != refusal.Of(want).Code) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	forbidden := refusal.New(refusal.Forbidden, "")
	attack("a stranger", m.UnlinkMember(t.Context(), owner, member.UserID), models.ErrNotFound)
	modelstest.Exec(t, g.DB, `INSERT INTO members (account_id, user_id, role)
		VALUES ($1, $2, 'ADMIN'), ($1, $3, 'VIEWER')`, g.Account.ID, member.UserID, reviewer.UserID)
	attack("the owner by an administrator", m.UnlinkMember(t.Context(), member, owner.UserID), forbidden)
	attack("a member by the owner of another account", m.UnlinkMember(t.Context(), other.Owner, owner.UserID),
		models.ErrNotFound)
	attack("the owner by the owner", m.UnlinkMember(t.Context(), owner, owner.UserID), merchants.ErrOwner)
	attack("staff by the owner", m.UnlinkMember(t.Context(), owner, reviewer.UserID), forbidden)
	attack("staff by a reviewer", m.UnlinkStaff(t.Context(), reviewer, reviewer.UserID), forbidden)
	attack("staff by an owner", m.UnlinkStaff(t.Context(), owner, reviewer.UserID), forbidden)
	attack("a merchant by a supervisor", m.UnlinkStaff(t.Context(), supervisor, owner.UserID), models.ErrNotFound)
	attack("an unknown person", m.UnlinkStaff(t.Context(), supervisor, "usr_00000000000000000000"), models.ErrNotFound)
	if n := modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM person_identities"); n != 3 {
		t.Fatalf("%d of 3 links are left", n)
	}
	attack("a member by the owner", m.UnlinkMember(t.Context(), owner, member.UserID), nil)
	attack("staff by a supervisor", m.UnlinkStaff(t.Context(), supervisor, reviewer.UserID), nil)
	for _, id := range []string{member.UserID, reviewer.UserID} {
		if left, told, recorded := links(t, g, id); left != 0 || told != 1 || recorded != 1 {
			t.Errorf("%s: %d links, %d mails, %d lines", id, left, told, recorded)
		}
	}
}
