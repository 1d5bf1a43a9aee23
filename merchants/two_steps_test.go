package merchants_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// The password of a person with a passkey gives no access and proves nothing; the passkey does, and
// a recovery code of those that came with the first passkey.
func TestLogIn_PasskeyAfterPassword(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	if len(h.recovery) != 10 {
		t.Fatalf("the first passkey brought %d recovery codes", len(h.recovery))
	}
	token, err := h.Merchants.LogIn(t.Context(), h.Email, password, merchants.Browser{})
	if !errors.Is(err, merchants.ErrCodeNeeded) {
		t.Fatalf("LogIn with the password alone: %v", err)
	}
	if _, err := h.Merchants.Visitor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the password alone gave access: %v", err)
	}
	if err := h.Merchants.Prove(t.Context(), h.v, password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("Prove with the password, by a visitor of before the passkey: %v", err)
	}
	h.v.HasPasskey = true
	for _, wrong := range []string{password, "123456", "ffff-fffff"} {
		if err := h.Merchants.Prove(t.Context(), h.v, wrong, merchants.Browser{}); !errors.Is(err,
			merchants.ErrCredentials) {
			t.Errorf("Prove with %q: %v", wrong, err)
		}
	}
	if err := h.Merchants.Prove(t.Context(), h.v, h.recovery[0], merchants.Browser{}); err != nil {
		t.Errorf("Prove with a recovery code: %v", err)
	}
	for i, want := range []error{merchants.ErrCredentials, nil} { // the first is used up; the second ends the token
		_, err := h.Merchants.LogInWithCode(t.Context(), token, h.recovery[i], merchants.Browser{})
		if !errors.Is(err, want) {
			t.Errorf("LogInWithCode with recovery code %d: %v", i, err)
		}
	}
	h.in(t, h.device, true, "the passkey alone")

	h.Merchants.Passkeys = nil // the installation's address is one for which browsers have no passkeys
	if _, err := h.Merchants.LogIn(t.Context(), h.Email, password, merchants.Browser{}); err != nil {
		t.Errorf("where no passkey can be used: %v", err)
	}
}

// Recovery codes last as long as a second step: they go with the last passkey, unless there is a
// generator, and with the generator, unless there is a passkey.
func TestRecoveryCodes_Last(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	left := func(want int, why string) {
		t.Helper()
		n, err := models.RecoveryCodesLeft(t.Context(), h.DB.Pool, h.Owner.UserID)
		if err != nil || n != want {
			t.Errorf("%s: %d recovery codes, %v", why, n, err)
		}
	}
	remove := func() {
		t.Helper()
		if err := h.Merchants.RemovePasskey(t.Context(), h.Owner, h.passkeys(t)[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	enrolVisitor(t, h.Gateway, h.v)
	left(10, "with both")
	if err := h.Merchants.DisableTOTP(t.Context(), h.Owner); err != nil {
		t.Fatal(err)
	}
	left(10, "with a passkey")
	e := enrolVisitor(t, h.Gateway, h.v)
	remove()
	left(10, "with a generator")
	token := e.pending(t)
	if _, err := h.Merchants.LogInWithCode(t.Context(), token, e.recovery[3], merchants.Browser{}); err != nil {
		t.Errorf("a code of the generator's: %v", err)
	}
	if err := h.Merchants.DisableTOTP(t.Context(), h.Owner); err != nil {
		t.Fatal(err)
	}
	left(0, "with neither")
	logIn(t, h.Gateway)
	h.recovery = nil
	if err := h.add(t, h.device, "iPhone"); err != nil || len(h.recovery) != 10 {
		t.Fatalf("another first passkey: %d recovery codes, %v", len(h.recovery), err)
	}
	remove()
	left(0, "without the passkey")
}

// A link to reset the password of a person who has only passkeys replaces them, because they may be
// lost, and says so first. Those of a person with a password stay, and are needed after it.
func TestResetPassword_LostPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	s.in.Verified = true
	v := s.visitor(t)
	reset := func(email string) {
		t.Helper()
		s.Clock.Advance(time.Hour)
		if err := s.Merchants.AskReset(t.Context(), email); err != nil {
			t.Fatal(err)
		}
		link := s.Link(t, models.MailResetPassword, email)
		if replaces, err := s.Merchants.CheckReset(t.Context(), link); err != nil || replaces != (email == v.Email) {
			t.Errorf("%s: the link replaces passkeys: %v, %v", email, replaces, err)
		}
		if err := s.Merchants.ResetPassword(t.Context(), link, password, ""); err != nil {
			t.Fatal(err)
		}
	}
	reset(v.Email)
	if _, err := s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{}); err != nil {
		t.Errorf("LogIn with the password of the link: %v", err)
	}
	h := &holder{Gateway: s.Gateway, v: v}
	h.in(t, s.device, false, "the replaced passkey")
	removed := modelstest.One[int](t, s.DB, `SELECT count(*) FROM audit_log WHERE action = 'passkey.removed'
		AND actor = $1`, v.UserID)
	if removed != 1 {
		t.Errorf("%d lines about removed passkeys", removed)
	}

	both := newHolder(t)
	s.Gateway, v = both.Gateway, &models.Visitor{}
	reset(both.Email)
	if _, err := both.Merchants.LogIn(t.Context(), both.Email, password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCodeNeeded) {
		t.Errorf("the link beats the second factor: %v", err)
	}
	both.in(t, both.device, true, "the passkey after a reset")
}
