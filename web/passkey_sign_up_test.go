package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/passkey/passkeytest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

// newcomerFields is what somebody types to sign up, the password apart.
var newcomerFields = []string{"name", "Bruno <Reis>", "business", "Café do Bruno", "email", "bruno@example.com"}

// signing is the fields with more of them.
func signing(fields []string, more ...string) []string {
	return append(append([]string{}, fields...), more...)
}

// Somebody signs up with a passkey and without a password. What is wrong is said beside
// its field, nothing typed is lost, and no account is made; the form sent twice makes one.
func TestSignUp_Passkey(t *testing.T) {
	t.Parallel()
	s := newPasskeySite(t, web.Limits{})
	c, device := s.client(t), passkeytest.New(t, s.url)
	form := c.get("/cadastro").Find(`form[action="/cadastro"]`)
	if form.Find("[data-passkey=create][hidden][data-first] input[name=passkey]").Length() != 1 || form.Find("#password").Length() != 1 ||
		form.Find("button:not([type])").Length() != 1 || strings.Contains(form.Find("button:not([type])").Text(), "chave") {
		t.Error("the form offers no passkey, or Enter would ask for one")
	}
	for field, change := range map[string][]string{"name": {"name", ""}, "email": {"email", s.Email}} {
		fields := signing(newcomerFields)
		for i, name := range fields {
			if name == field {
				fields[i+1] = change[1]
			}
		}
		if a := c.post("/cadastro/passkey", fields...); a.status != http.StatusUnprocessableEntity {
			t.Errorf("a wrong %s is asked for a passkey: %d", field, a.status)
		}
		a := c.post("/cadastro", signing(fields, "passkey", "{}")...) // what the script then sends
		if a.status != http.StatusUnprocessableEntity || a.Find("[aria-invalid]").Length() != 1 || a.Find("#"+field+"[aria-invalid]").Length() != 1 || a.Find("#business").AttrOr("value", "") != "Café do Bruno" {
			t.Errorf("a wrong %s: %d, %s", field, a.status, a.Find("#errors").Text())
		}
	}
	answer := device.Make([]byte(c.post("/cadastro/passkey", newcomerFields...).body))
	for who, thief := range map[string]*client{"without a cookie": s.client(t), "with another": s.client(t)} {
		if who == "with another" {
			thief.post("/cadastro/passkey", newcomerFields...)
		}
		a := thief.post("/cadastro", signing(newcomerFields, "passkey", answer)...)
		if a.status != http.StatusUnprocessableEntity || a.Find("#errors").Length() != 1 || a.Find("#name").AttrOr("value", "") != "Bruno <Reis>" || thief.get("/app").status != http.StatusSeeOther {
			t.Errorf("another browser %s: %d", who, a.status)
		}
	}
	if a := c.post("/cadastro", signing(newcomerFields, "passkey", answer)...); a.status != http.StatusSeeOther || a.header.Get("Location") != "/verificar-email" {
		t.Fatalf("signed up: %d, %s", a.status, a.Find("#errors").Text())
	}
	if a := c.get("/app"); a.status != http.StatusOK {
		t.Errorf("logged in: %d", a.status)
	}
	again := s.client(t)
	if a := again.post("/cadastro", signing(newcomerFields, "passkey", answer)...); a.header.Get("Location") != "/entrar" || again.get("/app").status != http.StatusSeeOther ||
		again.get("/entrar").Find("main [role=status]").Length() != 1 {
		t.Errorf("the form sent twice: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := s.client(t).post("/entrar", "email", "bruno@example.com", "password", ""); a.status != http.StatusUnprocessableEntity {
		t.Errorf("no password opens it: %d", a.status)
	}
	s.withoutPassword(t, c, device)
}

// withoutPassword has somebody who has a passkey alone prove who they are, keep it, and
// then make a password.
func (s *site) withoutPassword(t *testing.T, c *client, device *passkeytest.Device) {
	t.Helper()
	page := c.get(securityPage)
	change := page.Find("section[aria-labelledby=passkeys-title] li a").AttrOr("href", "")
	if page.Find("#current").Length() != 0 || page.Find(`a[href="`+securityPage+`/senha"]`).Length() != 1 {
		t.Error("the page asks for a password that there is not")
	}
	for _, a := range []answer{c.get(change), c.post(change + "/remover")} {
		if a.Find("#remove").Length() != 0 || a.Find(`main a[href="`+securityPage+`/senha"]`).Length() != 1 {
			t.Errorf("the last passkey: %d", a.status)
		}
	}
	s.Clock.Advance(time.Hour)
	if a := c.post(securityPage+"/senha", "password", paymentstest.Password); a.header.Get("Location") != securityPage+"/senha" {
		t.Errorf("a password without a proof: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := c.get(securityPage + "/senha"); a.Find("[type=password]").Length() != 0 || a.Find("[data-passkey=get]").Length() != 1 || a.Find(`a[href^="/esqueci-senha?email=bruno"]`).Length() != 1 {
		t.Errorf("a proof is asked for: %d", a.status)
	}
	if a := c.post("/confirmar", "garoupa_proof", "", "next", "/app"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("no proof: %d", a.status)
	}
	c.post("/confirmar", "garoupa_proof_key", device.Sign(c.asks("/confirmar/passkey")), "next", "/app")
	if a := c.post(securityPage+"/senha", "password", "curta"); a.status != http.StatusUnprocessableEntity || a.Find("#password[aria-invalid]").Length() != 1 {
		t.Errorf("a short password: %d", a.status)
	}
	if a := c.post(securityPage+"/senha", "password", paymentstest.Password); a.header.Get("Location") != securityPage {
		t.Errorf("a first password: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := c.get(securityPage + "/senha"); a.status != http.StatusSeeOther {
		t.Errorf("a second first password: %d", a.status)
	}
	if a := c.post(change + "/remover"); a.header.Get("Location") != securityPage {
		t.Errorf("removed beside a password: %d to %q", a.status, a.header.Get("Location"))
	}
}

// Who is invited may join with a passkey, too.
func TestInvite_Passkey(t *testing.T) {
	t.Parallel()
	s := newPasskeySite(t, web.Limits{})
	if _, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: "bia@example.com", Role: models.RoleFinance}); err != nil {
		t.Fatal(err)
	}
	path := "/convite/" + s.Link(t, models.MailInvite, "bia@example.com")
	c, device := s.client(t), passkeytest.New(t, s.url)
	if a := c.get(path); a.Find(`form[action="`+path+`"] [data-passkey=create][data-ask="`+path+`/passkey"]`).Length() != 1 {
		t.Error("no passkey is offered")
	}
	if a := c.post(path+"/passkey", "name", ""); a.status != http.StatusUnprocessableEntity {
		t.Errorf("asked without a name: %d", a.status)
	}
	if a := c.post(path, "name", "", "passkey", "{}"); a.status != http.StatusUnprocessableEntity || a.Find("#name[aria-invalid]").Length() != 1 || a.Find("#password[aria-invalid]").Length() != 0 {
		t.Errorf("no name: %d", a.status)
	}
	if a := c.post(path, "name", "Bia", "passkey", "{}"); a.status != http.StatusUnprocessableEntity || a.Find("#name").AttrOr("value", "") != "Bia" {
		t.Errorf("no answer: %d", a.status)
	}
	answer := device.Make([]byte(c.post(path+"/passkey", "name", "Bia").body))
	if a := c.post(path, "name", "Bia", "passkey", answer); a.header.Get("Location") != "/app" {
		t.Fatalf("joined: %d, %s", a.status, a.Find("#errors").Text())
	}
	if a := c.get("/app/saldo"); a.status != http.StatusOK {
		t.Errorf("logged in: %d", a.status)
	}
	if a := c.post(path+"/passkey", "name", "Bia"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("an invitation that was used: %d", a.status)
	}
}
