package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

func TestLogIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(t)

	a := c.get("/app/chaves?x=1")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/entrar?next=%2Fapp%2Fchaves%3Fx%3D1" {
		t.Fatalf("a stranger gets %d %s", a.status, a.header.Get("Location"))
	}
	for name, form := range map[string][]string{
		"wrong password": {"email", s.Email, "password", "wrong horse battery"},
		"unknown e-mail": {"email", "nobody@example.com", "password", paymentstest.Password},
		"nothing":        {},
	} {
		a := c.post("/entrar", form...)
		told := a.Find("#errors[role=alert][autofocus]")
		if a.status != http.StatusUnprocessableEntity || strings.TrimSpace(told.Text()) != "E-mail ou senha incorretos. Tente de novo ou redefina a senha." {
			t.Errorf("%s: %d, %q", name, a.status, told.Text())
		}
		if strings.Contains(a.body, "horse") {
			t.Errorf("%s: the page repeats the password", name)
		}
	}
	a = c.post("/entrar", "email", " "+strings.ToUpper(s.Email), "password", paymentstest.Password, "next", "/app/chaves?x=1")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/chaves?x=1" {
		t.Fatalf("logged in to %d %s", a.status, a.header.Get("Location"))
	}
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{"garoupa_session=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if a := c.get("/app/chaves"); a.status != http.StatusOK {
		t.Errorf("a member gets %d", a.status)
	}
	if a := c.post("/sair"); a.status != http.StatusSeeOther {
		t.Errorf("log out: %d", a.status)
	}
	if a := c.get("/entrar"); !strings.Contains(a.Text(), "Você saiu da sua conta") || strings.Contains(c.get("/entrar").Text(), "Você saiu") {
		t.Error("the farewell is said once")
	}
	if a := c.get("/app"); a.status != http.StatusSeeOther {
		t.Errorf("after logging out: %d", a.status)
	}
}

// A cookie taken before logging out is worth nothing after.
func TestLogOut_StolenCookie(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	thief := s.member(t)
	thief.http.Jar = nil
	stolen := c.http.Jar.Cookies(mustURL(t, s.url))
	c.post("/sair")
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/app", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range stolen {
		request.AddCookie(cookie)
	}
	response, err := thief.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Errorf("a cookie of an ended session gets %d", response.StatusCode)
	}
}

// A session ends with its time, whatever the browser says.
func TestSession_Expires(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	s.Clock.Advance(merchants.SessionLifetime - time.Second)
	if a := c.get("/app"); a.status != http.StatusOK {
		t.Errorf("before its time: %d", a.status)
	}
	s.Clock.Advance(2 * time.Second)
	if a := c.get("/app"); a.status != http.StatusSeeOther {
		t.Errorf("after its time: %d", a.status)
	}
}

// Where a log-in leads is never another site.
func TestLogIn_Next(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)", "evil", "", "/\r\nX: y"} {
		a := s.client(t).post("/entrar", "email", s.Email, "password", paymentstest.Password, "next", next)
		if a.header.Get("Location") != "/app" {
			t.Errorf("next %q leads to %q", next, a.header.Get("Location"))
		}
	}
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(t)
	a := c.post("/cadastro", "name", "", "business", "Café", "email", "x", "password", "short")
	if a.status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 3 || a.Find("#business").AttrOr("value", "") != "Café" {
		t.Errorf("a form full of errors: %d, %d of them", a.status, a.Find("#errors li").Length())
	}
	a = c.post("/cadastro", "name", "Ana", "business", "Café", "email", strings.ToUpper(s.Email), "password", "a long enough one")
	if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "já tem conta") || a.Find("form a[href='/entrar']").Length() != 1 {
		t.Errorf("a taken e-mail: %d", a.status)
	}
	a = c.post("/cadastro", "name", "Bruno", "business", "Café", "email", "bruno@example.com", "password", "a long enough one")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/verificar-email" || c.get("/app").status != http.StatusOK {
		t.Errorf("signed up: %d to %q", a.status, a.header.Get("Location"))
	}
	next := c.get("/verificar-email")
	if next.Find("form[action='/verificar-email/reenviar'] [data-countdown]").Length() != 1 || next.Find("form[action='/verificar-email/trocar']").Length() != 1 || next.Find("main a[href='/app']").Length() != 1 {
		t.Error("what comes next offers no mail after a minute, no other address or no way on")
	}
	s.Clock.Advance(time.Minute)
	if c.get("/verificar-email").Find("[data-countdown]").Length() != 0 {
		t.Error("after a minute the mail is still to be waited for")
	}
}

// Members see keys and endpoints by their role.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for role, want := range map[models.Role]int{
		models.RoleAdmin: 200, models.RoleDeveloper: 200, models.RoleFinance: 403, models.RoleViewer: 403,
	} {
		s.GiveRole(t, role)
		if a := c.get("/app/chaves/nova"); a.status != want {
			t.Errorf("%s gets %d for a new key", role, a.status)
		}
		if a := c.post("/app/webhooks", "url", "https://shop.example/hook", "types", "checkout.paid"); (a.status == 403) != (want == 403) {
			t.Errorf("%s gets %d for a new endpoint", role, a.status)
		}
		if a := c.get("/app/chaves"); a.status != 200 {
			t.Errorf("%s gets %d for the list", role, a.status)
		}
	}
	s.GiveRole(t, "")
	if a := c.get("/app"); a.status != http.StatusSeeOther {
		t.Errorf("a removed member gets %d", a.status)
	}
}

// A form that another site makes the browser send is refused.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for _, path := range []string{"/app/chaves", "/app/ambiente", "/sair", "/preferencias", "/entrar", "/cadastro"} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Origin", "https://evil.example")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		response, err := c.http.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if c.get("/app").status != http.StatusOK {
		t.Error("the session did not survive")
	}
}
