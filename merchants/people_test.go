package merchants_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/internal/auth/oidc"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The operator ends all sessions of one person.
func TestEndSessionsOf(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	other := g.Merchant(t, "bruno@example.com")
	ends, stays := logInAs(t, g, g.Email), logInAs(t, g, other.Email)
	logInAs(t, g, g.Email)
	ended, err := g.Merchants.EndSessionsOf(t.Context(), " "+strings.ToUpper(g.Email))
	if err != nil || ended != 2 {
		t.Errorf("%d sessions ended, %v", ended, err)
	}
	if _, err := g.Merchants.Visitor(t.Context(), ends); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a session goes on: %v", err)
	}
	if _, err := g.Merchants.Visitor(t.Context(), stays); err != nil {
		t.Errorf("another person's session ended: %v", err)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM audit_log WHERE action = 'user.sessions_ended'"+
		" AND object_id = $1 AND detail->>'ended' = '2'", g.Owner.UserID); n != 1 {
		t.Errorf("%d lines of the audit log", n)
	}
	if _, err := g.Merchants.EndSessionsOf(t.Context(), "x@example.com"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a person who is none: %v", err)
	}
}

func logInAs(t *testing.T, g *paymentstest.Gateway, email string) (token string) {
	t.Helper()
	token, err := g.Merchants.LogIn(t.Context(), email, paymentstest.Password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// A person who has lost the second factors logs in with the password once the operator has removed them,
// and is told.
func TestRemoveFactors(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	e := enrolVisitor(t, h.Gateway, h.v)
	if err := h.Merchants.RemoveFactors(t.Context(), h.Email); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Merchants.Visitor(t.Context(), logInAs(t, h.Gateway, h.Email)); err != nil {
		t.Errorf("the password alone: %v", err)
	}
	for what, want := range map[string]int{
		"recovery_codes": 0, "passkeys": 0, "mails WHERE kind IN ('totp_disabled', 'passkey_removed')": 2,
		"audit_log WHERE actor = 'system' AND action IN ('user.totp_disabled', 'passkey.removed')": 2,
	} {
		if n := modelstest.One[int](t, h.DB, "SELECT count(*)::int FROM "+what); n != want {
			t.Errorf("%d %s, want %d", n, what, want)
		}
	}
	token := logInAs(t, h.Gateway, h.Email)
	if _, err := h.Merchants.LogInWithCode(t.Context(), token, e.recovery[0], merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("a recovery code of before: %v", err)
	}
}

// A person who is unlinked from the provider loses the sessions that began there, and no others; another
// identity is linked then.
func TestUnlink(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Merchant(t, "bruno@example.com")
	who := oidc.Identity{Issuer: issuer, Subject: "ana", Email: g.Email}
	there, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	here := logInAs(t, g, g.Email)
	who.Subject = "another"
	if _, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{}); !errors.Is(err,
		merchants.ErrNoPerson) {
		t.Errorf("a second identity before: %v", err)
	}
	for email, want := range map[string]error{
		"bruno@example.com": merchants.ErrNotLinked, "x@example.com": models.ErrNotFound, g.Email: nil} {
		if err := g.Merchants.Unlink(t.Context(), email); !errors.Is(err, want) {
			t.Errorf("Unlink of %s: %v", email, err)
		}
	}
	if _, err := g.Merchants.Visitor(t.Context(), there); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the session of the provider goes on: %v", err)
	}
	if _, err := g.Merchants.Visitor(t.Context(), here); err != nil {
		t.Errorf("the session of the password ended: %v", err)
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*)::int FROM audit_log
		WHERE action = 'user.identity_unlinked' AND actor = 'system' AND object_id = $1`, g.Owner.UserID); n != 1 {
		t.Errorf("%d lines of the audit log", n)
	}
	if _, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{}); err != nil {
		t.Errorf("another identity after: %v", err)
	}
}

// A log-in makes the hash of a password anew if it has other costs than today's.
func TestLogIn_FormerCosts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Merchants.HashMemory = 0
	weak := merchants.FormerHash(paymentstest.Password)
	if _, err := g.DB.Pool.Exec(t.Context(), "UPDATE users SET password_hash = $1", weak); err != nil {
		t.Fatal(err)
	}
	stored := func() string { return modelstest.One[string](t, g.DB, "SELECT password_hash FROM users LIMIT 1") }
	if _, err := g.Merchants.LogIn(t.Context(), g.Email, "not the password", merchants.Browser{}); err == nil ||
		stored() != weak {
		t.Errorf("a wrong password: %v, changed %t", err, stored() != weak)
	}
	logInAs(t, g, g.Email)
	renewed := stored()
	if !strings.HasPrefix(renewed, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", renewed)
	}
	logInAs(t, g, g.Email)
	if stored() != renewed {
		t.Error("a hash with the costs of today was made anew")
	}
}
