package account_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/internal/ratelimit"
	"garoupa/models"
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
		t.Errorf("another email: %d", a.Status)
	}
	s.Clock.Advance(time.Minute)
	if a := visitor.Post("/entrar", "email", s.Email, "password",
		paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.Status)
	}
}

// Few people sign up from one address, because each sign-up sends a mail to an address that the
// visitor typed. A form that was refused does not count.
func TestLimits_SignUps(t *testing.T) {
	t.Parallel()
	s := newGuessed(t, web.Limits{SignUps: hourly(2)})
	signUp := func(address, email string) int {
		t.Helper()
		a := at(t, s, address).Post("/cadastro", "name", "Bia", "business", "Loja", "email", email, "password",
			paymentstest.Password)
		if (a.Status == http.StatusTooManyRequests) != (a.Header.Get("Retry-After") != "") {
			t.Errorf("%s: %d with Retry-After %q", email, a.Status, a.Header.Get("Retry-After"))
		}
		return a.Status
	}
	for range 3 {
		if got := signUp("2001:db8::1", "no address"); got != http.StatusUnprocessableEntity {
			t.Errorf("an invalid form: %d", got)
		}
	}
	for i, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		email := fmt.Sprintf("p%d@example.com", i)
		if got := signUp(fmt.Sprintf("2001:db8::%d", i), email); got != want {
			t.Errorf("sign-up %d: %d, want %d", i+1, got, want)
		}
		sent := want == http.StatusSeeOther
		if n := mails(t, s, models.MailVerifyEmail, email); (n == 1) != sent {
			t.Errorf("sign-up %d sent %d mails", i+1, n)
		}
	}
	if got := signUp("203.0.113.7", "p3@example.com"); got != http.StatusSeeOther {
		t.Errorf("another address: %d", got)
	}
}

// Mails to addresses that a visitor types are few: links for another password by the visitor's
// address, changes of an email by the person.
func TestLimits_Mails(t *testing.T) {
	t.Parallel()
	s := newGuessed(t, web.Limits{Mails: hourly(2)})
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		a := at(t, s, fmt.Sprintf("2001:db8::%d", i)).Post("/esqueci-senha", "email", fmt.Sprintf("p%d@example.com", i))
		if a.Status != want {
			t.Errorf("link %d: %d, want %d", i+1, a.Status, want)
		}
	}
	c := at(t, s, "203.0.113.7")
	if got := tryPassword(c, s.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Fatalf("log in: %d", got)
	}
	for i, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		email := fmt.Sprintf("new%d@example.com", i)
		a := c.Post("/trocar-email", "email", email)
		if a.Status != want || (want == http.StatusTooManyRequests) != (a.Header.Get("Retry-After") != "") {
			t.Errorf("change %d: %d, want %d", i+1, a.Status, want)
		}
		if n := mails(t, s, models.MailEmailChange, email); (n == 1) != (want == http.StatusSeeOther) {
			t.Errorf("change %d sent %d mails", i+1, n)
		}
		s.Clock.Advance(2 * time.Minute) // sooner is refused anyway
	}
	fresh := at(t, s, "203.0.113.8")
	if a := fresh.Post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password",
		paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Fatalf("sign up: %d", a.Status)
	}
	for i, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		s.Clock.Advance(2 * time.Minute)
		email := fmt.Sprintf("bia%d@example.com", i)
		if a := fresh.Post("/verificar-email/trocar", "email", email); a.Status != want {
			t.Errorf("correction %d: %d, want %d", i+1, a.Status, want)
		}
	}
}

// A person who is logged in may make many requests, but not any number, and one who hashes a
// password or sends mails fewer. Others are not affected.
func TestLimits_People(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{People: hourly(20)})
	other := s.Merchant(t, "bruno@example.com")
	member, neighbor := s.Member(t), s.Client(t)
	if got := tryPassword(neighbor, other.Email, paymentstest.Password); got != http.StatusSeeOther {
		t.Fatalf("log in: %d", got)
	}
	for i := range 20 {
		if a := member.Get("/app/webhooks"); a.Status != http.StatusOK {
			t.Fatalf("page %d: %d", i+1, a.Status)
		}
	}
	for _, path := range []string{"/app", "/app/nowhere", "/trocar-email"} {
		if a := member.Get(path); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s after all requests: %d", path, a.Status)
		}
	}
	for i, want := range []int{http.StatusUnprocessableEntity, http.StatusTooManyRequests} {
		a := neighbor.Post("/app/configuracoes/seguranca/senha", "current", guess, "password", webtest.NewPassword)
		if a.Status != want {
			t.Errorf("form %d that hashes: %d, want %d", i+1, a.Status, want)
		}
	}
	if a := neighbor.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("a page of the other person: %d", a.Status)
	}
}

// Of hundreds of log-ins at once each is answered: by its result, or by a page that says to try
// again soon.
func TestLogIn_Flood(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	// Hashes cost what they do in production, more than the rest of a request; the first log-in renews the password's.
	s.Merchants.HashMemory = 0
	s.Client(t).Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	const many = 500
	answers := make([]webtest.Answer, many)
	var wait sync.WaitGroup
	for i := range many {
		c, password := s.Client(t), paymentstest.Password
		if c.Lang = "en"; i%2 == 0 {
			c.Lang, password = "pt-BR", guess
		}
		wait.Go(func() { answers[i] = c.Post("/entrar", "email", s.Email, "password", password) })
	}
	wait.Wait()
	count := map[int]int{}
	for i, a := range answers {
		count[a.Status]++
		switch a.Status {
		case http.StatusSeeOther, http.StatusUnprocessableEntity:
		case http.StatusServiceUnavailable:
			says := "Nothing was lost: wait a few seconds and try again"
			if i%2 == 0 {
				says = "Nada se perdeu: espere alguns segundos e tente de novo"
			}
			if a.Header.Get("Retry-After") == "" || !strings.Contains(a.Text(), says) {
				t.Errorf("Retry-After %q on a page that says %s", a.Header.Get("Retry-After"), a.Find("main").Text())
			}
		default:
			t.Errorf("log-in %d: %d", i+1, a.Status)
		}
	}
	if count[http.StatusServiceUnavailable] == 0 || count[http.StatusSeeOther] == 0 {
		t.Errorf("the answers are %v", count)
	}
}

// All addresses of an IPv6 network of 64 bits share the limits of one address: for pages, and for
// wrong keys and the description of the API.
func TestLimits_Networks(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithAPI(t, func(o *web.Options) { o.Limits.Pages = hourly(2) }, func(o *api.Options) {
		o.Limits.FailedAuth, o.Limits.Public = hourly(2), hourly(2)
	}, netip.MustParsePrefix("127.0.0.0/8"))
	for path, want := range map[string]int{
		"/entrar": http.StatusOK, "/v1/balance": http.StatusUnauthorized, "/v1/openapi.json": http.StatusOK,
	} {
		for i, want := range []int{want, want, http.StatusTooManyRequests} {
			if a := at(t, s, fmt.Sprintf("2001:db8::%x", i+1)).Get(path); a.Status != want {
				t.Errorf("%s, time %d: %d, want %d", path, i+1, a.Status, want)
			}
		}
		if a := at(t, s, "2001:db8:0:1::1").Get(path); a.Status != want {
			t.Errorf("%s from the next network: %d", path, a.Status)
		}
	}
}
