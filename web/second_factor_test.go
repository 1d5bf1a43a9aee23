package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/totp"
	"garoupa/web"
)

// enrol makes a client's log-in ask for codes, by the page, and returns the secret and
// the recovery codes.
func (s *site) enrol(t *testing.T, c *client, path string) (secret string, recovery []string) {
	t.Helper()
	form := c.get(path)
	secret = strings.ReplaceAll(form.Find("#totp-secret").Text(), " ", "")
	if form.status != http.StatusOK || len(secret) != 32 || form.Find("svg[role=img]").Length() != 1 {
		t.Fatalf("the form: %d, %q", form.status, secret)
	}
	next := form.Find("main input[name=next]").AttrOr("value", "")
	if a := c.post("/2fa/ativar", "code", "000000", "next", next); a.status != http.StatusUnprocessableEntity || strings.ReplaceAll(a.Find("#totp-secret").Text(), " ", "") != secret {
		t.Errorf("a wrong code: %d", a.status)
	}
	done := c.post("/2fa/ativar", "code", s.code(secret), "next", next)
	recovery = strings.Split(done.Find("#recovery-codes").Text(), "\n")
	if done.status != http.StatusOK || len(recovery) != 10 || done.Find("main a.btn-primary").AttrOr("href", "") != next {
		t.Fatalf("enrolled: %d, %q", done.status, recovery)
	}
	s.Clock.Advance(time.Minute) // that code is used up
	return secret, recovery
}

func (s *site) code(secret string) string { return totp.Code(secret, totp.Step(s.Clock.Now())) }

// Enrolled, a log-in has two halves, and so has a proof.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.member(t)
	secret, recovery := s.enrol(t, first, "/2fa/ativar?next=/app/chaves")
	if a := first.get("/2fa/ativar?next=/app/chaves"); a.status != http.StatusSeeOther || strings.Contains(a.body, secret) {
		t.Errorf("the secret is shown once more: %d", a.status)
	}

	c := s.client(t)
	a := c.post("/entrar", "email", s.Email, "password", paymentstest.Password, "next", "/app/chaves?x=1")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/2fa?next=%2Fapp%2Fchaves%3Fx%3D1" {
		t.Fatalf("the password led to %q", a.header.Get("Location"))
	}
	for _, path := range []string{"/app", "/2fa/ativar", "/app/chaves/nova"} {
		if a := c.get(path); a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/entrar") {
			t.Errorf("%s with half a log-in: %d", path, a.status)
		}
	}
	page := c.get("/2fa?next=%2Fapp%2Fchaves%3Fx%3D1")
	if page.status != http.StatusOK || page.Find("input[autocomplete=one-time-code]").Length() != 1 {
		t.Errorf("the second half: %d", page.status)
	}
	if a := c.post("/2fa", "code", "000000", "next", "/app/chaves?x=1"); a.status != http.StatusUnprocessableEntity || a.Find("main input[name=next]").AttrOr("value", "") != "/app/chaves?x=1" {
		t.Errorf("a wrong code: %d", a.status)
	}
	if a := c.post("/2fa", "code", s.code(secret), "next", "/app/chaves?x=1"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/chaves?x=1" {
		t.Errorf("the code led to %d %q", a.status, a.header.Get("Location"))
	}
	if a := c.get("/app"); a.status != http.StatusOK {
		t.Errorf("logged in: %d", a.status)
	}

	s.Clock.Advance(time.Hour)
	if a := c.get("/app/chaves/nova"); a.Find("input[name="+proof+"][autocomplete=one-time-code]").Length() != 1 {
		t.Errorf("a code is not asked for as a proof: %d", a.status)
	}
	if a := c.post("/confirmar", proof, paymentstest.Password, "next", "/app"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("the password is a proof: %d", a.status)
	}
	if a := c.post("/confirmar", proof, s.code(secret), "next", "/app/chaves/nova"); a.status != http.StatusSeeOther {
		t.Errorf("the code is no proof: %d", a.status)
	}

	s.Clock.Advance(time.Hour)
	if a := c.post("/confirmar", proof, "", proof+"_recovery", "00000-00000", "next", "/app"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("any recovery code is a proof: %d", a.status)
	}
	if a := c.post("/confirmar", proof, "", proof+"_recovery", recovery[0], "next", "/app"); a.status != http.StatusSeeOther || c.get("/app/chaves/nova").Find("input[name=permissions]").Length() == 0 {
		t.Errorf("a recovery code is no proof: %d", a.status)
	}

	lost := s.client(t)
	lost.post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := lost.get("/2fa?recuperacao=1"); !strings.Contains(a.Text(), "códigos de recuperação") {
		t.Errorf("no way without the generator: %d", a.status)
	}
	if a := lost.post("/2fa", "code", recovery[3], "recuperacao", "1", "next", "https://evil.example"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app" {
		t.Errorf("a recovery code led to %d %q", a.status, a.header.Get("Location"))
	}
	again := s.client(t)
	again.post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := again.post("/2fa", "code", recovery[3], "recuperacao", "1"); a.status != http.StatusUnprocessableEntity || a.Find("input[name=recuperacao]").Length() != 1 {
		t.Errorf("a recovery code counted twice: %d", a.status)
	}
	if a := s.client(t).get("/2fa"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/entrar?next=%2Fapp" {
		t.Errorf("a code of nobody is asked for: %d", a.status)
	}
}

// Guesses of a user's codes are counted whatever address and browser they come from.
func TestSecondFactor_Limits(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := newLimitedSite(t, web.Limits{LogIn: ratelimit.New(rate)})
	secret, _ := s.enrol(t, s.member(t), "/2fa/ativar")
	c, other := s.client(t), s.client(t)
	for _, browser := range []*client{c, other} {
		browser.post("/entrar", "email", s.Email, "password", paymentstest.Password)
	}
	for i := range 5 {
		if a := c.post("/2fa", "code", "000000"); a.status != http.StatusUnprocessableEntity {
			t.Errorf("guess %d: %d", i+1, a.status)
		}
	}
	if a := other.post("/2fa", "code", s.code(secret)); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("another browser's guess: %d", a.status)
	}
	s.Clock.Advance(time.Minute)
	if a := other.post("/2fa", "code", s.code(secret)); a.status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.status)
	}
}

// Somebody of staff without an account is led to operations, and sets a generator up
// without one.
func TestSecondFactor_Staff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{
		Name: "Rita", Email: "rita@example.com", Password: paymentstest.Password, Role: models.StaffReviewer,
	}); err != nil {
		t.Fatal(err)
	}
	c := s.client(t)
	c.post("/entrar", "email", "rita@example.com", "password", paymentstest.Password)
	if a := c.get("/app"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/ops" {
		t.Errorf("led to %d %q", a.status, a.header.Get("Location"))
	}
	s.enrol(t, c, "/2fa/ativar?next=/ops")
}
