package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/internal/ratelimit"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// asks returns what a browser is asked, at a path.
func asks(c *webtest.Client, path string) []byte {
	c.T.Helper()
	a := c.Post(path)
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") ||
		a.Header.Get("Cache-Control") != "no-store" {
		c.T.Fatalf("%s: %d, %v", path, a.Status, a.Header)
	}
	return []byte(a.Body)
}

// addPasskey makes the first passkey of a person with a password on a device, by the page, and
// returns the recovery codes that come with it.
func addPasskey(c *webtest.Client, d *passkeytest.Device, name, next string) (recovery []string) {
	c.T.Helper()
	answer := d.Make(asks(c, "/2fa/passkey/pedido"))
	a := c.Post("/2fa/passkey", "passkey_name", name, "passkey", answer, "next", next)
	recovery = strings.Split(a.Find("#recovery-codes").Text(), "\n")
	if a.Status != http.StatusOK || len(recovery) != 10 || a.Find("main a.btn-primary").AttrOr("href", "") != next {
		c.T.Fatalf("add a passkey: %d, %q, %s", a.Status, recovery, a.Find("#errors").Text())
	}
	return recovery
}

// logInWith logs in by a device's passkey.
func logInWith(c *webtest.Client, d *passkeytest.Device, next string) webtest.Answer {
	c.T.Helper()
	return c.Post("/entrar/passkey", "passkey", d.Sign(asks(c, "/entrar/passkey/pedido")), "next", next)
}

// sessionCookie is the value of the session's cookie.
func sessionCookie(c *webtest.Client) string {
	at, _ := url.Parse(c.Base)
	for _, cookie := range c.HTTP.Jar.Cookies(at) {
		if cookie.Name == "garoupa_session" {
			return cookie.Value
		}
	}
	return ""
}

// A passkey is added, listed, named anew, logs in alone, proves who a person is with
// nothing typed lost, and is removed.
func TestPasskey(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	c, device := s.Member(t), passkeytest.New(t, s.URL)
	form := c.Get("/2fa/passkey?next=" + webtest.SecurityPage)
	if form.Status != http.StatusOK ||
		form.Find("[data-passkey=create][hidden] input[name=passkey_name]").Length() != 1 ||
		form.Find("[data-passkey-missing]").Length() != 1 {
		t.Errorf("the form: %d", form.Status)
	}
	wrong := c.Post("/2fa/passkey", "passkey_name", "Meu <celular>", "passkey", "{}", "next", "https://evil.example")
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Find("#errors").Length() != 1 ||
		wrong.Find("#passkey_name").AttrOr("value", "") != "Meu <celular>" ||
		wrong.Find("main input[name=next]").AttrOr("value", "") != webtest.SecurityPage {
		t.Errorf("a wrong answer: %d", wrong.Status)
	}
	addPasskey(c, device, "iPhone", webtest.SecurityPage)
	page := c.Get(webtest.SecurityPage)
	row := page.Find("section[aria-labelledby=passkeys-title] li")
	change := row.Find("a").AttrOr("href", "")
	if row.Length() != 1 || !strings.Contains(row.Text(), "iPhone") || !strings.Contains(row.Text(), "nunca usada") ||
		!strings.HasPrefix(change, webtest.SecurityPage+"/passkeys/pky_") {
		t.Errorf("the list says %q, %q", row.Text(), change)
	}
	if a := c.Post(change, "passkey_name", " "); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#passkey_name[aria-invalid]").Length() != 1 {
		t.Errorf("no name: %d", a.Status)
	}
	if a := c.Post(change, "passkey_name", "Celular da Ana"); a.Status != http.StatusSeeOther {
		t.Errorf("another name: %d", a.Status)
	}
	s.Enroll(t, c, "/2fa/ativar")

	other := s.Client(t)
	if a := other.Get("/entrar"); a.Find(`#email[autocomplete="username webauthn"]`).Length() != 1 ||
		a.Find(`form[action="/entrar/passkey"] [data-passkey=get][hidden][data-offer]`).Length() != 1 {
		t.Errorf("no passkey to log in with: %d", a.Status)
	}
	other.Post("/entrar", "email", s.Email, "password", paymentstest.Password) // awaits a code
	planted := sessionCookie(other)
	if a := other.Get("/2fa"); a.Find("[data-passkey=get]").Length() != 1 || a.Find("#code").Length() != 1 {
		t.Errorf("the second half offers no passkey: %d", a.Status)
	}
	if a := logInWith(other, device, "/app/chaves?x=1"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app/chaves?x=1" {
		t.Fatalf("logged in: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := other.Get("/app"); a.Status != http.StatusOK || sessionCookie(other) == planted {
		t.Errorf("logged in: %d", a.Status)
	}
	sessions := modelstest.One[int](t, s.DB, "SELECT count(*) FROM sessions WHERE awaits_code")
	if sessions != 0 {
		t.Errorf("%d sessions still await a code", sessions)
	}
	proveAndRemove(t, s, other, device, change)
}

// proveAndRemove has a person who is logged in prove who they are by their passkey, and
// then remove it.
func proveAndRemove(t *testing.T, s *webtest.Site, other *webtest.Client, device *passkeytest.Device, change string) {
	t.Helper()
	s.Clock.Advance(time.Hour)
	asked := other.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	if asked.Find("[data-passkey=get] input[name=garoupa_proof_key]").Length() != 1 ||
		asked.Find("input[name=name][value=Loja]").Length() != 1 {
		t.Errorf("no passkey is asked for as a proof: %d", asked.Status)
	}
	proof := device.Sign(asks(other, "/confirmar/passkey"))
	if a := other.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ", "garoupa_proof", "",
		"garoupa_proof_key", proof); a.Status != http.StatusOK || !strings.Contains(a.Body, "svc_test_") {
		t.Errorf("the proof and the form: %d", a.Status)
	}
	s.Clock.Advance(time.Hour)
	if a := other.Post("/confirmar", "garoupa_proof_key", proof, "next",
		"/app"); a.Status != http.StatusUnprocessableEntity || a.Find("#errors").Length() != 1 {
		t.Errorf("a proof counts twice: %d", a.Status)
	}
	if a := other.Post(change+"/remover", "garoupa_proof_key",
		device.Sign(asks(other, "/confirmar/passkey"))); a.Status != http.StatusSeeOther {
		t.Errorf("remove: %d", a.Status)
	}
	if a := logInWith(s.Client(t), device, "/app"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#errors").Length() != 1 ||
		a.Find("[data-passkey=get]").Length() != 1 || a.Find("[data-offer]").Length() != 0 {
		t.Errorf("a removed passkey: %d", a.Status)
	}
	if a := other.Get(change); a.Status != http.StatusNotFound {
		t.Errorf("a removed passkey's page: %d", a.Status)
	}
}

// What a browser is asked tells nothing about any person, and an answer is believed in that
// browser alone, once.
func TestPasskey_LogIn(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.NewWithPasskeys(t, web.Limits{LogIn: ratelimit.New(rate)})
	device := passkeytest.New(t, s.URL)
	addPasskey(s.Member(t), device, "iPhone", "/app")

	c := s.Client(t)
	first := c.Post("/entrar/passkey/pedido")
	cookie, err := http.ParseSetCookie(first.Header.Get("Set-Cookie"))
	if err != nil || cookie.Name != "garoupa_passkey" || !cookie.HttpOnly ||
		cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/entrar" || cookie.MaxAge != 0 {
		t.Errorf("the browser is known by %v, %v", cookie, err)
	}
	if strings.Contains(first.Body, cookie.Value) || strings.Contains(first.Body, "allowCredentials") ||
		strings.Contains(first.Body, s.Email) {
		t.Errorf("the question is %s", first.Body)
	}
	if again := c.Post("/entrar/passkey/pedido"); again.Header.Get("Set-Cookie") != "" {
		t.Error("a browser that is known is named anew, which ends its other tabs' questions")
	}
	answer := device.Sign([]byte(first.Body))
	for who, thief := range map[string]*webtest.Client{"without a cookie": s.Client(t), "with another": s.Client(t)} {
		if who == "with another" {
			asks(thief, "/entrar/passkey/pedido")
		}
		if a := thief.Post("/entrar/passkey", "passkey", answer); a.Status != http.StatusUnprocessableEntity ||
			thief.Get("/app").Status != http.StatusSeeOther {
			t.Errorf("another browser %s: %d", who, a.Status)
		}
	}
	if a := c.Post("/entrar/passkey", "passkey", answer, "next", "//evil.example"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app" {
		t.Errorf("logged in: %d to %q", a.Status, a.Header.Get("Location"))
	}
	for i := range 2 {
		if a := c.Post("/entrar/passkey", "passkey", answer); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("the same answer, attempt %d: %d", i+4, a.Status)
		}
	}
	if a := logInWith(s.Client(t), device, "/app"); a.Status != http.StatusTooManyRequests ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth attempt: %d", a.Status)
	}
	for _, text := range []string{"", "null", "{", strings.Repeat("x", 100_000), answer + "{}"} {
		if a := s.Client(t).Post("/entrar/passkey", "passkey", text, "next",
			"/app/saldo"); a.Status != http.StatusUnprocessableEntity ||
			a.Find("main input[name=next]").AttrOr("value", "") != "/app/saldo" {
			t.Errorf("%.20q: %d", text, a.Status)
		}
	}
	if a := s.Client(t).Post("/confirmar/passkey"); a.Status != http.StatusSeeOther {
		t.Errorf("nobody's proof: %d", a.Status)
	}
	if a := s.Client(t).Post("/2fa/passkey/pedido"); a.Status != http.StatusSeeOther {
		t.Errorf("nobody's passkey: %d", a.Status)
	}
}

// addReviewer adds a reviewer to the staff, with paymentstest.Password.
func addReviewer(t *testing.T, s *webtest.Site, email string) {
	t.Helper()
	if _, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{
		Name: "Rita", Email: email, Password: paymentstest.Password, Role: models.StaffReviewer,
	}); err != nil {
		t.Fatal(err)
	}
}

// byPassword returns a client that has given an email and a password, and no second factor.
func byPassword(t *testing.T, s *webtest.Site, email string) *webtest.Client {
	t.Helper()
	c := s.Client(t)
	c.Post("/entrar", "email", email, "password", paymentstest.Password)
	return c
}

// leads checks that a path redirects to another.
func leads(c *webtest.Client, path, to string) {
	c.T.Helper()
	if a := c.Get(path); a.Status != http.StatusSeeOther || a.Header.Get("Location") != to {
		c.T.Errorf("%s leads to %d %q, want %q", path, a.Status, a.Header.Get("Location"), to)
	}
}

// staffPasskey returns the page of the only passkey of a client in the console.
func staffPasskey(c *webtest.Client) (path string) {
	c.T.Helper()
	path = c.Get("/ops/seguranca").Find("section[aria-labelledby=passkeys-title] li a").AttrOr("href", "")
	if a := c.Get(path); a.Status != http.StatusOK || !strings.HasPrefix(path, "/ops/seguranca/passkeys/") {
		c.T.Errorf("%q: %d", path, a.Status)
	}
	return path
}

// A passkey is the second factor that staff need, and it logs them in.
func TestPasskey_Staff(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	addReviewer(t, s, "rita@example.com")
	c, device := byPassword(t, s, "rita@example.com"), passkeytest.New(t, s.URL)
	leads(c, "/ops", "/2fa/ativar?next=%2Fops")
	if a := c.Get("/2fa/ativar?next=/ops"); a.Find(`a[href="/2fa/passkey?next=%2Fops"]`).Length() != 1 {
		t.Error("no way to a passkey")
	}
	addPasskey(c, device, "Chave USB", "/ops")
	if a := c.Get("/ops"); a.Status != http.StatusOK {
		t.Errorf("with a new passkey: %d", a.Status)
	}
	staffPasskey(c)

	again := byPassword(t, s, "rita@example.com")
	if a := again.Get("/2fa?next=/ops"); a.Status != http.StatusOK ||
		a.Find("#code").Length() != 0 || a.Find("[data-passkey=get]").Length() != 1 {
		t.Errorf("the second half: %d", a.Status)
	}
	if a := logInWith(again, device, "/ops"); a.Header.Get("Location") != "/ops" {
		t.Errorf("logged in: %d", a.Status)
	}
	if a := again.Get("/ops"); a.Status != http.StatusOK {
		t.Errorf("with the passkey: %d", a.Status)
	}
}

// A person who knows only the password of staff with a passkey can neither add another
// passkey nor remove the one there is, not even as a member of an account.
func TestPasskey_StaffPasswordAlone(t *testing.T) {
	t.Parallel()
	const proof = "/2fa?next=%2Fops%2Fseguranca"
	s := webtest.NewWithPasskeys(t, web.Limits{})
	addReviewer(t, s, "rita@example.com")
	rita, device := byPassword(t, s, "rita@example.com"), passkeytest.New(t, s.URL)
	before, both := byPassword(t, s, "rita@example.com"), byPassword(t, s, "rita@example.com")
	addPasskey(rita, device, "Chave USB", "/ops")
	path := staffPasskey(rita)
	remove := "/passkeys" + path[strings.LastIndex(path, "/"):] + "/remover"

	c := byPassword(t, s, "rita@example.com")
	if a := c.Get("/ops"); a.Status != http.StatusNotFound {
		t.Errorf("/ops by the password alone: %d", a.Status)
	}
	leads(c, "/2fa/passkey?next=/ops", "/entrar?next=%2F2fa%2Fpasskey%3Fnext%3D%2Fops")

	// A session of before the passkey has had the password alone, too.
	thief := passkeytest.New(t, s.URL)
	c = before
	leads(c, "/ops", "/2fa?next=%2Fops")
	leads(c, "/2fa/ativar?next=/ops", "/2fa?next=%2F2fa%2Fativar%3Fnext%3D%2Fops")
	leads(c, "/2fa/passkey?next=/ops", "/2fa?next=%2F2fa%2Fpasskey%3Fnext%3D%2Fops")
	if a := c.Post("/2fa/passkey", "passkey_name", "x",
		"passkey", thief.Make(asks(c, "/2fa/passkey/pedido"))); a.Header.Get("Location") != proof {
		t.Errorf("a passkey by the password alone: %d to %q", a.Status, a.Header.Get("Location"))
	}
	for _, base := range []string{"/ops/seguranca", webtest.SecurityPage} {
		if a := c.Post(base + remove); a.Status == http.StatusOK || a.Header.Get("Location") == base {
			t.Errorf("removed from %s by the password alone: %d to %q", base, a.Status, a.Header.Get("Location"))
		}
	}
	modelstest.Exec(t, s.DB, `INSERT INTO members (account_id, user_id, role, created_at)
		VALUES ($1, $2, 'VIEWER', now())`,
		s.Account.ID, string(device.Handle))
	modelstest.Exec(t, s.DB, "UPDATE sessions SET project_id = $1 WHERE NOT second_factor", s.Test.ProjectID)
	if a := both.Post(webtest.SecurityPage + remove); a.Header.Get("Location") != proof {
		t.Errorf("removed by the password alone, of a member: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if n, err := models.UserPasskeys(t.Context(), s.DB, string(device.Handle)); err != nil || len(n) != 1 {
		t.Errorf("%d passkeys, %v", len(n), err)
	}
}

// A member who is not of staff finds nothing in the console, by a passkey neither.
func TestPasskey_NotStaff(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	addReviewer(t, s, "rita@example.com")
	rita := byPassword(t, s, "rita@example.com")
	addPasskey(rita, passkeytest.New(t, s.URL), "Chave USB", "/ops")
	path := staffPasskey(rita)

	owner := s.Member(t)
	addPasskey(owner, passkeytest.New(t, s.URL), "iPhone", "/app")
	own := strings.Replace(path, "/ops/seguranca", webtest.SecurityPage, 1)
	for _, path := range []string{"/ops", "/ops/seguranca", path, own} {
		if a := owner.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s of somebody who is not of staff: %d", path, a.Status)
		}
	}
}

// Where browsers make no passkeys, the pages say nothing of them.
func TestPasskey_Nowhere(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, path := range []string{"/entrar", "/cadastro", webtest.SecurityPage, "/2fa/ativar"} {
		if a := c.Get(path); a.Status != http.StatusOK || strings.Contains(a.Body, "passkey") ||
			strings.Contains(a.Body, "webauthn") {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/entrar/passkey/pedido", "/entrar/passkey", "/cadastro/passkey",
		"/convite/x/passkey", "/confirmar/passkey", "/2fa/passkey", "/2fa/passkey/pedido"} {
		if a := c.Post(path, "passkey", "{}"); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}
