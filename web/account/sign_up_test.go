package account_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/page"
	"garoupa/web/webtest"
)

// invited makes an invitation to the owner's account, and returns the path of its link.
func invited(t *testing.T, s *webtest.Site, email string) string {
	t.Helper()
	if _, err := s.Merchants.Invite(t.Context(), s.Owner,
		merchants.NewInvite{Email: email, Role: models.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	return "/convite/" + s.Link(t, models.MailInvite, email)
}

// people counts the log-ins.
func people(t *testing.T, s *webtest.Site) int {
	t.Helper()
	return modelstest.One[int](t, s.DB, "SELECT count(*) FROM users")
}

// Where not everyone may sign up, the page says so, its form does nothing, and no page links there.
func TestSignUp_NotOpen(t *testing.T) {
	t.Parallel()
	for mode, says := range map[string]string{
		"": "", page.SignUpOpen: "", page.SignUpByInvitation: "O cadastro é por convite",
		page.SignUpClosed: "O cadastro está fechado",
	} {
		s := webtest.NewWithPasskeys(t, web.Limits{}, func(o *web.Options) { o.SignUp = mode })
		open, before := says == "", people(t, s)
		c := s.Client(t)
		a := c.Get("/cadastro")
		if a.Status != http.StatusOK || (a.Find("#password").Length() == 1) != open ||
			!strings.Contains(a.Find("h1").Text(), says) {
			t.Errorf("%q: %d %s", mode, a.Status, a.Find("main").Text())
		}
		for _, path := range append(webtest.DocsPages(), "/entrar", "/esqueci-senha", "/ajuda", "/docs") {
			links := c.Get(path).Find(`a[href^="/cadastro"]`).Length()
			if (links > 0) != (open && path == "/entrar") {
				t.Errorf("%q: %s has %d links", mode, path, links)
			}
		}
		form := []string{"name", "Bia", "business", "Loja", "email", "bia@example.com"}
		if a := c.Post("/cadastro/passkey", form...); (a.Status == http.StatusOK) != open {
			t.Errorf("%q: asked for a passkey: %d", mode, a.Status)
		}
		a = c.Post("/cadastro", append(form, "password", webtest.NewPassword)...)
		if want := map[bool]int{true: http.StatusSeeOther, false: http.StatusForbidden}[open]; a.Status != want ||
			people(t, s) > before != open || !open && !strings.Contains(a.Find("h1").Text(), says) {
			t.Errorf("%q: signed up: %d, want %d", mode, a.Status, want)
		}
		a = c.Post("/cadastro", append(form, "passkey", "{}")...)
		if want := map[bool]int{true: 422, false: 403}[open]; a.Status != want {
			t.Errorf("%q: signed up with a passkey: %d, want %d", mode, a.Status, want)
		}
	}
}

// An invitation makes a log-in unless sign-up is closed. Who has one accepts it in any case.
func TestSignUp_Invited(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{page.SignUpOpen, page.SignUpByInvitation, page.SignUpClosed} {
		s := webtest.NewWithPasskeys(t, web.Limits{}, func(o *web.Options) { o.SignUp = mode })
		joins, before := mode != page.SignUpClosed, people(t, s)
		path, c := invited(t, s, "bia@example.com"), s.Client(t)
		a := c.Get(path)
		if a.Status != http.StatusOK || (a.Find("#password").Length() == 1) != joins ||
			strings.Contains(a.Text(), "O cadastro está fechado") == joins {
			t.Errorf("%s: %d %s", mode, a.Status, a.Find("main").Text())
		}
		if a := c.Post(path+"/passkey", "name", "Bia"); (a.Status == http.StatusOK) != joins {
			t.Errorf("%s: asked for a passkey: %d", mode, a.Status)
		}
		if a := c.Post(path, "name", "Bia", "passkey", "{}"); (a.Status == http.StatusForbidden) == joins {
			t.Errorf("%s: joined with a passkey: %d", mode, a.Status)
		}
		a = c.Post(path, "name", "Bia", "password", webtest.NewPassword)
		if (a.Status == http.StatusSeeOther) != joins || (a.Status == http.StatusForbidden) == joins ||
			(people(t, s) > before) != joins {
			t.Errorf("%s: joined: %d", mode, a.Status)
		}

		if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Caio", Business: "Padaria",
			Email: "caio@example.com", Password: paymentstest.Password}, "127.0.0.1"); err != nil {
			t.Fatal(err)
		}
		path, c = invited(t, s, "caio@example.com"), s.Client(t)
		c.Post("/entrar", "email", "caio@example.com", "password", paymentstest.Password)
		if a := c.Post(path + "/aceitar"); a.Header.Get("Location") != "/app" {
			t.Errorf("%s: a person with a log-in accepts: %d", mode, a.Status)
		}
	}
}
