package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// newcomerFields is what a newcomer types to sign up, the password apart.
var newcomerFields = []string{"name", "Bruno <Reis>", "business", "Café do Bruno", "email", "bruno@example.com"}

// signing is the fields with more of them.
func signing(fields []string, more ...string) []string {
	return append(append([]string{}, fields...), more...)
}

// A person signs up with a passkey and without a password. What is wrong is said beside
// its field, nothing typed is lost, and no account is made; the form sent twice makes one.
func TestSignUp_Passkey(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	c, device := s.Client(t), passkeytest.New(t, s.URL)
	form := c.Get("/cadastro").Find(`form[action="/cadastro"]`)
	if form.Find("[data-passkey=create][hidden][data-first] input[name=passkey]").Length() != 1 ||
		form.Find("#password").Length() != 1 ||
		form.Find("button:not([type])").Length() != 1 ||
		strings.Contains(form.Find("button:not([type])").Text(), "chave") {
		t.Error("the form offers no passkey, or Enter would ask for one")
	}
	for field, change := range map[string][]string{"name": {"name", ""}, "email": {"email", s.Email}} {
		fields := signing(newcomerFields)
		for i, name := range fields {
			if name == field {
				fields[i+1] = change[1]
			}
		}
		if a := c.Post("/cadastro/passkey", fields...); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("a wrong %s is asked for a passkey: %d", field, a.Status)
		}
		a := c.Post("/cadastro", signing(fields, "passkey", "{}")...) // what the script then sends
		if a.Status != http.StatusUnprocessableEntity || a.Find("[aria-invalid]").Length() != 1 ||
			a.Find("#"+field+"[aria-invalid]").Length() != 1 ||
			a.Find("#business").AttrOr("value", "") != "Café do Bruno" {
			t.Errorf("a wrong %s: %d, %s", field, a.Status, a.Find("#errors").Text())
		}
	}
	answer := device.Make([]byte(c.Post("/cadastro/passkey", newcomerFields...).Body))
	for who, thief := range map[string]*webtest.Client{"without a cookie": s.Client(t), "with another": s.Client(t)} {
		if who == "with another" {
			thief.Post("/cadastro/passkey", newcomerFields...)
		}
		a := thief.Post("/cadastro", signing(newcomerFields, "passkey", answer)...)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors").Length() != 1 ||
			a.Find("#name").AttrOr("value", "") != "Bruno <Reis>" || thief.Get("/app").Status != http.StatusSeeOther {
			t.Errorf("another browser %s: %d", who, a.Status)
		}
	}
	if a := c.Post("/cadastro", signing(newcomerFields, "passkey", answer)...); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/verificar-email" {
		t.Fatalf("signed up: %d, %s", a.Status, a.Find("#errors").Text())
	}
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("logged in: %d", a.Status)
	}
	knowsDevice(t, s, "bruno@example.com")
	again := s.Client(t)
	if a := again.Post("/cadastro", signing(newcomerFields, "passkey",
		answer)...); a.Header.Get("Location") != "/entrar" || again.Get("/app").Status != http.StatusSeeOther ||
		again.Get("/entrar").Find("main [role=status]").Length() != 1 {
		t.Errorf("the form sent twice: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := s.Client(t).Post("/entrar", "email", "bruno@example.com", "password",
		""); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("no password opens it: %d", a.Status)
	}
	withoutPassword(t, s, c, device)
}

// withoutPassword has a person who has a passkey alone prove who they are, keep it, and
// then make a password.
func withoutPassword(t *testing.T, s *webtest.Site, c *webtest.Client, device *passkeytest.Device) {
	t.Helper()
	page := c.Get(webtest.SecurityPage)
	change := page.Find("section[aria-labelledby=passkeys-title] li a").AttrOr("href", "")
	if page.Find("#current").Length() != 0 || page.Find(`a[href="`+webtest.SecurityPage+`/senha"]`).Length() != 1 {
		t.Error("the page asks for a password that there is not")
	}
	for _, a := range []webtest.Answer{c.Get(change), c.Post(change + "/remover")} {
		if a.Find("#remove").Length() != 0 || a.Find(`main a[href="`+webtest.SecurityPage+`/senha"]`).Length() != 1 {
			t.Errorf("the last passkey: %d", a.Status)
		}
	}
	s.Clock.Advance(time.Hour)
	if a := c.Post(webtest.SecurityPage+"/senha", "password",
		paymentstest.Password); a.Header.Get("Location") != webtest.SecurityPage+
		"/senha" {
		t.Errorf("a password without a proof: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Get(webtest.SecurityPage + "/senha"); a.Find("[type=password]").Length() != 0 ||
		a.Find("[data-passkey=get]").Length() != 1 || a.Find(`a[href^="/esqueci-senha?email=bruno"]`).Length() != 1 {
		t.Errorf("a proof is asked for: %d", a.Status)
	}
	if a := c.Post("/confirmar", "garoupa_proof", "", "next", "/app"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("no proof: %d", a.Status)
	}
	c.Post("/confirmar", "garoupa_proof_key", device.Sign(asks(c, "/confirmar/passkey")), "next", "/app")
	if a := c.Post(webtest.SecurityPage+"/senha", "password", "curta"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#password[aria-invalid]").Length() != 1 {
		t.Errorf("a short password: %d", a.Status)
	}
	if a := c.Post(webtest.SecurityPage+"/senha", "password", paymentstest.Password); a.Status != http.StatusOK ||
		a.Find("#recovery-codes").Length() != 1 ||
		a.Find("main a.btn-primary").AttrOr("href", "") != webtest.SecurityPage {
		t.Errorf("a first password: %d, %s", a.Status, a.Find("main").Text())
	}
	if a := c.Get(webtest.SecurityPage + "/senha"); a.Status != http.StatusSeeOther {
		t.Errorf("a second first password: %d", a.Status)
	}
	if a := c.Post(change + "/remover"); a.Header.Get("Location") != webtest.SecurityPage {
		t.Errorf("removed beside a password: %d to %q", a.Status, a.Header.Get("Location"))
	}
}

// Who is invited may join with a passkey, too.
func TestInvite_Passkey(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	if _, err := s.Merchants.Invite(t.Context(), s.Owner,
		merchants.NewInvite{Email: "bia@example.com", Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	path := "/convite/" + s.Link(t, models.MailInvite, "bia@example.com")
	c, device := s.Client(t), passkeytest.New(t, s.URL)
	if a := c.Get(path); a.Find(`form[action="`+path+`"] [data-passkey=create][data-ask="`+path+
		`/passkey"]`).Length() != 1 {
		t.Error("no passkey is offered")
	}
	if a := c.Post(path+"/passkey", "name", ""); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("asked without a name: %d", a.Status)
	}
	if a := c.Post(path, "name", "", "passkey", "{}"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#name[aria-invalid]").Length() != 1 || a.Find("#password[aria-invalid]").Length() != 0 {
		t.Errorf("no name: %d", a.Status)
	}
	if a := c.Post(path, "name", "Bia", "passkey", "{}"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#name").AttrOr("value", "") != "Bia" {
		t.Errorf("no answer: %d", a.Status)
	}
	answer := device.Make([]byte(c.Post(path+"/passkey", "name", "Bia").Body))
	if a := c.Post(path, "name", "Bia", "passkey", answer); a.Header.Get("Location") != "/app" {
		t.Fatalf("joined: %d, %s", a.Status, a.Find("#errors").Text())
	}
	if a := c.Get("/app/saldo"); a.Status != http.StatusOK {
		t.Errorf("logged in: %d", a.Status)
	}
	knowsDevice(t, s, modelstest.One[string](t, s.DB, "SELECT email FROM users WHERE name = 'Bia'"))
	if a := c.Post(path+"/passkey", "name", "Bia"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("an invitation that was used: %d", a.Status)
	}
}
