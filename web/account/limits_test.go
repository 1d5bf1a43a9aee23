package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// A form that hashes a password or sends a mail counts as many pages.
func TestLimits_CostlyForms(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{
		"/entrar": http.StatusUnprocessableEntity, "/cadastro": http.StatusUnprocessableEntity,
		"/esqueci-senha":   http.StatusUnprocessableEntity,
		"/redefinir-senha": http.StatusNotFound, "/convite/x": http.StatusNotFound,
	} {
		s := webtest.NewLimited(t,
			web.Limits{Pages: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 25})})
		c := s.Client(t)
		for i, want := range []int{status, status, http.StatusTooManyRequests} {
			if a := c.Post(path); a.Status != want {
				t.Errorf("%s, time %d: %d, want %d", path, i+1, a.Status, want)
			}
		}
		if a := c.Get("/entrar"); a.Status != http.StatusOK {
			t.Errorf("a page after %s: %d", path, a.Status)
		}
	}
}

// Guessing a password is slow, and the guesser is told for how long to wait.
func TestLimits_LogIn(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{LogIn: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 2})})
	visitor := s.Client(t)
	for range 2 {
		visitor.Post("/entrar", "email", s.Email, "password", "a wrong guess")
	}
	a := visitor.Post("/entrar", "email", strings.ToUpper(s.Email), "password", paymentstest.Password)
	if a.Status != http.StatusTooManyRequests || !strings.Contains(a.Text(), "Espere 1 min") ||
		a.Header.Get("Retry-After") != "60" {
		t.Errorf("the third try: %d, Retry-After %s", a.Status, a.Header.Get("Retry-After"))
	}
	if a := visitor.Post("/entrar", "email", "someone@example.com", "password",
		"a wrong guess"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("another e-mail: %d", a.Status)
	}
	s.Clock.Advance(time.Minute)
	if a := visitor.Post("/entrar", "email", s.Email, "password",
		paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.Status)
	}
}
