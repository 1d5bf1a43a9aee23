package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/passkey"
	"garoupa/passkey/passkeytest"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

// newPasskeySite is newLimitedSite at an address that browsers make passkeys for.
func newPasskeySite(t *testing.T, limits web.Limits) *site {
	t.Helper()
	s := newLimitedSite(t, limits)
	s.url = strings.Replace(s.url, "127.0.0.1", "localhost", 1)
	s.Merchants.Passkeys = passkey.NewSite("Garoupa", s.url)
	return s
}

const securityPage = "/app/configuracoes/seguranca"

// asks returns what a browser is asked, at a path.
func (c *client) asks(path string) []byte {
	c.t.Helper()
	a := c.post(path)
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") || a.header.Get("Cache-Control") != "no-store" {
		c.t.Fatalf("%s: %d, %v", path, a.status, a.header)
	}
	return []byte(a.body)
}

// addPasskey makes a passkey on a device, by the page.
func (c *client) addPasskey(d *passkeytest.Device, name, next string) {
	c.t.Helper()
	answer := d.Make(c.asks("/2fa/passkey/pedido"))
	if a := c.post("/2fa/passkey", "passkey_name", name, "passkey", answer, "next", next); a.status != http.StatusSeeOther || a.header.Get("Location") != next {
		c.t.Fatalf("add a passkey: %d to %q, %s", a.status, a.header.Get("Location"), a.Find("#errors").Text())
	}
}

// logInWith logs in by a device's passkey.
func (c *client) logInWith(d *passkeytest.Device, next string) answer {
	c.t.Helper()
	return c.post("/entrar/passkey", "passkey", d.Sign(c.asks("/entrar/passkey/pedido")), "next", next)
}

// sessionCookie is the value of the session's cookie.
func (c *client) sessionCookie() string {
	at, _ := url.Parse(c.base)
	for _, cookie := range c.http.Jar.Cookies(at) {
		if cookie.Name == "garoupa_session" {
			return cookie.Value
		}
	}
	return ""
}

// A passkey is added, listed, named anew, logs in alone, proves who somebody is with
// nothing typed lost, and is removed.
func TestPasskey(t *testing.T) {
	t.Parallel()
	s := newPasskeySite(t, web.Limits{})
	c, device := s.member(t), passkeytest.New(t, s.url)
	form := c.get("/2fa/passkey?next=" + securityPage)
	if form.status != http.StatusOK || form.Find("[data-passkey=create][hidden] input[name=passkey_name]").Length() != 1 || form.Find("[data-passkey-missing]").Length() != 1 {
		t.Errorf("the form: %d", form.status)
	}
	wrong := c.post("/2fa/passkey", "passkey_name", "Meu <celular>", "passkey", "{}", "next", "https://evil.example")
	if wrong.status != http.StatusUnprocessableEntity || wrong.Find("#errors").Length() != 1 || wrong.Find("#passkey_name").AttrOr("value", "") != "Meu <celular>" ||
		wrong.Find("main input[name=next]").AttrOr("value", "") != securityPage {
		t.Errorf("a wrong answer: %d", wrong.status)
	}
	c.addPasskey(device, "iPhone", securityPage)
	page := c.get(securityPage)
	row := page.Find("section[aria-labelledby=passkeys-title] li")
	change := row.Find("a").AttrOr("href", "")
	if row.Length() != 1 || !strings.Contains(row.Text(), "iPhone") || !strings.Contains(row.Text(), "nunca usada") || !strings.HasPrefix(change, securityPage+"/passkeys/pky_") {
		t.Errorf("the list says %q, %q", row.Text(), change)
	}
	if a := c.post(change, "passkey_name", " "); a.status != http.StatusUnprocessableEntity || a.Find("#passkey_name[aria-invalid]").Length() != 1 {
		t.Errorf("no name: %d", a.status)
	}
	if a := c.post(change, "passkey_name", "Celular da Ana"); a.status != http.StatusSeeOther {
		t.Errorf("another name: %d", a.status)
	}
	s.enrol(t, c, "/2fa/ativar")

	other := s.client(t)
	if a := other.get("/entrar"); a.Find(`form[action="/entrar/passkey"] [data-passkey=get][hidden][data-offer]`).Length() != 1 || a.Find(`#email[autocomplete="username webauthn"]`).Length() != 1 {
		t.Errorf("no passkey to log in with: %d", a.status)
	}
	other.post("/entrar", "email", s.Email, "password", paymentstest.Password) // awaits a code
	planted := other.sessionCookie()
	if a := other.get("/2fa"); a.Find("[data-passkey=get]").Length() != 1 || a.Find("#code").Length() != 1 {
		t.Errorf("the second half offers no passkey: %d", a.status)
	}
	if a := other.logInWith(device, "/app/chaves?x=1"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/chaves?x=1" {
		t.Fatalf("logged in: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := other.get("/app"); a.status != http.StatusOK || other.sessionCookie() == planted {
		t.Errorf("logged in: %d", a.status)
	}
	var sessions int
	s.DB.Raw("SELECT count(*) FROM sessions WHERE awaits_code").Scan(&sessions)
	if sessions != 0 {
		t.Errorf("%d sessions still await a code", sessions)
	}
	s.proveAndRemove(t, other, device, change)
}

// proveAndRemove has somebody who is logged in prove who they are by their passkey, and
// then remove it.
func (s *site) proveAndRemove(t *testing.T, other *client, device *passkeytest.Device, change string) {
	t.Helper()
	s.Clock.Advance(time.Hour)
	asked := other.post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	if asked.Find("[data-passkey=get] input[name=garoupa_proof_key]").Length() != 1 || asked.Find("input[name=name][value=Loja]").Length() != 1 {
		t.Errorf("no passkey is asked for as a proof: %d", asked.status)
	}
	proof := device.Sign(other.asks("/confirmar/passkey"))
	if a := other.post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "garoupa_proof", "", "garoupa_proof_key", proof); a.status != http.StatusOK || !strings.Contains(a.body, "svc_test_") {
		t.Errorf("the proof and the form: %d", a.status)
	}
	s.Clock.Advance(time.Hour)
	if a := other.post("/confirmar", "garoupa_proof_key", proof, "next", "/app"); a.status != http.StatusUnprocessableEntity || a.Find("#errors").Length() != 1 {
		t.Errorf("a proof counts twice: %d", a.status)
	}
	if a := other.post(change+"/remover", "garoupa_proof_key", device.Sign(other.asks("/confirmar/passkey"))); a.status != http.StatusSeeOther {
		t.Errorf("remove: %d", a.status)
	}
	if a := s.client(t).logInWith(device, "/app"); a.status != http.StatusUnprocessableEntity || a.Find("#errors").Length() != 1 ||
		a.Find("[data-passkey=get]").Length() != 1 || a.Find("[data-offer]").Length() != 0 {
		t.Errorf("a removed passkey: %d", a.status)
	}
	if a := other.get(change); a.status != http.StatusNotFound {
		t.Errorf("a removed passkey's page: %d", a.status)
	}
}

// What a browser is asked tells nothing of anybody, and an answer is believed in that
// browser alone, once.
func TestPasskey_LogIn(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := newPasskeySite(t, web.Limits{LogIn: ratelimit.New(rate)})
	device := passkeytest.New(t, s.url)
	s.member(t).addPasskey(device, "iPhone", "/app")

	c := s.client(t)
	first := c.post("/entrar/passkey/pedido")
	cookie, err := http.ParseSetCookie(first.header.Get("Set-Cookie"))
	if err != nil || cookie.Name != "garoupa_passkey" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/entrar" || cookie.MaxAge != 0 {
		t.Errorf("the browser is known by %v, %v", cookie, err)
	}
	if strings.Contains(first.body, cookie.Value) || strings.Contains(first.body, "allowCredentials") || strings.Contains(first.body, s.Email) {
		t.Errorf("the question is %s", first.body)
	}
	if again := c.post("/entrar/passkey/pedido"); again.header.Get("Set-Cookie") != "" {
		t.Error("a browser that is known is named anew, which ends its other tabs' questions")
	}
	answer := device.Sign([]byte(first.body))
	for who, thief := range map[string]*client{"without a cookie": s.client(t), "with another": s.client(t)} {
		if who == "with another" {
			thief.asks("/entrar/passkey/pedido")
		}
		if a := thief.post("/entrar/passkey", "passkey", answer); a.status != http.StatusUnprocessableEntity || thief.get("/app").status != http.StatusSeeOther {
			t.Errorf("another browser %s: %d", who, a.status)
		}
	}
	if a := c.post("/entrar/passkey", "passkey", answer, "next", "//evil.example"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app" {
		t.Errorf("logged in: %d to %q", a.status, a.header.Get("Location"))
	}
	for i := range 2 {
		if a := c.post("/entrar/passkey", "passkey", answer); a.status != http.StatusUnprocessableEntity {
			t.Errorf("the same answer, attempt %d: %d", i+4, a.status)
		}
	}
	if a := s.client(t).logInWith(device, "/app"); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("the sixth attempt: %d", a.status)
	}
	for _, text := range []string{"", "null", "{", strings.Repeat("x", 100_000), answer + "{}"} {
		if a := s.client(t).post("/entrar/passkey", "passkey", text, "next", "/app/saldo"); a.status != http.StatusUnprocessableEntity || a.Find("main input[name=next]").AttrOr("value", "") != "/app/saldo" {
			t.Errorf("%.20q: %d", text, a.status)
		}
	}
	if a := s.client(t).post("/confirmar/passkey"); a.status != http.StatusSeeOther {
		t.Errorf("nobody's proof: %d", a.status)
	}
	if a := s.client(t).post("/2fa/passkey/pedido"); a.status != http.StatusSeeOther {
		t.Errorf("nobody's passkey: %d", a.status)
	}
}

// To staff a passkey is the second factor that they need; who has one must show it
// before they get another, and whoever is not of staff still finds nothing.
func TestPasskey_Staff(t *testing.T) {
	t.Parallel()
	s := newPasskeySite(t, web.Limits{})
	if _, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{
		Name: "Rita", Email: "rita@example.com", Password: paymentstest.Password, Role: models.StaffReviewer,
	}); err != nil {
		t.Fatal(err)
	}
	leads := func(c *client, path, to string) {
		t.Helper()
		if a := c.get(path); a.status != http.StatusSeeOther || a.header.Get("Location") != to {
			t.Errorf("%s leads to %d %q, want %q", path, a.status, a.header.Get("Location"), to)
		}
	}
	c, device := s.client(t), passkeytest.New(t, s.url)
	c.post("/entrar", "email", "rita@example.com", "password", paymentstest.Password)
	leads(c, "/ops", "/2fa/ativar?next=%2Fops")
	if a := c.get("/2fa/ativar?next=/ops"); a.Find(`a[href="/2fa/passkey?next=%2Fops"]`).Length() != 1 {
		t.Error("no way to a passkey")
	}
	c.addPasskey(device, "Chave USB", "/ops")
	if a := c.get("/ops"); a.status != http.StatusOK {
		t.Errorf("with a new passkey: %d", a.status)
	}
	change := c.get("/ops/seguranca").Find("section[aria-labelledby=passkeys-title] li a").AttrOr("href", "")
	if a := c.get(change); a.status != http.StatusOK || !strings.HasPrefix(change, "/ops/seguranca/passkeys/") {
		t.Errorf("%q: %d", change, a.status)
	}

	c = s.client(t) // somebody who knows the password alone
	c.post("/entrar", "email", "rita@example.com", "password", paymentstest.Password)
	leads(c, "/ops", "/2fa?next=%2Fops")
	leads(c, "/2fa/ativar?next=/ops", "/2fa?next=%2F2fa%2Fativar%3Fnext%3D%2Fops")
	leads(c, "/2fa/passkey?next=/ops", "/2fa?next=%2F2fa%2Fpasskey%3Fnext%3D%2Fops")
	thief := passkeytest.New(t, s.url)
	if a := c.post("/2fa/passkey", "passkey_name", "x", "passkey", thief.Make(c.asks("/2fa/passkey/pedido"))); a.header.Get("Location") != "/2fa?next=%2Fops%2Fseguranca" {
		t.Errorf("a passkey by the password alone: %d to %q", a.status, a.header.Get("Location"))
	}
	for _, base := range []string{"/ops/seguranca", securityPage} {
		id := change[strings.LastIndex(change, "/"):]
		if a := c.post(base + "/passkeys" + id + "/remover"); a.status == http.StatusOK || a.header.Get("Location") == base {
			t.Errorf("removed from %s by the password alone: %d to %q", base, a.status, a.header.Get("Location"))
		}
	}
	if err := s.DB.Exec("INSERT INTO members (account_id, user_id, role, created_at) VALUES (?, ?, 'VIEWER', now())", s.Account.ID, string(device.Handle)).Error; err != nil {
		t.Fatal(err)
	}
	both := s.client(t)
	both.post("/entrar", "email", "rita@example.com", "password", paymentstest.Password)
	if a := both.post(securityPage + "/passkeys" + change[strings.LastIndex(change, "/"):] + "/remover"); a.header.Get("Location") != "/2fa?next=%2Fops%2Fseguranca" {
		t.Errorf("removed by the password alone, of a member: %d to %q", a.status, a.header.Get("Location"))
	}
	if n, err := models.UserPasskeys(s.DB.DB, string(device.Handle)); err != nil || len(n) != 1 {
		t.Errorf("%d passkeys, %v", len(n), err)
	}
	if a := c.get("/2fa?next=/ops"); a.status != http.StatusOK || a.Find("#code").Length() != 0 || a.Find("[data-passkey=get]").Length() != 1 {
		t.Errorf("the second half: %d", a.status)
	}
	if a := c.logInWith(device, "/ops"); a.header.Get("Location") != "/ops" {
		t.Errorf("logged in: %d", a.status)
	}
	if a := c.get("/ops"); a.status != http.StatusOK {
		t.Errorf("with the passkey: %d", a.status)
	}

	owner, own := s.member(t), passkeytest.New(t, s.url)
	owner.addPasskey(own, "iPhone", "/app")
	for _, path := range []string{"/ops", "/ops/seguranca", strings.Replace(change, "/ops/seguranca", securityPage, 1)} {
		if a := owner.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s of somebody who is not of staff: %d", path, a.status)
		}
	}
}

// Where browsers make no passkeys, the pages say nothing of them.
func TestPasskey_Nowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for _, path := range []string{"/entrar", "/cadastro", securityPage, "/2fa/ativar"} {
		if a := c.get(path); a.status != http.StatusOK || strings.Contains(a.body, "passkey") || strings.Contains(a.body, "webauthn") {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range []string{"/entrar/passkey/pedido", "/entrar/passkey", "/cadastro/passkey", "/convite/x/passkey", "/confirmar/passkey", "/2fa/passkey", "/2fa/passkey/pedido"} {
		if a := c.post(path, "passkey", "{}"); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}
