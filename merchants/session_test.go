package merchants_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

func TestLogIn(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	token, err := g.Merchants.LogIn(t.Context(), " "+strings.ToUpper(g.Email), paymentstest.Password, merchants.Browser{
		IP: "203.0.113.7", UserAgent: "a\x00b\xff" + strings.Repeat("ã", 300),
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if v.UserID != g.Owner.UserID || v.Email != g.Email || v.Role != models.RoleOwner || v.AccountID != g.Account.ID ||
		v.ProjectID == nil || *v.ProjectID != g.Test.ProjectID || v.Environment == models.Live || v.StaffRole != nil {
		t.Errorf("the visitor is %+v", v)
	}
	if v.IP != "203.0.113.7" || !strings.HasPrefix(v.UserAgent, "abã") || len(v.UserAgent) > 300 {
		t.Errorf("the session is from %q with %q", v.IP, v.UserAgent)
	}
	stored := modelstest.One[[]byte](t, g.DB, "SELECT token_hash FROM sessions")
	if len(stored) != 32 || bytes.Contains(stored, []byte(token)) || len(token) < 20 {
		t.Errorf("the token %q is stored as %x", token, stored)
	}
	second, err := g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password, merchants.Browser{})
	if err != nil || second == token {
		t.Errorf("the second log-in returned %q, %v", second, err)
	}
}

// LogIn returns the same error for a wrong password and for an unknown address, whatever the
// input is.
func TestLogIn_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for name, tc := range map[string]struct{ email, password string }{
		"wrong password":             {g.Email, paymentstest.Password + "x"},
		"password in capitals":       {g.Email, strings.ToUpper(paymentstest.Password)},
		"password with a space":      {g.Email, " " + paymentstest.Password},
		"no password":                {g.Email, ""},
		"an endless password":        {g.Email, strings.Repeat("x", 1<<20)},
		"unknown email":              {"nobody@example.com", paymentstest.Password},
		"no email":                   {"", paymentstest.Password},
		"an email with NUL":          {"a\x00@example.com", paymentstest.Password},
		"an email that is not UTF-8": {"\xff\xfe@example.com", paymentstest.Password},
		"an endless email":           {strings.Repeat("a", 1<<20), paymentstest.Password},
		"an email with a quote":      {"' OR true --", paymentstest.Password},
	} {
		token, err := g.Merchants.LogIn(t.Context(), tc.email, tc.password, merchants.Browser{})
		if token != "" || !errors.Is(err, merchants.ErrCredentials) || err.Error() != merchants.ErrCredentials.Error() {
			t.Errorf("%s: %q, %v", name, token, err)
		}
	}
}

// A session lasts 14 days, or until the log-out or the end of the membership.
func TestSession_End(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	logIn := func() string {
		token, err := g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password, merchants.Browser{})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	ended := func(token, why string) {
		t.Helper()
		if v, err := g.Merchants.Visitor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s: %+v, %v", why, v, err)
		}
	}
	goesOn := func(token, why string) {
		t.Helper()
		if _, err := g.Merchants.Visitor(t.Context(), token); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}

	old := logIn() // TestSession_Idle is about a session that is visited
	g.Clock.Advance(merchants.IdleMember - time.Millisecond)
	first, second := logIn(), logIn()
	g.Clock.Advance(time.Millisecond)
	ended(old, "without a visit")
	goesOn(first, "a younger session")

	if err := g.Merchants.LogOut(t.Context(), first, merchants.Browser{}); err != nil {
		t.Fatal(err)
	}
	ended(first, "logged out")
	goesOn(second, "another browser's session")
	if err := g.Merchants.LogOut(t.Context(), first, merchants.Browser{}); err != nil {
		t.Errorf("LogOut for the second time: %v", err)
	}

	g.GiveRole(t, "")
	ended(second, "no longer a member")
	for _, made := range []string{"", "x", strings.Repeat("x", 10_000), "\x00\xff"} {
		ended(made, "an unknown token")
	}
}

// Each session has its own environment.
func TestLookAt(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var tokens [2]string
	for i := range tokens {
		var err error
		if tokens[i], err = g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password,
			merchants.Browser{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, environment := range []models.Environment{models.Live, models.Test, models.Live} {
		if err := g.Merchants.LookAt(t.Context(), tokens[0], environment); err != nil {
			t.Fatal(err)
		}
		if v, err := g.Merchants.Visitor(t.Context(), tokens[0]); err != nil || v.Environment != environment {
			t.Errorf("the session after LookAt: %v, %v", v, err)
		}
		if v, err := g.Merchants.Visitor(t.Context(), tokens[1]); err != nil || v.Environment == models.Live {
			t.Errorf("the other session: %v, %v", v, err)
		}
	}
}
