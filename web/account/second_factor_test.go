package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Enrolled, a log-in has two halves.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	first := s.Member(t)
	secret, _ := s.Enroll(t, first, "/2fa/ativar?next=/app/chaves")
	if a := first.Get("/2fa/ativar?next=/app/chaves"); a.Status != http.StatusSeeOther ||
		strings.Contains(a.Body, secret) {
		t.Errorf("the secret is shown once more: %d", a.Status)
	}

	c := s.Client(t)
	a := c.Post("/entrar", "email", s.Email, "password", paymentstest.Password, "next", "/app/chaves?x=1")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/2fa?next=%2Fapp%2Fchaves%3Fx%3D1" {
		t.Fatalf("the password led to %q", a.Header.Get("Location"))
	}
	for _, path := range []string{"/app", "/2fa/ativar", "/app/chaves/nova"} {
		if a := c.Get(path); a.Status != http.StatusSeeOther ||
			!strings.HasPrefix(a.Header.Get("Location"), "/entrar") {
			t.Errorf("%s with half a log-in: %d", path, a.Status)
		}
	}
	page := c.Get("/2fa?next=%2Fapp%2Fchaves%3Fx%3D1")
	if page.Status != http.StatusOK || page.Find("input[autocomplete=one-time-code]").Length() != 1 {
		t.Errorf("the second half: %d", page.Status)
	}
	if a := c.Post("/2fa", "code", "000000", "next", "/app/chaves?x=1"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("main input[name=next]").AttrOr("value", "") != "/app/chaves?x=1" {
		t.Errorf("a wrong code: %d", a.Status)
	}
	if a := c.Post("/2fa", "code", s.Code(secret), "next", "/app/chaves?x=1"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app/chaves?x=1" {
		t.Errorf("the code led to %d %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("logged in: %d", a.Status)
	}
}

// Who is enrolled proves who they are by a code or a recovery code, and not by the password.
func TestSecondFactor_Proof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	secret, recovery := s.Enroll(t, c, "/2fa/ativar?next=/app/chaves")
	s.Clock.Advance(time.Hour)
	if a := c.Get("/app/chaves/nova"); a.Find("input[name="+webtest.ProofField+
		"][autocomplete=one-time-code]").Length() != 1 {
		t.Errorf("a code is not asked for as a proof: %d", a.Status)
	}
	if a := c.Post("/confirmar", webtest.ProofField, paymentstest.Password, "next",
		"/app"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("the password is a proof: %d", a.Status)
	}
	if a := c.Post("/confirmar", webtest.ProofField, s.Code(secret), "next",
		"/app/chaves/nova"); a.Status != http.StatusSeeOther {
		t.Errorf("the code is no proof: %d", a.Status)
	}

	s.Clock.Advance(time.Hour)
	a := c.Post("/confirmar", webtest.ProofField, "", webtest.ProofField+"_recovery", "00000-00000", "next", "/app")
	if a.Status != http.StatusUnprocessableEntity {
		t.Errorf("any recovery code is a proof: %d", a.Status)
	}
	field := "#" + webtest.ProofField + "_recovery"
	if a.Find("#errors a").AttrOr("href", "") != field || a.Find("details[open] "+field+"-error").Length() != 1 ||
		!strings.Contains(a.Find(field+"-error").Text(), "Código de recuperação incorreto") ||
		a.Find("#"+webtest.ProofField+"-error").Length() != 0 {
		t.Errorf("a wrong recovery code says %s", a.Find("main").Text())
	}
	a = c.Post("/confirmar", webtest.ProofField, "000000", webtest.ProofField+"_recovery", "", "next", "/app")
	if a.Find("#errors a").AttrOr("href", "") != "#"+webtest.ProofField || a.Find("details[open]").Length() != 0 ||
		!strings.Contains(a.Find("#"+webtest.ProofField+"-error").Text(), "Espere o próximo") {
		t.Errorf("a wrong code says %s", a.Find("main").Text())
	}
	if a := c.Post("/confirmar", webtest.ProofField, "", webtest.ProofField+"_recovery", recovery[0], "next",
		"/app"); a.Status != http.StatusSeeOther ||
		c.Get("/app/chaves/nova").Find("input[name=permissions]").Length() == 0 {
		t.Errorf("a recovery code is no proof: %d", a.Status)
	}
}

// Who lost the generator of codes logs in by a recovery code, once.
func TestSecondFactor_Recovery(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	_, recovery := s.Enroll(t, s.Member(t), "/2fa/ativar?next=/app/chaves")
	lost := s.Client(t)
	lost.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := lost.Get("/2fa?recovery=1"); !strings.Contains(a.Text(), "códigos de recuperação") {
		t.Errorf("no way without the generator: %d", a.Status)
	}
	if a := lost.Post("/2fa", "code", recovery[3], "recovery", "1", "next",
		"https://evil.example"); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/app" {
		t.Errorf("a recovery code led to %d %q", a.Status, a.Header.Get("Location"))
	}
	again := s.Client(t)
	again.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := again.Post("/2fa", "code", recovery[3], "recovery", "1"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("input[name=recovery]").Length() != 1 ||
		!strings.Contains(a.Find("#code-error").Text(), "Código de recuperação incorreto") {
		t.Errorf("a recovery code counted twice: %d", a.Status)
	}
	if a := s.Client(t).Get("/2fa"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/entrar?next=%2Fapp" {
		t.Errorf("a code of nobody is asked for: %d", a.Status)
	}
}

// Guesses of a user's codes are counted whatever address and browser they come from.
func TestSecondFactor_Limits(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.NewLimited(t, web.Limits{LogIn: ratelimit.New(rate)})
	secret, _ := s.Enroll(t, s.Member(t), "/2fa/ativar")
	c, other := s.Client(t), s.Client(t)
	for _, browser := range []*webtest.Client{c, other} {
		browser.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	}
	for i := range 5 {
		if a := c.Post("/2fa", "code", "000000"); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("guess %d: %d", i+1, a.Status)
		}
	}
	if a := other.Post("/2fa", "code", s.Code(secret)); a.Status != http.StatusTooManyRequests ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("another browser's guess: %d", a.Status)
	}
	s.Clock.Advance(time.Minute)
	if a := other.Post("/2fa", "code", s.Code(secret)); a.Status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.Status)
	}
}

// A member of staff without an account is led to operations, and sets a generator up
// without one.
func TestSecondFactor_Staff(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if _, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{
		Name: "Rita", Email: "rita@example.com", Password: paymentstest.Password, Role: models.StaffReviewer,
	}); err != nil {
		t.Fatal(err)
	}
	c := s.Client(t)
	c.Post("/entrar", "email", "rita@example.com", "password", paymentstest.Password)
	if a := c.Get("/app"); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/ops" {
		t.Errorf("led to %d %q", a.Status, a.Header.Get("Location"))
	}
	s.Enroll(t, c, "/2fa/ativar?next=/ops")
}
