package merchants_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// starter is a person without a log-in, at a browser.
type starter struct {
	*paymentstest.Gateway
	in      merchants.NewMerchant
	device  *passkeytest.Device
	browser string
}

func newStarter(t *testing.T) *starter {
	t.Helper()
	g := paymentstest.New(t)
	g.Merchants.Passkeys = passkey.NewSite("Garoupa", passkeyAddress)
	in := newcomer()
	in.Password = ""
	return &starter{g, in, passkeytest.New(t, passkeyAddress), "browser"}
}

// makes requests a passkey for a sign-up and lets the device create it.
func (s *starter) makes(t *testing.T) merchants.FirstPasskey {
	t.Helper()
	options, err := s.Merchants.AskSignUpPasskey(t.Context(), s.browser, s.in)
	if err != nil {
		t.Fatal(err)
	}
	a, err := passkey.ReadNewAnswer(s.device.Make(options))
	if err != nil {
		t.Fatal(err)
	}
	return merchants.FirstPasskey{Name: "iPhone", Answer: a}
}

func (s *starter) signUp(t *testing.T, first merchants.FirstPasskey) (token string, err error) {
	t.Helper()
	return s.Merchants.SignUpWithPasskey(t.Context(), s.browser, s.in, first,
		merchants.Browser{IP: "203.0.113.7", UserAgent: "test"})
}

// visitor signs up and returns the visitor of the new session.
func (s *starter) visitor(t *testing.T) *models.Visitor {
	t.Helper()
	token, err := s.signUp(t, s.makes(t))
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A person who signs up with a passkey is logged in at once and has everything that other
// merchants have. No password gives access. Sending the same form again creates nothing and
// gives no access.
func TestSignUpWithPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	first := s.makes(t)
	var token string
	if n := succeeded(t, 6, merchants.ErrPasskeyKnown, func() error {
		made, err := s.signUp(t, first)
		if err == nil {
			token = made
		}
		return err
	}); n != 1 {
		t.Fatalf("one form created %d merchants", n)
	}
	v, err := s.Merchants.Visitor(t.Context(), token)
	if err != nil || v.Role != models.RoleOwner || v.HasPassword || !v.HasPasskey || !v.SecondFactor ||
		v.EmailVerified || v.AccountName != s.in.Business || string(s.device.Handle) != v.UserID {
		t.Errorf("the visitor is %+v, %v", v, err)
	}
	var mails, audits int
	mails = modelstest.One[int](t, s.DB, `SELECT count(*) FROM mails
		WHERE kind = 'verify_email' AND recipient = $1`, v.Email)
	audits = modelstest.One[int](t, s.DB, `SELECT count(*) FROM audit_log
		WHERE actor = $1 AND action IN ('account.created', 'passkey.added')`,
		v.UserID)
	if mails != 1 || audits != 2 {
		t.Errorf("%d mails, %d audit lines", mails, audits)
	}
	for _, password := range []string{"", "a", password} {
		if _, err := s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{}); !errors.Is(err,
			merchants.ErrCredentials) {
			t.Errorf("LogIn with the password %q: %v", password, err)
		}
		if err := s.Merchants.Prove(t.Context(), v, password, merchants.Browser{}); !errors.Is(err,
			merchants.ErrCredentials) {
			t.Errorf("Prove with the password %q: %v", password, err)
		}
	}
	h := &holder{Gateway: s.Gateway, v: v, device: s.device}
	h.in(t, s.device, true, "the passkey of the sign-up")
}

// An answer is valid in the browser and for the address of its challenge, within five minutes,
// and once, even if another part of the form was wrong.
func TestSignUpWithPasskey_Refused(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	refused := func(why string, as starter, first merchants.FirstPasskey) {
		t.Helper()
		if _, err := as.signUp(t, first); !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("%s: %v", why, err)
		}
	}
	first := s.makes(t)
	other := *s
	other.browser = "another"
	refused("another browser", other, first)
	other = *s
	other.in.Email = "somebody.else@example.com"
	refused("another address", other, first)
	refused("no answer", *s, merchants.FirstPasskey{Name: "iPhone"})
	s.Clock.Advance(5 * time.Minute)
	refused("too late", *s, first)

	liar := *s
	liar.device = passkeytest.New(t, "https://evil.example")
	refused("another site", liar, liar.makes(t))
	liar.device = passkeytest.New(t, passkeyAddress)
	liar.device.Unverified = true
	refused("without verification of the person", liar, liar.makes(t))
	options, err := s.Merchants.AskSignUpPasskey(t.Context(), s.browser, s.in)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*passkeytest.Device{liar.device, s.device} {
		a, err := passkey.ReadNewAnswer(d.Make(options))
		if err != nil {
			t.Fatal(err)
		}
		refused("a challenge that had a wrong answer", *s, merchants.FirstPasskey{Name: "iPhone", Answer: a})
	}

	h := &holder{Gateway: s.Gateway, v: logIn(t, s.Gateway)}
	options, err = s.Merchants.AskNewPasskey(t.Context(), h.v)
	if err != nil {
		t.Fatal(err)
	}
	a, err := passkey.ReadNewAnswer(s.device.Make(options))
	if err != nil {
		t.Fatal(err)
	}
	refused("a member's challenge", *s, merchants.FirstPasskey{Name: "x", Answer: a})
	if _, err := s.Merchants.AddPasskey(t.Context(), h.v, h.Owner, "x", s.makes(t).Answer); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("AddPasskey with a newcomer's challenge: %v", err)
	}
}

// Problems of a form are reported before a device creates a passkey, and again when the form
// is sent.
func TestSignUpWithPasskey_Wrong(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	for why, change := range map[string]func(*merchants.NewMerchant){
		"name":     func(in *merchants.NewMerchant) { in.Name = " " },
		"business": func(in *merchants.NewMerchant) { in.Business = "" },
		"email":    func(in *merchants.NewMerchant) { in.Email = s.Email },
		"terms":    func(in *merchants.NewMerchant) { in.Terms.TermsURL = "https://example.com" },
	} {
		in, first := s.in, s.makes(t)
		change(&in)
		_, asked := s.Merchants.AskSignUpPasskey(t.Context(), s.browser, in)
		_, none := s.Merchants.SignUpWithPasskey(t.Context(), s.browser, in, merchants.FirstPasskey{Name: "x"},
			merchants.Browser{})
		_, answered := s.Merchants.SignUpWithPasskey(t.Context(), s.browser, in, first, merchants.Browser{})
		for when, err := range map[string]error{"asked": asked, "without an answer": none, "with one": answered} {
			if why == "email" && when == "with one" { // the challenge was for another address
				continue
			}
			if problems, ok := errors.AsType[merchants.Invalid](err); !ok || len(problems) != 1 || problems[why] == "" {
				t.Errorf("a wrong %s, %s: %v", why, when, err)
			}
		}
	}
	first := s.makes(t) // two challenges are created while the address is free
	rival := *s
	rival.device, rival.browser = passkeytest.New(t, passkeyAddress), "rival"
	rival.visitor(t)
	if _, err := s.signUp(t, first); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("an address that was taken in the meantime: %v", err)
	}
	people := modelstest.One[int](t, s.DB, "SELECT count(*) FROM users WHERE password_hash IS NULL")
	if people != 1 {
		t.Errorf("%d users were created", people)
	}
}

// Every person keeps a way to log in: the service and the database enforce it, even if two
// passkeys are removed at the same time.
func TestLastPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	v := s.visitor(t)
	by := models.Actor{UserID: v.UserID, AccountID: v.AccountID}
	h := &holder{Gateway: s.Gateway, v: v}
	h.Owner = by
	first := h.passkeys(t)[0].ID
	if err := s.Merchants.RemovePasskey(t.Context(), by, first); !errors.Is(err, merchants.ErrLastPasskey) {
		t.Errorf("RemovePasskey of the last one: %v", err)
	}
	if err := h.add(t, passkeytest.New(t, passkeyAddress), "Notebook"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM passkeys",
		"UPDATE users SET password_hash = NULL WHERE email = '" + s.Email + "'",
		"INSERT INTO users (id, email, name, language, created_at) VALUES ('usr_00000000000000000000', " +
			"'x@example.com', 'X', 'en', now())",
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); !models.Violates(err, "users_can_log_in") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	removals := make(chan error)
	for _, p := range h.passkeys(t) {
		go func() {
			_, err := s.DB.Pool.Exec(t.Context(), "DELETE FROM passkeys WHERE id = $1", p.ID)
			removals <- err
		}()
	}
	var refused int
	for range 2 {
		if models.Violates(<-removals, "users_can_log_in") {
			refused++
		}
	}
	if left := len(h.passkeys(t)); left != 1 || refused != 1 {
		t.Fatalf("of two concurrent removals %d were refused, and %d passkeys are left", refused, left)
	}

	if _, err := s.Merchants.FirstPassword(t.Context(), v, by, "short"); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("FirstPassword with a short one: %v", err)
	}
	recovery, err := s.Merchants.FirstPassword(t.Context(), v, by, password)
	if err != nil || len(recovery) != 10 {
		t.Fatalf("recovery codes %v, %v", recovery, err)
	}
	if _, err := s.Merchants.FirstPassword(t.Context(), v, by, password+"x"); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("FirstPassword for the second time: %v", err)
	}
	token, err := s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{})
	if !errors.Is(err, merchants.ErrCodeNeeded) {
		t.Errorf("LogIn with the first password: %v", err)
	}
	if _, err := s.Merchants.LogInWithCode(t.Context(), token, recovery[0], merchants.Browser{}); err != nil {
		t.Errorf("LogIn with a recovery code in place of the passkey: %v", err)
	}
	if err := s.Merchants.RemovePasskey(t.Context(), by, h.passkeys(t)[0].ID); err != nil {
		t.Errorf("RemovePasskey of the last one, with a password: %v", err)
	}
}

// The mail for changing a password can also set the first one. If the address was never
// proven, another person than its reader may have signed up with it, so the passkeys and the
// code generator are removed. If it is proven they stay.
func TestResetPassword_Passkeys(t *testing.T) {
	t.Parallel()
	for name, proven := range map[string]bool{"proven": true, "not proven": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStarter(t)
			s.in.Verified = proven
			v := s.visitor(t)
			secret, err := s.Merchants.BeginTOTP(t.Context(), v.UserID)
			if err != nil {
				t.Fatal(err)
			}
			e := &enrolled{Gateway: s.Gateway, secret: secret}
			if _, err := s.Merchants.EnrollTOTP(t.Context(), v, models.Actor{UserID: v.UserID}, e.code()); err != nil {
				t.Fatal(err)
			}
			if err := s.Merchants.AskReset(t.Context(), v.Email); err != nil {
				t.Fatal(err)
			}
			if err := s.Merchants.ResetPassword(t.Context(), s.Link(t, models.MailResetPassword, v.Email), password,
				""); err != nil {
				t.Fatal(err)
			}
			_, err = s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{})
			if proven && !errors.Is(err, merchants.ErrCodeNeeded) || !proven && err != nil {
				t.Errorf("LogIn with the first password: %v", err)
			}
			h := &holder{Gateway: s.Gateway, v: v}
			h.in(t, s.device, proven, "the passkey")
			taken := modelstest.One[int](t, s.DB, `SELECT count(*) FROM audit_log
				WHERE actor = $1 AND action IN ('passkey.removed',
				'user.totp_disabled')`, v.UserID)
			if want := map[bool]int{true: 0, false: 2}[proven]; taken != want {
				t.Errorf("the audit log has %d removals, want %d", taken, want)
			}
		})
	}
}

// An invited person can join with a passkey instead of a password.
func TestJoinWithPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	if _, err := s.Merchants.Invite(t.Context(), s.Owner,
		merchants.NewInvite{Email: "bia@example.com", Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	link := s.Link(t, models.MailInvite, "bia@example.com")
	in := merchants.Newcomer{Name: "Bia", Language: "en"}
	ask := func(in merchants.Newcomer) (merchants.FirstPasskey, error) {
		options, err := s.Merchants.AskJoinPasskey(t.Context(), "browser", link, in)
		if err != nil {
			return merchants.FirstPasskey{}, err
		}
		a, err := passkey.ReadNewAnswer(s.device.Make(options))
		return merchants.FirstPasskey{Name: "iPhone", Answer: a}, err
	}
	if _, err := ask(merchants.Newcomer{}); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("AskJoinPasskey without a name: %v", err)
	}
	first, err := ask(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Merchants.JoinWithPasskey(t.Context(), "another", link, in, first,
		merchants.Browser{}); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("JoinWithPasskey in another browser: %v", err)
	}
	token, err := s.Merchants.JoinWithPasskey(t.Context(), "browser", link, in, first, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Merchants.Visitor(t.Context(), token)
	if err != nil || v.Email != "bia@example.com" || !v.EmailVerified || v.HasPassword ||
		v.AccountID != s.Owner.AccountID {
		t.Errorf("the visitor is %+v, %v", v, err)
	}
	if _, err := s.Merchants.JoinWithPasskey(t.Context(), "browser", link, in, first,
		merchants.Browser{}); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("JoinWithPasskey with a used invitation: %v", err)
	}

	bruno(t, s.Gateway)
	if _, err := s.Merchants.Invite(t.Context(), s.Owner,
		merchants.NewInvite{Email: "bruno@example.com", Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	link = s.Link(t, models.MailInvite, "bruno@example.com")
	if _, err := ask(in); !errors.Is(err, merchants.ErrKnown) {
		t.Errorf("AskJoinPasskey for a person with a log-in: %v", err)
	}
}
