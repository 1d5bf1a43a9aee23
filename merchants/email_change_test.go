package merchants_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

const newEmail = "ana.nova@example.com"

// verifiedBruno returns bruno with a proven address.
func verifiedBruno(t *testing.T, g *paymentstest.Gateway) models.Actor {
	t.Helper()
	by := bruno(t, g)
	if err := g.Merchants.VerifyEmail(t.Context(), g.Link(t, models.MailVerifyEmail, "bruno@example.com"),
		""); err != nil {
		t.Fatal(err)
	}
	return by
}

// emailOf returns the address with which a person logs in.
func emailOf(t *testing.T, g *paymentstest.Gateway, userID string) string {
	t.Helper()
	user, err := models.UserByID(t.Context(), g.DB, userID)
	if err != nil {
		t.Fatal(err)
	}
	return user.Email
}

// mailsTo returns the number of mails of a kind to an address.
func mailsTo(t *testing.T, g *paymentstest.Gateway, kind, to string) (n int) {
	t.Helper()
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM mails WHERE kind = $1 AND recipient = $2", kind,
		to).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// An address changes with the link that was sent to the new one, once and within an hour. The
// old address gets two mails, and other sessions end.
func TestChangeEmail(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	before := g.Email
	here, there := logIn(t, g), logIn(t, g)
	ask := func(email string) {
		t.Helper()
		if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, email); err != nil {
			t.Fatal(err)
		}
	}
	ask("Outra@Example.com")
	superseded := g.Link(t, models.MailEmailChange, "outra@example.com")
	g.Clock.Advance(2 * time.Minute)
	ask(" " + strings.ToUpper(newEmail))
	link := g.Link(t, models.MailEmailChange, newEmail)
	pending, err := models.EmailChange(t.Context(), g.DB, g.Owner.UserID, g.Clock.Now())
	if err != nil || pending.Email != newEmail || emailOf(t, g, g.Owner.UserID) != before ||
		mailsTo(t, g, models.MailEmailChangeAsked, before) != 2 {
		t.Errorf("the pending change is %+v, %v; the address is %s", pending, err, emailOf(t, g, g.Owner.UserID))
	}
	for name, token := range map[string]string{
		"that a newer one replaced": superseded, "nothing": "", "an id without proof": pending.ID,
		"of a check": g.Vault.Token("tok_00000000000000000000"),
	} {
		if err := g.Merchants.ChangeEmail(t.Context(), token, g.Owner, here.ID); !errors.Is(err, merchants.ErrLink) {
			t.Errorf("ChangeEmail with the link %s: %v", name, err)
		}
	}
	if err := g.Merchants.VerifyEmail(t.Context(), link, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("VerifyEmail with the same link: %v", err)
	}
	if email, err := g.Merchants.NewEmail(t.Context(), link); err != nil || email != newEmail ||
		emailOf(t, g, g.Owner.UserID) != before {
		t.Errorf("NewEmail returned %q, %v", email, err)
	}
	g.Clock.Advance(time.Hour - time.Millisecond)

	done := succeeded(t, 4, merchants.ErrLink,
		func() error { return g.Merchants.ChangeEmail(t.Context(), link, g.Owner, here.ID) })
	left, err := models.UserSessions(t.Context(), g.DB, here.UserID, g.Clock.Now())
	if done != 1 || emailOf(t, g, g.Owner.UserID) != newEmail || err != nil || len(left) != 1 || left[0].ID != here.ID {
		t.Errorf("one link changed it %d times to %s; sessions %+v (not %s), %v", done, emailOf(t, g, g.Owner.UserID),
			left, there.ID, err)
	}
	if mailsTo(t, g, models.MailEmailChanged, before) != 1 || mailsTo(t, g, models.MailEmailChanged, newEmail) != 0 {
		t.Error("the old address got no mail")
	}
	if _, err := g.Merchants.LogIn(t.Context(), before, paymentstest.Password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("logging in with the old address: %v", err)
	}
	if _, err := g.Merchants.LogIn(t.Context(), newEmail, paymentstest.Password, merchants.Browser{}); err != nil {
		t.Errorf("logging in with the new address: %v", err)
	}
	acts := modelstest.Column[string](t, g.DB, `SELECT action FROM audit_log
		WHERE object_id = $1 AND action LIKE 'user.email_%' ORDER BY id`,
		g.Owner.UserID)
	if got := strings.Join(acts, " "); got != "user.email_change_asked user.email_change_asked user.email_replaced" {
		t.Errorf("the audit log has %q", got)
	}
}

// A pending change ends after an hour, when it is canceled, and when the password changes. A
// person who may not change an address, or not yet again, gets an error.
func TestAskEmailChange_Ends(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ended := func(how string, end func()) {
		t.Helper()
		g.Clock.Advance(2 * time.Minute)
		if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); err != nil {
			t.Fatal(err)
		}
		link := g.Link(t, models.MailEmailChange, newEmail)
		end()
		if err := g.Merchants.ChangeEmail(t.Context(), link, g.Owner, ""); !errors.Is(err, merchants.ErrLink) ||
			emailOf(t, g, g.Owner.UserID) == newEmail {
			t.Errorf("%s: the link still works: %v", how, err)
		}
		if _, err := models.EmailChange(t.Context(), g.DB, g.Owner.UserID, g.Clock.Now()); !errors.Is(err,
			models.ErrNotFound) {
			t.Errorf("%s: the change is still pending: %v", how, err)
		}
	}
	ended("canceled", func() {
		if err := g.Merchants.CancelEmailChange(t.Context(), g.Owner); err != nil {
			t.Fatal(err)
		}
		if last := audited(t, g, 1); last[0].Action != "user.email_change_cancelled" ||
			last[0].Actor != g.Owner.UserID {
			t.Errorf("the audit log has %+v", last)
		}
	})
	ended("with another password", func() {
		if err := g.Merchants.ChangePassword(t.Context(), logIn(t, g), g.Owner, paymentstest.Password,
			"another horse battery"); err != nil {
			t.Fatal(err)
		}
	})
	ended("after an hour", func() { g.Clock.Advance(time.Hour) })

	g.Clock.Advance(2 * time.Hour)
	for i := range 5 {
		if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); err != nil {
			t.Fatal(err)
		}
		if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); !errors.Is(err, merchants.ErrTooSoon) {
			t.Errorf("a second request at once: %v", err)
		}
		g.Clock.Advance(time.Duration(i+1) * time.Minute)
	}
	if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); !errors.Is(err, merchants.ErrTooSoon) {
		t.Errorf("a sixth request within an hour: %v", err)
	}
	for _, email := range []string{"", "ana@", "a b@example.com", "\x00@example.com", strings.ToUpper(g.Email)} {
		if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, email); err == nil ||
			!errors.As(err, &merchants.Invalid{}) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if err := g.Merchants.AskEmailChange(t.Context(), bruno(t, g), newEmail); !errors.Is(err, merchants.ErrUnverified) {
		t.Errorf("with an unproven address: %v", err)
	}
	link := g.Link(t, models.MailEmailChange, newEmail)
	modelstest.Exec(t, g.DB, "UPDATE users SET staff_role = 'REVIEWER' WHERE id = $1", g.Owner.UserID)
	if err := g.Merchants.ChangeEmail(t.Context(), link, g.Owner, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("after joining the staff: %v", err)
	}
	if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("staff: %v", err)
	}
}

// Only the owner of an address learns that another person requested it.
func TestAskEmailChange_Taken(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	verifiedBruno(t, g)
	if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, "bruno@example.com"); err != nil {
		t.Fatalf("an address of another person: %v", err)
	}
	pending, err := models.EmailChange(t.Context(), g.DB, g.Owner.UserID, g.Clock.Now())
	if err != nil || pending.Email != "bruno@example.com" {
		t.Errorf("the pending change is %+v, %v", pending, err)
	}
	if mailsTo(t, g, models.MailEmailTaken, "bruno@example.com") != 1 ||
		mailsTo(t, g, models.MailEmailChange, "bruno@example.com") != 0 ||
		mailsTo(t, g, models.MailEmailChangeAsked, g.Email) != 1 {
		t.Error("the owner of the address got a link, or no mail")
	}
}

// Of two people who prove the same address, one gets it; the other keeps the old one.
func TestChangeEmail_Race(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	other := verifiedBruno(t, g)
	people := []models.Actor{g.Owner, other}
	links, befores := make([]string, 2), make([]string, 2)
	for i, by := range people {
		befores[i] = emailOf(t, g, by.UserID)
		if err := g.Merchants.AskEmailChange(t.Context(), by, newEmail); err != nil {
			t.Fatal(err)
		}
		pending, err := models.EmailChange(t.Context(), g.DB, by.UserID, g.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		links[i] = g.Vault.Token(pending.ID)
	}
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range people {
		wg.Go(func() { errs[i] = g.Merchants.ChangeEmail(t.Context(), links[i], models.Actor{}, "") })
	}
	wg.Wait()
	winner := 0
	if errs[0] != nil {
		winner = 1
	}
	loser := 1 - winner
	if errs[winner] != nil || !errors.Is(errs[loser], merchants.ErrEmailTaken) {
		t.Errorf("both: %v, %v", errs[0], errs[1])
	}
	if emailOf(t, g, people[winner].UserID) != newEmail || emailOf(t, g, people[loser].UserID) != befores[loser] {
		t.Error("the address does not belong to exactly one person")
	}
}

// Of two requests with one link at the same time, one changes the address. The other fails
// because the link is used, although it was unused when the request began.
func TestChangeEmail_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); err != nil {
		t.Fatal(err)
	}
	link := g.Link(t, models.MailEmailChange, newEmail)
	release := hold(t, g, "SELECT FROM users WHERE id = '"+g.Owner.UserID+"' FOR UPDATE")
	go release(2)
	if n := succeeded(t, 2, merchants.ErrLink,
		func() error { return g.Merchants.ChangeEmail(t.Context(), link, models.Actor{}, "") }); n != 1 {
		t.Errorf("one link changed the address %d times", n)
	}
}

// The link also works in a browser where another person is logged in. It changes the address
// of the person to whom it was sent, and nothing of the other person or account.
func TestChangeEmail_ByAnother(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	other := verifiedBruno(t, g)
	token, err := g.Merchants.LogIn(t.Context(), "bruno@example.com", paymentstest.Password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	logIn(t, g)
	if err := g.Merchants.AskEmailChange(t.Context(), g.Owner, newEmail); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.ChangeEmail(t.Context(), g.Link(t, models.MailEmailChange, newEmail), other,
		v.ID); err != nil {
		t.Fatal(err)
	}
	if emailOf(t, g, g.Owner.UserID) != newEmail || emailOf(t, g, other.UserID) != "bruno@example.com" {
		t.Error("the address did not change, or the other person's did")
	}
	if last := audited(t, g, 1)[0]; last.Action != "user.email_replaced" || last.Actor != g.Owner.UserID ||
		last.Account != "" || last.IP != other.IP {
		t.Errorf("the audit log has %+v", last)
	}
	for id, want := range map[string]int{g.Owner.UserID: 0, other.UserID: 1} {
		if left, err := models.UserSessions(t.Context(), g.DB, id, g.Clock.Now()); err != nil || len(left) != want {
			t.Errorf("sessions of %s: %+v, want %d, %v", id, left, want, err)
		}
	}
}
