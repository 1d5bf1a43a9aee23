package merchants_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// bruno signs up a person with an address that is not proven.
func bruno(t *testing.T, g *paymentstest.Gateway) models.Actor {
	t.Helper()
	m, err := g.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Bruno Reis", Business: "Café", Email: "bruno@example.com", Password: paymentstest.Password,
		Language: "en",
	}, "203.0.113.7")
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: m.UserID, AccountID: m.AccountID, IP: "203.0.113.7"}
}

// An address is proven by the link that was sent to it, once, within a day, and while it is
// the person's address.
func TestVerifyEmail(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := bruno(t, g)
	verified := func() bool {
		user, err := models.UserByID(t.Context(), g.DB, by.UserID)
		if err != nil {
			t.Fatal(err)
		}
		return user.EmailVerifiedAt != nil
	}
	first := g.Link(t, models.MailVerifyEmail, "bruno@example.com")
	if err := g.Merchants.SendVerification(t.Context(), by); !errors.Is(err, merchants.ErrTooSoon) {
		t.Errorf("SendVerification again at once: %v", err)
	}
	if err := g.Merchants.CorrectEmail(t.Context(), by, g.Email); err == nil || !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("CorrectEmail with another person's address: %v", err)
	}
	g.Clock.Advance(2 * time.Minute)
	if err := g.Merchants.CorrectEmail(t.Context(), by, "Bruno2@Example.com "); err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"of the old address": first, "nothing": "", "an id without proof": "tok_00000000000000000000",
		"for passwords": g.Vault.Token("tok_00000000000000000000"),
		"an invitation": g.Vault.Token("inv_00000000000000000000"),
	} {
		if err := g.Merchants.VerifyEmail(t.Context(), token, ""); !errors.Is(err, merchants.ErrLink) || verified() {
			t.Errorf("VerifyEmail with the link %s: %v", name, err)
		}
	}
	second := g.Link(t, models.MailVerifyEmail, "bruno2@example.com")
	if email, err := g.Merchants.CheckVerification(t.Context(), second); err != nil || email != "bruno2@example.com" ||
		verified() {
		t.Errorf("CheckVerification returned %q, %v; the address is verified: %t", email, err, verified())
	}
	if _, err := g.Merchants.CheckReset(t.Context(), second); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("ResetPassword with the same link: %v", err)
	}
	g.Clock.Advance(24*time.Hour - time.Millisecond)
	if err := g.Merchants.VerifyEmail(t.Context(), second, ""); err != nil || !verified() {
		t.Errorf("verified: %v", err)
	}
	if err := g.Merchants.VerifyEmail(t.Context(), second, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("VerifyEmail with a used link: %v", err)
	}
	if err := g.Merchants.CorrectEmail(t.Context(), by, "other@example.com"); !errors.Is(err, merchants.ErrVerified) {
		t.Errorf("CorrectEmail of a proven address: %v", err)
	}
	if user, err := models.UserByID(t.Context(), g.DB, by.UserID); err != nil || user.Email != "bruno2@example.com" {
		t.Errorf("a proven address was changed: %+v, %v", user, err)
	}
	bodies := modelstest.One[string](t, g.DB, `SELECT string_agg(params::text, ' ') || (SELECT string_agg(t::text, ' ')
		FROM tokens t)
		FROM mails`)
	if bodies == "" || strings.Contains(bodies, second) || strings.Contains(bodies, second[len(second)-32:]) {
		t.Errorf("the database contains a link: %s", bodies)
	}
}

// An address that is corrected into itself gets its mail again, but not at once, and none once it is proven.
func TestCorrectEmail_Same(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := bruno(t, g)
	first := g.Link(t, models.MailVerifyEmail, "bruno@example.com")
	same := func() error { return g.Merchants.CorrectEmail(t.Context(), by, " Bruno@example.com") }
	if err := same(); !errors.Is(err, merchants.ErrTooSoon) {
		t.Errorf("CorrectEmail with the same address at once: %v", err)
	}
	g.Clock.Advance(2 * time.Minute)
	if err := same(); err != nil {
		t.Fatal(err)
	}
	again := g.Link(t, models.MailVerifyEmail, "bruno@example.com")
	if again == first {
		t.Error("CorrectEmail with the same address sent no mail")
	}
	if err := g.Merchants.VerifyEmail(t.Context(), again, ""); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(2 * time.Minute)
	if err := same(); !errors.Is(err, merchants.ErrVerified) {
		t.Errorf("CorrectEmail with the same, proven address: %v", err)
	}
	if err := g.Merchants.SendVerification(t.Context(), by); !errors.Is(err, merchants.ErrVerified) {
		t.Errorf("SendVerification to a proven address: %v", err)
	}
}

// succeeded calls do n times concurrently, and returns the number of successes. All other
// calls must fail with refusal.
func succeeded(t *testing.T, n int, refusal error, do func() error) (times int) {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = do() })
	}
	wg.Wait()
	for _, err := range errs {
		if err == nil {
			times++
		} else if !errors.Is(err, refusal) {
			t.Error(err)
		}
	}
	return times
}

// hold takes a lock. release waits until the given number of sessions wait for the lock, and
// then releases it.
func hold(t *testing.T, g *paymentstest.Gateway, lock string) (release func(waiting int)) {
	t.Helper()
	tx, err := g.DB.Pool.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(want int) {
		for waiting := 0; waiting < want; {
			err := g.DB.Pool.QueryRow(t.Context(),
				`SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				t.Error(err)
				break
			}
		}
		if err := tx.Rollback(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// The limit of mails with links to one person counts all requests together.
func TestSendVerification_Bounded(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := bruno(t, g)
	sent := 1
	for range 20 {
		g.Clock.Advance(2 * time.Minute)
		err := g.Merchants.SendVerification(t.Context(), by)
		if err == nil {
			sent++
		} else if !errors.Is(err, merchants.ErrTooSoon) {
			t.Fatal(err)
		}
		if err := g.Merchants.AskReset(t.Context(), "bruno@example.com"); err != nil {
			t.Fatal(err)
		}
	}
	resets := modelstest.One[int](t, g.DB, "SELECT count(*) FROM mails WHERE kind = 'reset_password'")
	if sent != 5 || resets != 5 {
		t.Errorf("within 40 minutes %d links to verify and %d to reset were sent", sent, resets)
	}
}

// A reset uses the link that was sent, once and within an hour, and ends every session.
// AskReset does not reveal whether an address is known.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	inside := e.pending(t)
	inside, err := e.Merchants.LogInWithCode(t.Context(), inside, e.code(), merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"nobody@example.com", "", "\x00", strings.Repeat("a", 10_000) + "@example.com",
		"x' OR true --@example.com"} {
		start := time.Now()
		if err := e.Merchants.AskReset(t.Context(), email); err != nil {
			t.Errorf("%.20q: %v", email, err)
		}
		if took := time.Since(start); took < 290*time.Millisecond {
			t.Errorf("AskReset of %.20q took %s, less than for a known address", email, took)
		}
	}
	mails := modelstest.One[int](t, e.DB, "SELECT count(*) FROM mails WHERE kind = 'reset_password'")
	if err := e.Merchants.AskReset(t.Context(), " "+strings.ToUpper(e.Email)); err != nil || mails != 0 {
		t.Fatalf("%v; %d mails to strangers", err, mails)
	}
	first := e.Link(t, models.MailResetPassword, e.Email)
	e.Clock.Advance(time.Minute)
	if err := e.Merchants.AskReset(t.Context(), e.Email); err != nil {
		t.Fatal(err)
	}
	second := e.Link(t, models.MailResetPassword, e.Email)
	if err := e.Merchants.ResetPassword(t.Context(), second, "short", ""); err == nil ||
		!errors.As(err, &merchants.Invalid{}) {
		t.Errorf("ResetPassword with a short password: %v", err)
	}

	const fresh = "another horse battery"
	reset := func() error { return e.Merchants.ResetPassword(t.Context(), second, fresh, "203.0.113.9") }
	if n := succeeded(t, 4, merchants.ErrLink, reset); n != 1 {
		t.Errorf("one link changed the password %d times", n)
	}
	if _, err := e.Merchants.CheckReset(t.Context(), first); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("ResetPassword with the other link: %v", err)
	}
	if _, err := e.Merchants.Visitor(t.Context(), inside); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("an old session still works: %v", err)
	}
	if _, err := e.Merchants.LogIn(t.Context(), e.Email, paymentstest.Password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("LogIn with the old password: %v", err)
	}
	if _, err := e.Merchants.LogIn(t.Context(), e.Email, fresh, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCodeNeeded) {
		t.Errorf("LogIn with the new password, before the code: %v", err)
	}
	if err := e.Merchants.AskReset(t.Context(), e.Email); err != nil {
		t.Fatal(err)
	}
	late := e.Link(t, models.MailResetPassword, e.Email)
	e.Clock.Advance(time.Hour)
	if err := e.Merchants.ResetPassword(t.Context(), late, fresh, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("ResetPassword after an hour: %v", err)
	}
}

// Changing the password requires the current one, and ends the other sessions.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	here, there := logIn(t, g), logIn(t, g)
	const fresh = "another horse battery"
	if err := g.Merchants.ChangePassword(t.Context(), here, g.Owner, "wrong", fresh); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("ChangePassword with a wrong password: %v", err)
	}
	if err := g.Merchants.ChangePassword(t.Context(), here, g.Owner, paymentstest.Password, "short"); err == nil ||
		!errors.As(err, &merchants.Invalid{}) {
		t.Errorf("ChangePassword to a short one: %v", err)
	}
	if err := g.Merchants.ChangePassword(t.Context(), here, g.Owner, paymentstest.Password, fresh); err != nil {
		t.Fatal(err)
	}
	left, err := models.UserSessions(t.Context(), g.DB, here.UserID, g.Clock.Now())
	if err != nil || len(left) != 1 || left[0].ID != here.ID {
		t.Errorf("the sessions left are %+v, %v", left, err)
	}
	if _, err := g.Merchants.LogIn(t.Context(), g.Email, fresh, merchants.Browser{}); err != nil {
		t.Errorf("LogIn with the new password: %v", err)
	}
	mails := modelstest.One[int](t, g.DB, `SELECT count(*) FROM mails
		WHERE kind = 'password_changed' AND recipient = $1`, g.Email)
	if mails != 1 {
		t.Errorf("%d mails", mails)
	}
	if err := g.Merchants.EndSession(t.Context(), g.Owner, there.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("EndSession of an ended session: %v", err)
	}
}

// A person can end only their own sessions.
func TestEndSession(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	here, there, third := logIn(t, g), logIn(t, g), logIn(t, g)
	stranger := bruno(t, g)
	for _, id := range []string{here.ID, "ses_00000000000000000000", ""} {
		if err := g.Merchants.EndSession(t.Context(), stranger, id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("EndSession of %q by a stranger: %v", id, err)
		}
	}
	if err := g.Merchants.EndSession(t.Context(), g.Owner, there.ID); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.EndOtherSessions(t.Context(), here, g.Owner); err != nil {
		t.Fatal(err)
	}
	left, err := models.UserSessions(t.Context(), g.DB, here.UserID, g.Clock.Now())
	if err != nil || len(left) != 1 || left[0].ID != here.ID {
		t.Errorf("the sessions left are %+v, %v; not %s", left, err, third.ID)
	}
}

// Only people with a proven address can request production access.
func TestRequestAccess_Unverified(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := bruno(t, g)
	form := answers()
	if _, err := g.Merchants.RequestAccess(t.Context(), by, form); !errors.Is(err, merchants.ErrUnverified) {
		t.Errorf("before: %v", err)
	}
	if err := g.Merchants.VerifyEmail(t.Context(), g.Link(t, models.MailVerifyEmail, "bruno@example.com"),
		""); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.RequestAccess(t.Context(), by, form); err != nil {
		t.Errorf("after: %v", err)
	}
}

// A link to reset the password that was sent before does not work after the password was changed.
func TestChangePassword_EndsResets(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	v := logIn(t, g)
	if err := g.Merchants.AskReset(t.Context(), g.Email); err != nil {
		t.Fatal(err)
	}
	link := g.Link(t, models.MailResetPassword, g.Email)
	const fresh = "another horse battery"
	if err := g.Merchants.ChangePassword(t.Context(), v, g.Owner, paymentstest.Password, fresh); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.CheckReset(t.Context(), link); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the link from before: %v", err)
	}
	g.Clock.Advance(time.Minute)
	if err := g.Merchants.AskReset(t.Context(), g.Email); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.CheckReset(t.Context(), g.Link(t, models.MailResetPassword, g.Email)); err != nil {
		t.Errorf("the link from afterwards: %v", err)
	}
}
