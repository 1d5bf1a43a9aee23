package account_test

import (
	"net/http"
	"testing"

	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// Mails follow the language of the page that a person signed up on, and then the one
// that they switch to.
func TestLanguage(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)
	c.Lang = "en"
	if a := c.Post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password",
		paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Fatalf("sign up: %d", a.Status)
	}
	language := func() (l string) {
		if err := s.DB.Pool.QueryRow(t.Context(),
			"SELECT language FROM users WHERE email = 'bia@example.com'").Scan(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := language(); l != "en" {
		t.Errorf("signed up in %s", l)
	}
	c.Post("/preferencias", "lang", "pt-BR", "next", "/app")
	if l := language(); l != "pt-BR" {
		t.Errorf("switched to %s", l)
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)
	c.Post("/preferencias", "lang", "en", "next", "/entrar")
	c.Post("/preferencias", "theme", "dark", "next", "/entrar")
	a := c.Get("/entrar")
	if a.Find("html").AttrOr("lang", "") != "en" || a.Find("html").AttrOr("data-theme", "") != "dark" {
		t.Error("the choices were not kept")
	}
	if a := c.Post("/preferencias", "theme", "", "next", "https://evil.example"); a.Header.Get("Location") != "/app" {
		t.Errorf("leads to %s", a.Header.Get("Location"))
	}
	if _, set := c.Get("/entrar").Find("html").Attr("data-theme"); set {
		t.Error("the system's theme was not restored")
	}
}

func TestPreferences_Rows(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, step := range []struct {
		rows string
		low  bool
	}{{"low", true}, {"tiny", true}, {"usual", false}} {
		c.Post("/preferencias", "rows", step.rows, "next", "/app")
		for _, path := range []string{"/app", "/app/cobrancas"} {
			if _, low := c.Get(path).Find("html").Attr("data-dense"); low != step.low {
				t.Errorf("after %q the rows of %s are low: %t", step.rows, path, low)
			}
		}
	}
}
