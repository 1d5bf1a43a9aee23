package account_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// newGuessed serves a site with limits, whose clients say from which address they come.
func newGuessed(t *testing.T, limits web.Limits) *webtest.Site {
	t.Helper()
	return webtest.NewWithAPI(t, func(o *web.Options) { o.Limits = limits }, func(*api.Options) {},
		netip.MustParsePrefix("127.0.0.0/8"))
}

// hourly returns a limiter of as many tokens as an hour.
func hourly(tokens int) *ratelimit.Limiter {
	return ratelimit.New(ratelimit.Rate{Tokens: tokens, Per: time.Hour, Burst: tokens})
}

// at returns a new browser at an address.
func at(t *testing.T, s *webtest.Site, address string) *webtest.Client {
	t.Helper()
	c := s.Client(t)
	c.From = address
	return c
}

// tryPassword returns the status of a log-in.
func tryPassword(c *webtest.Client, email, password string) int {
	c.T.Helper()
	a := c.Post("/entrar", "email", email, "password", password)
	if (a.Status == http.StatusTooManyRequests) != (a.Header.Get("Retry-After") != "") {
		c.T.Errorf("%d with Retry-After %q", a.Status, a.Header.Get("Retry-After"))
	}
	return a.Status
}

// mails returns how many mails of a kind a person got.
func mails(t *testing.T, s *webtest.Site, kind, to string) int {
	t.Helper()
	return modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = $1 AND recipient = $2", kind, to)
}

const guess = "a wrong guess"

// One address may guess few passwords, whatever the emails. Log-ins that succeed do not count,
// and an IPv6 network of 64 bits is one address.
func TestGuesses_OfAnAddress(t *testing.T) {
	t.Parallel()
	s := newGuessed(t, web.Limits{FailedLogIn: hourly(3)})
	for range 5 {
		if got := tryPassword(at(t, s, "2001:db8::1"), s.Email, paymentstest.Password); got != http.StatusSeeOther {
			t.Fatalf("a log-in: %d", got)
		}
	}
	for i, want := range []int{422, 422, 422, 429} {
		c := at(t, s, fmt.Sprintf("2001:db8::%x", i+1))
		if got := tryPassword(c, fmt.Sprintf("p%d@example.com", i), guess); got != want {
			t.Errorf("guess %d: %d, want %d", i+1, got, want)
		}
	}
	if got := tryPassword(at(t, s, "2001:db8::ffff"), s.Email, paymentstest.Password); got != 429 {
		t.Errorf("the password after all guesses: %d", got)
	}
	if got := tryPassword(at(t, s, "2001:db8:0:1::1"), s.Email, guess); got != http.StatusUnprocessableEntity {
		t.Errorf("the next network: %d", got)
	}
}

// Strangers who guess one person's password from many addresses are slowed down together, and
// the person is told once a day. The person still logs in where they logged in before. An email
// that no person has gets the same answers.
func TestGuesses_OfAnAccount(t *testing.T) {
	t.Parallel()
	s := newGuessed(t, web.Limits{NewPlaces: hourly(3)})
	own := at(t, s, "203.0.113.1")
	if got := tryPassword(own, s.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Fatalf("the first log-in: %d", got)
	}
	own.Post("/sair")
	for n, email := range []string{s.Email, "nobody@example.com"} {
		for i, want := range []int{422, 422, 422, 429, 429} {
			if got := tryPassword(at(t, s, fmt.Sprintf("198.51.%d.%d", n, i)), email, guess); got != want {
				t.Errorf("%s, guess %d: %d, want %d", email, i+1, got, want)
			}
		}
	}
	for end := time.Now().Add(webtest.Patience); mails(t, s, models.MailLogInGuesses, s.Email) == 0; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the person was not told")
		}
	}
	own.From = "192.0.2.9" // the known browser elsewhere
	for name, c := range map[string]*webtest.Client{"address": at(t, s, "203.0.113.1"), "browser": own} {
		if got := tryPassword(c, s.Email, guess); got != http.StatusUnprocessableEntity {
			t.Errorf("the known %s, a typing error: %d", name, got)
		}
		if got := tryPassword(c, s.Email, paymentstest.Password); got != http.StatusSeeOther {
			t.Errorf("the known %s: %d", name, got)
		}
	}
	if got := tryPassword(at(t, s, "192.0.2.8"), s.Email, paymentstest.Password); got != 429 {
		t.Errorf("a new browser at a new address: %d", got)
	}
	s.Clock.Advance(20 * time.Minute)
	if got := tryPassword(at(t, s, "192.0.2.8"), s.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Errorf("a while later: %d", got)
	}
	if n := mails(t, s, models.MailLogInGuesses, s.Email); n != 1 {
		t.Errorf("the person was told %d times", n)
	}
}

// A person whom strangers keep from logging in on a new device logs in there after choosing
// another password by mail.
func TestGuesses_AfterReset(t *testing.T) {
	t.Parallel()
	s := newGuessed(t, web.Limits{NewPlaces: hourly(1)})
	for i, want := range []int{422, 429} {
		if got := tryPassword(at(t, s, fmt.Sprintf("198.51.100.%d", i)), s.Email, guess); got != want {
			t.Fatalf("guess %d: %d", i+1, got)
		}
	}
	c := at(t, s, "192.0.2.8")
	if got := tryPassword(c, s.Email, paymentstest.Password); got != 429 {
		t.Fatalf("on a new device: %d", got)
	}
	c.Post("/esqueci-senha", "email", s.Email)
	a := c.Post("/redefinir-senha", "token", s.Link(t, models.MailResetPassword, s.Email), "password",
		webtest.NewPassword)
	if a.Status != http.StatusSeeOther {
		t.Fatalf("another password: %d", a.Status)
	}
	if got := tryPassword(c, s.Email, webtest.NewPassword); got != http.StatusSeeOther {
		t.Errorf("with another password: %d", got)
	}
}

// Strangers who know the password do not keep the person from entering a code, however many
// sessions they begin, and the person is told after ten wrong codes.
func TestGuesses_OfCodes(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := newGuessed(t, web.Limits{LogIn: ratelimit.New(rate), NewPlaces: hourly(12)})
	own := at(t, s, "203.0.113.1")
	if got := tryPassword(own, s.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Fatalf("the first log-in: %d", got)
	}
	secret, _ := s.Enroll(t, own, "/2fa/ativar")
	own.Post("/sair")

	wrong := 0
	for i := range 5 { // more would be more log-ins than one address has
		stranger := at(t, s, fmt.Sprintf("198.51.100.%d", i))
		if got := tryPassword(stranger, s.Email, paymentstest.Password); got != http.StatusSeeOther {
			t.Fatalf("a stranger with the password: %d", got)
		}
		for try := range 6 {
			a := stranger.Post("/2fa", "code", "000000")
			if a.Status == http.StatusUnprocessableEntity {
				wrong++
			} else if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
				t.Errorf("code %d of stranger %d: %d", try+1, i+1, a.Status)
			} else if try < 5 && wrong < 12 {
				t.Errorf("code %d of stranger %d was one too many", try+1, i+1)
			}
			if try == 5 && a.Status != http.StatusTooManyRequests {
				t.Errorf("a session has a sixth try: %d", a.Status)
			}
			if told := mails(t, s, models.MailWrongCodes, s.Email); told != min(1, wrong/10) {
				t.Errorf("after %d wrong codes the person was told %d times", wrong, told)
			}
		}
	}
	if wrong != 12 {
		t.Errorf("strangers tried %d codes, want 12", wrong)
	}
	if got := tryPassword(own, s.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Fatalf("the person's password: %d", got)
	}
	if a := own.Post("/2fa", "code", s.Code(secret)); a.Status != http.StatusSeeOther ||
		own.Get("/app").Status != http.StatusOK {
		t.Errorf("the person's code: %d", a.Status)
	}
}
