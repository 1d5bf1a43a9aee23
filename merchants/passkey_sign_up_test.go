package merchants_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/passkey"
	"garoupa/passkey/passkeytest"
	"garoupa/payments/paymentstest"
)

// starter is somebody without a log-in, at a browser.
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

// makes has the device make what the browser is asked.
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
	return s.Merchants.SignUpWithPasskey(t.Context(), s.browser, s.in, first, merchants.Browser{IP: "203.0.113.7", UserAgent: "test"})
}

// visitor signs up and returns who then looks.
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

// Who signs up with a passkey is logged in at once, has all that another has, and no
// password opens it. Sent again, the form makes nothing and lets nobody in.
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
		t.Fatalf("one form signed up %d times", n)
	}
	v, err := s.Merchants.Visitor(t.Context(), token)
	if err != nil || v.Role != models.RoleOwner || v.HasPassword || !v.HasPasskey || !v.SecondFactor || v.EmailVerified || v.AccountName != s.in.Business || string(s.device.Handle) != v.UserID {
		t.Errorf("signed up as %+v, %v", v, err)
	}
	var mails, audits int
	s.DB.Raw("SELECT count(*) FROM mails WHERE kind = 'verify_email' AND recipient = ?", v.Email).Scan(&mails)
	s.DB.Raw("SELECT count(*) FROM audit_log WHERE actor = ? AND action IN ('account.created', 'passkey.added')", v.UserID).Scan(&audits)
	if mails != 1 || audits != 2 {
		t.Errorf("%d mails, %d lines of the log", mails, audits)
	}
	for _, password := range []string{"", "a", password} {
		if _, err := s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{}); !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("the password %q: %v", password, err)
		}
		if err := s.Merchants.Prove(t.Context(), v, password); !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("the password %q is a proof: %v", password, err)
		}
	}
	h := &holder{Gateway: s.Gateway, v: v, device: s.device}
	h.in(t, s.device, true, "the passkey that signed up")
}

// An answer counts in the browser that was asked, for the address it was asked for, within
// five minutes, and once, whatever was wrong with it.
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
	refused("another site's", liar, liar.makes(t))
	liar.device = passkeytest.New(t, passkeyAddress)
	liar.device.Unverified = true
	refused("nobody verified", liar, liar.makes(t))
	options, err := s.Merchants.AskSignUpPasskey(t.Context(), s.browser, s.in)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*passkeytest.Device{liar.device, s.device} {
		a, err := passkey.ReadNewAnswer(d.Make(options))
		if err != nil {
			t.Fatal(err)
		}
		refused("a question that had a wrong answer", *s, merchants.FirstPasskey{Name: "iPhone", Answer: a})
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
	refused("what a member was asked", *s, merchants.FirstPasskey{Name: "x", Answer: a})
	if err := s.Merchants.AddPasskey(t.Context(), h.v, h.Owner, "x", s.makes(t).Answer); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("a member adds what a newcomer was asked: %v", err)
	}
}

// What is wrong with a form is told before a device is asked, and again when it is sent.
func TestSignUpWithPasskey_Wrong(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	for why, change := range map[string]func(*merchants.NewMerchant){
		"name": func(in *merchants.NewMerchant) { in.Name = " " }, "business": func(in *merchants.NewMerchant) { in.Business = "" },
		"email": func(in *merchants.NewMerchant) { in.Email = s.Email }, "terms": func(in *merchants.NewMerchant) { in.Terms.TermsURL = "https://example.com" },
	} {
		in, first := s.in, s.makes(t)
		change(&in)
		_, asked := s.Merchants.AskSignUpPasskey(t.Context(), s.browser, in)
		_, none := s.Merchants.SignUpWithPasskey(t.Context(), s.browser, in, merchants.FirstPasskey{Name: "x"}, merchants.Browser{})
		_, answered := s.Merchants.SignUpWithPasskey(t.Context(), s.browser, in, first, merchants.Browser{})
		for when, err := range map[string]error{"asked": asked, "without an answer": none, "with one": answered} {
			if why == "email" && when == "with one" { // it was asked for another
				continue
			}
			if problems, ok := errors.AsType[merchants.Invalid](err); !ok || len(problems) != 1 || problems[why] == "" {
				t.Errorf("a wrong %s, %s: %v", why, when, err)
			}
		}
	}
	first := s.makes(t) // two are asked while the address is nobody's
	rival := *s
	rival.device, rival.browser = passkeytest.New(t, passkeyAddress), "rival"
	rival.visitor(t)
	if _, err := s.signUp(t, first); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("an address that was taken meanwhile: %v", err)
	}
	var people int
	s.DB.Raw("SELECT count(*) FROM users WHERE password_hash IS NULL").Scan(&people)
	if people != 1 {
		t.Errorf("%d people signed up", people)
	}
}

// Nobody is left without a way to log in: not by the service, not by the database, and
// not by two at once.
func TestLastPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	v := s.visitor(t)
	by := merchants.Actor{UserID: v.UserID, AccountID: v.AccountID}
	h := &holder{Gateway: s.Gateway, v: v}
	h.Owner = by
	first := h.passkeys(t)[0].ID
	if err := s.Merchants.RemovePasskey(t.Context(), by, first); !errors.Is(err, merchants.ErrLastPasskey) {
		t.Errorf("the last passkey: %v", err)
	}
	if err := h.add(t, passkeytest.New(t, passkeyAddress), "Notebook"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM passkeys",
		"UPDATE users SET password_hash = NULL WHERE email = '" + s.Email + "'",
		"INSERT INTO users (id, email, name, language, created_at) VALUES ('usr_00000000000000000000', 'x@example.com', 'X', 'en', now())",
	} {
		if err := s.DB.Exec(sql).Error; !models.Violates(err, "users_can_log_in") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	removals := make(chan error)
	for _, p := range h.passkeys(t) {
		go func() { removals <- s.DB.Exec("DELETE FROM passkeys WHERE id = ?", p.ID).Error }()
	}
	var refused int
	for range 2 {
		if models.Violates(<-removals, "users_can_log_in") {
			refused++
		}
	}
	if left := len(h.passkeys(t)); left != 1 || refused != 1 {
		t.Fatalf("of two removals at once %d were refused, %d passkeys are left", refused, left)
	}

	if err := s.Merchants.FirstPassword(t.Context(), v, by, "short"); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("a short password: %v", err)
	}
	if err := s.Merchants.FirstPassword(t.Context(), v, by, password); err != nil {
		t.Fatal(err)
	}
	if err := s.Merchants.FirstPassword(t.Context(), v, by, password+"x"); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("a second first password: %v", err)
	}
	if _, err := s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{}); err != nil {
		t.Errorf("the first password: %v", err)
	}
	if err := s.Merchants.RemovePasskey(t.Context(), by, h.passkeys(t)[0].ID); err != nil {
		t.Errorf("the last passkey of somebody with a password: %v", err)
	}
}

// The mail that changes a password sets the first one. At an address that nobody had
// proven, whoever signed up may be another than who reads its mails: their passkey and
// their generator go. At a proven one they stay.
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
			if _, err := s.Merchants.EnrolTOTP(t.Context(), v, merchants.Actor{UserID: v.UserID}, e.code()); err != nil {
				t.Fatal(err)
			}
			if err := s.Merchants.AskReset(t.Context(), v.Email); err != nil {
				t.Fatal(err)
			}
			if err := s.Merchants.ResetPassword(t.Context(), s.Link(t, models.MailResetPassword, v.Email), password, ""); err != nil {
				t.Fatal(err)
			}
			_, err = s.Merchants.LogIn(t.Context(), v.Email, password, merchants.Browser{})
			if proven && !errors.Is(err, merchants.ErrCodeNeeded) || !proven && err != nil {
				t.Errorf("the first password: %v", err)
			}
			h := &holder{Gateway: s.Gateway, v: v}
			h.in(t, s.device, proven, "the passkey")
			var taken int
			s.DB.Raw("SELECT count(*) FROM audit_log WHERE actor = ? AND action IN ('passkey.removed', 'user.totp_disabled')", v.UserID).Scan(&taken)
			if want := map[bool]int{true: 0, false: 2}[proven]; taken != want {
				t.Errorf("the log tells of %d that were taken away, want %d", taken, want)
			}
		})
	}
}

// Who is invited joins with a passkey as well as with a password.
func TestJoinWithPasskey(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	if _, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: "bia@example.com", Role: models.RoleFinance}); err != nil {
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
		t.Errorf("no name: %v", err)
	}
	first, err := ask(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Merchants.JoinWithPasskey(t.Context(), "another", link, in, first, merchants.Browser{}); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("another browser: %v", err)
	}
	token, err := s.Merchants.JoinWithPasskey(t.Context(), "browser", link, in, first, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Merchants.Visitor(t.Context(), token)
	if err != nil || v.Email != "bia@example.com" || !v.EmailVerified || v.HasPassword || v.AccountID != s.Owner.AccountID {
		t.Errorf("joined as %+v, %v", v, err)
	}
	if _, err := s.Merchants.JoinWithPasskey(t.Context(), "browser", link, in, first, merchants.Browser{}); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the invitation is used up: %v", err)
	}

	bruno(t, s.Gateway)
	if _, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: "bruno@example.com", Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	link = s.Link(t, models.MailInvite, "bruno@example.com")
	if _, err := ask(in); !errors.Is(err, merchants.ErrKnown) {
		t.Errorf("somebody who has a log-in is asked for another: %v", err)
	}
}
