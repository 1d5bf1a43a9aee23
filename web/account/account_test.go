package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

func TestLogIn(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)

	a := c.Get("/app/chaves?x=1")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/entrar?next=%2Fapp%2Fchaves%3Fx%3D1" {
		t.Fatalf("a stranger gets %d %s", a.Status, a.Header.Get("Location"))
	}
	for name, form := range map[string][]string{
		"wrong password": {"email", s.Email, "password", "wrong horse battery"},
		"unknown email":  {"email", "nobody@example.com", "password", paymentstest.Password},
		"nothing":        {},
	} {
		a := c.Post("/entrar", form...)
		told := a.Find("#errors[role=alert][autofocus]")
		if a.Status != http.StatusUnprocessableEntity ||
			strings.TrimSpace(told.Text()) != "E-mail ou senha incorretos. Tente de novo ou redefina a senha." {
			t.Errorf("%s: %d, %q", name, a.Status, told.Text())
		}
		if strings.Contains(a.Body, "horse") {
			t.Errorf("%s: the page repeats the password", name)
		}
	}
	a = c.Post("/entrar", "email", " "+strings.ToUpper(s.Email), "password", paymentstest.Password, "next",
		"/app/chaves?x=1")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/app/chaves?x=1" {
		t.Fatalf("logged in to %d %s", a.Status, a.Header.Get("Location"))
	}
	cookie := a.Header.Get("Set-Cookie")
	for _, want := range []string{"garoupa_session=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if a := c.Get("/app/chaves"); a.Status != http.StatusOK {
		t.Errorf("a member gets %d", a.Status)
	}
	if a := c.Post("/sair"); a.Status != http.StatusSeeOther {
		t.Errorf("log out: %d", a.Status)
	}
	if a := c.Get("/entrar"); !strings.Contains(a.Text(), "Você saiu da sua conta") ||
		strings.Contains(c.Get("/entrar").Text(), "Você saiu") {
		t.Error("the farewell is said once")
	}
	if a := c.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("after logging out: %d", a.Status)
	}
}

// A cookie taken before logging out is worth nothing after.
func TestLogOut_StolenCookie(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	thief := s.Member(t)
	thief.HTTP.Jar = nil
	stolen := c.HTTP.Jar.Cookies(webtest.URL(t, s.URL))
	c.Post("/sair")
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/app", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range stolen {
		request.AddCookie(cookie)
	}
	response, err := thief.HTTP.Do(request)
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
	s := webtest.New(t)
	c := s.Member(t)
	s.Clock.Advance(merchants.IdleMember - time.Second)
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("before its time: %d", a.Status)
	}
	s.Clock.Advance(merchants.IdleMember)
	if a := c.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("after its time: %d", a.Status)
	}
}

// Where a log-in leads is never another site.
func TestLogIn_Next(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)",
		"evil", "", "/\r\nX: y"} {
		a := s.Client(t).Post("/entrar", "email", s.Email, "password", paymentstest.Password, "next", next)
		if a.Header.Get("Location") != "/app" {
			t.Errorf("next %q leads to %q", next, a.Header.Get("Location"))
		}
	}
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)
	a := c.Post("/cadastro", "name", "", "business", "Café", "email", "x", "password", "short")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 3 ||
		a.Find("#business").AttrOr("value", "") != "Café" {
		t.Errorf("a form full of errors: %d, %d of them", a.Status, a.Find("#errors li").Length())
	}
	a = c.Post("/cadastro", "name", "Ana", "business", "Café", "email", strings.ToUpper(s.Email), "password",
		"a long enough one")
	if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "já tem conta") ||
		a.Find("form a[href='/entrar']").Length() != 1 {
		t.Errorf("a taken email: %d", a.Status)
	}
	a = c.Post("/cadastro", "name", "Bruno", "business", "Café", "email", "bruno@example.com", "password",
		"a long enough one")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/verificar-email" ||
		c.Get("/app").Status != http.StatusOK {
		t.Errorf("signed up: %d to %q", a.Status, a.Header.Get("Location"))
	}
	next := c.Get("/verificar-email")
	if next.Find("form[action='/verificar-email/reenviar'] [data-countdown]").Length() != 1 ||
		next.Find("form[action='/verificar-email/trocar']").Length() != 1 ||
		next.Find("main a[href='/app']").Length() != 1 {
		t.Error("what comes next offers no mail after a minute, no other address or no way on")
	}
	s.Clock.Advance(time.Minute)
	if c.Get("/verificar-email").Find("[data-countdown]").Length() != 0 {
		t.Error("after a minute the mail is still to be waited for")
	}
}

// Where there are terms of use, who makes a log-in accepts them, and the moment is kept
// with the person.
func TestSignUp_Terms(t *testing.T) {
	t.Parallel()
	s := webtest.NewWith(t, webtest.WithNotices)
	accepted := func(email string) bool {
		t.Helper()
		user, err := models.UserByEmail(t.Context(), s.DB, email)
		if err != nil {
			t.Fatal(err)
		}
		return user.TermsURL != nil && *user.TermsURL == webtest.TermsURL && user.TermsAcceptedAt != nil &&
			user.TermsAcceptedAt.Equal(s.Clock.Now())
	}
	invited, err := s.Merchants.Invite(t.Context(), s.Owner,
		merchants.NewInvite{Email: "bia@example.com", Role: models.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	for path, form := range map[string][]string{
		"/cadastro": {"name", "Bruno", "business", "Café", "email", "bruno@example.com",
			"password", "a long enough one"},
		"/convite/" + s.Vault.Token(invited.ID): {"name", "Bia", "password", "a long enough one"},
	} {
		c := s.Client(t)
		box := c.Get(path).Find("input[type=checkbox][name=terms][required]")
		if box.Length() != 1 || box.AttrOr("checked", "no") != "no" ||
			box.Parent().Find("a").AttrOr("href", "") != webtest.TermsURL {
			t.Errorf("%s has %d boxes", path, box.Length())
		}
		bare := c.Post(path, "name", form[1])
		for _, order := range []string{
			"form > div:has(#password) ~ div #terms", "#errors li:has([href='#password']) ~ li [href='#terms']",
		} {
			if bare.Find(order).Length() != 1 {
				t.Errorf("%s: the terms do not follow the password: %s", path, order)
			}
		}
		a := c.Post(path, form...)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors a[href='#terms']").Length() != 1 ||
			a.Find("#name").AttrOr("value", "") != form[1] {
			t.Errorf("%s without the box: %d", path, a.Status)
		}
		if a := c.Post(path, append(form, "terms", "on")...); a.Status != http.StatusSeeOther {
			t.Errorf("%s with the box: %d", path, a.Status)
		}
	}
	if !accepted("bruno@example.com") || !accepted("bia@example.com") || accepted(s.Email) {
		t.Error("what was accepted, and when, is not kept with who did")
	}
	if webtest.New(t).Client(t).Get("/cadastro").Find("input[type=checkbox]").Length() != 0 {
		t.Error("something is asked where there are no terms")
	}
}
