package account_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// A browser that proves who its person is gets a new cookie. A copy of the former one has no part in the
// proof, is still logged in for what the browser had sent, and is worthless ten seconds later.
func TestNewToken(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	copied := func() *webtest.Client {
		other := s.Client(t)
		other.HTTP.Jar.SetCookies(webtest.URL(t, s.URL), c.Cookies())
		return other
	}
	asks := func(a webtest.Answer) bool { return a.Find("input[name="+webtest.ProofField+"]").Length() == 1 }
	for _, rise := range []struct {
		name  string
		leads int
		do    func() webtest.Answer
	}{
		{"a proof", http.StatusSeeOther, func() webtest.Answer {
			return c.Post("/confirmar", webtest.ProofField, paymentstest.Password, "next", "/app/chaves/nova")
		}},
		{"a proof with a form", http.StatusOK, func() webtest.Answer {
			return c.Post("/app/chaves", "name", "x", "permissions", "CHECKOUT:READ", webtest.ProofField,
				paymentstest.Password)
		}},
		{"another password", http.StatusSeeOther, func() webtest.Answer {
			return c.Post(webtest.SecurityPage+"/senha", "current", paymentstest.Password, "password",
				paymentstest.Password+" 2")
		}},
	} {
		s.Clock.Advance(time.Hour)
		former, second := copied(), copied()
		if a := rise.do(); a.Status != rise.leads {
			t.Fatalf("%s: %d", rise.name, a.Status)
		}
		if a := c.Get("/app"); a.Status != http.StatusOK {
			t.Errorf("%s: the browser is not logged in any more: %d", rise.name, a.Status)
		}
		if a := former.Get("/app"); a.Status != http.StatusOK {
			t.Errorf("%s: a request that was on its way: %d", rise.name, a.Status)
		}
		if a := former.Get("/app/chaves/nova"); !asks(a) {
			t.Errorf("%s: the former cookie counts as proven: %d", rise.name, a.Status)
		}
		s.Clock.Advance(merchants.FormerTokenLasts)
		if a := second.Get("/app"); a.Status != http.StatusSeeOther {
			t.Errorf("%s: ten seconds later the former cookie: %d", rise.name, a.Status)
		}
		if a := c.Get("/app"); a.Status != http.StatusOK {
			t.Errorf("%s: ten seconds later the browser: %d", rise.name, a.Status)
		}
	}
	s.Clock.Advance(time.Hour)
	former := copied()
	c.Post("/confirmar", webtest.ProofField, paymentstest.Password+" 2", "next", "/app")
	if a := c.Get("/app/chaves/nova"); asks(a) {
		t.Errorf("the browser does not count as proven: %d", a.Status)
	}
	c.Post("/sair")
	if a := former.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("after the log-out the former cookie: %d", a.Status)
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM sessions"); n != 0 {
		t.Errorf("%d sessions after the log-out", n)
	}
}

// A half of a log-in is worth nothing once the code completed it.
func TestNewToken_Code(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	secret, _ := s.Enroll(t, s.Member(t), "/2fa/ativar")
	s.Clock.Advance(time.Minute)
	c, other := s.Client(t), s.Client(t)
	c.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	other.HTTP.Jar.SetCookies(webtest.URL(t, s.URL), c.Cookies())
	if a := c.Post("/2fa", "code", s.Code(secret)); a.Status != http.StatusSeeOther {
		t.Fatalf("the code: %d", a.Status)
	}
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("the browser: %d", a.Status)
	}
	for _, path := range []string{"/app", "/2fa"} {
		if a := other.Get(path); a.Status != http.StatusSeeOther {
			t.Errorf("%s with a copy of half a log-in: %d", path, a.Status)
		}
	}
}
