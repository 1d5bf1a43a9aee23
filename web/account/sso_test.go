package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/oidc/oidctest"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/page"
	"garoupa/web/webtest"
)

// owner returns the site's owner as a person at the provider.
func owner(s *webtest.Site, subject string) oidctest.Person {
	return oidctest.Person{Subject: subject, Email: strings.ToUpper(s.Email), Verified: true}
}

// enters checks that an answer led a client in.
func enters(t *testing.T, name string, c *webtest.Client, a webtest.Answer) {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/app" {
		t.Errorf("%s: %d to %q, %s", name, a.Status, a.Header.Get("Location"), a.Find("main").Text())
	}
	if in := c.Get("/app"); in.Status != http.StatusOK {
		t.Errorf("%s: the dashboard is %d", name, in.Status)
	}
}

// refuses checks that an answer is a page about a problem, and that a client is not logged in.
func refuses(t *testing.T, name string, c *webtest.Client, a webtest.Answer, status int, title string) {
	t.Helper()
	if got := a.Find("main h1").Text(); a.Status != status || !strings.Contains(got, title) {
		t.Errorf("%s: %d %q, want %d %q", name, a.Status, got, status, title)
	}
	if in := c.Get("/app"); in.Status != http.StatusSeeOther {
		t.Errorf("%s: the dashboard is %d", name, in.Status)
	}
}

// count returns the number that a statement selects.
func count(t *testing.T, s *webtest.Site, sql string, args ...any) (n int) {
	t.Helper()
	if err := s.DB.Pool.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The first log-in links the person by the verified email, in lines and a mail, and the next ones go by the subject,
// also after the email changed at the provider.
func TestSSO(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	c := s.Client(t)
	link := c.Get("/entrar").Find("main a[href='/entrar/sso']").Text()
	if !strings.Contains(link, "Entrar com Empresa") {
		t.Errorf("the page of the log-in has the link %q", link)
	}
	at := there.Browser(t)
	enters(t, "the first time", c, s.SSO(t, c, at, "/entrar/sso", "ana"))
	left := c.Post("/sair")
	text := c.Get(left.Header.Get("Location")).Find("[role=status]").Text()
	if !strings.Contains(text, "continua aberta") {
		t.Errorf("logged out: %q", text)
	}
	there.Set(t, oidctest.Person{Subject: "ana", Email: "outra@example.com"})
	again := s.Client(t)
	enters(t, "with another email", again, s.SSO(t, again, there.Browser(t), "/entrar/sso", "ana"))
	for table, want := range map[string]int{
		"person_identities": 1,
		"devices":           2,
		"audit_log WHERE action = 'user.identity_linked'":                       1,
		"audit_log WHERE action = 'session.started' AND detail->>'way' = 'sso'": 2,
		"mails WHERE kind = 'identity_linked'":                                  1,
		"mails WHERE kind = 'new_device'":                                       1,
	} {
		if got := count(t, s, "SELECT count(*) FROM "+table); got != want {
			t.Errorf("%s: %d, want %d", table, got, want)
		}
	}
	list := again.Get(page.SecurityPath).Find("main").Text()
	if !strings.Contains(list, "Conta da empresa") {
		t.Error("the list of log-ins does not say how")
	}
}

// No access comes from an email that is not verified, at the provider or here, that no person has, or whose person
// is linked already; nor from a person who does not want to.
func TestSSO_NoAccess(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	c := s.Client(t)
	try := func(name string, who oidctest.Person, title string) {
		t.Helper()
		there.Set(t, who)
		refuses(t, name, c, s.SSO(t, c, there.Browser(t), "/entrar/sso", who.Subject), http.StatusForbidden, title)
	}
	unverified := owner(s, "ana")
	unverified.Verified = false
	try("not verified there", unverified, "E-mail não confirmado")
	try("a stranger", oidctest.Person{Subject: "x", Email: "x@example.com", Verified: true}, "ainda não tem acesso")
	bruno := webtest.Bruno
	bruno.Verified = false
	if _, err := s.Merchants.SignUp(t.Context(), bruno, ""); err != nil {
		t.Fatal(err)
	}
	try("not verified here", oidctest.Person{Subject: "bruno", Email: bruno.Email, Verified: true},
		"E-mail não confirmado")
	if n := count(t, s, "SELECT count(*) FROM person_identities"); n != 0 {
		t.Errorf("%d links", n)
	}

	there.Set(t, owner(s, "ana"))
	linked := s.Client(t)
	enters(t, "linked", linked, s.SSO(t, linked, there.Browser(t), "/entrar/sso", "ana"))
	try("another subject", owner(s, "another"), "ainda não tem acesso")
	failures := "SELECT count(*) FROM audit_log WHERE action = 'session.failed' AND detail->>'way' = 'sso'"
	if n := count(t, s, failures); n != 4 {
		t.Errorf("%d failures, want 4", n)
	}
	back := there.Browser(t).Cancel(s.LeaveForSSO(t, c, "/entrar/sso"))
	refuses(t, "cancelled", c, c.Get(webtest.SSOReturn(back.Encode())), http.StatusForbidden, "não foi concluído")
}

// An answer is for the browser that asked, once, within ten minutes, and with its nonce.
func TestSSO_Replayed(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	const stale = "não vale mais"
	c, at := s.Client(t), there.Browser(t)
	query := at.LogIn(s.LeaveForSSO(t, c, "/entrar/sso"), "ana")
	victim := s.Client(t)
	refuses(t, "a browser that did not ask", victim, victim.Get(webtest.SSOReturn(query.Encode())),
		http.StatusBadRequest, stale)
	own := at.LogIn(s.LeaveForSSO(t, victim, "/entrar/sso"), "ana")
	refuses(t, "the state of another browser", victim, victim.Get(webtest.SSOReturn(query.Encode())),
		http.StatusBadRequest, stale)
	foreign := url.Values{"state": own["state"], "code": query["code"]}
	refuses(t, "the code of another browser", victim, victim.Get(webtest.SSOReturn(foreign.Encode())),
		http.StatusForbidden, stale)

	query = at.LogIn(s.LeaveForSSO(t, c, "/entrar/sso"), "ana")
	kept := c.Cookies()
	enters(t, "in time", c, c.Get(webtest.SSOReturn(query.Encode())))
	c.Post("/sair")
	refuses(t, "again", c, c.Get(webtest.SSOReturn(query.Encode())), http.StatusBadRequest, stale)
	c.HTTP.Jar.SetCookies(webtest.URL(t, s.URL), kept)
	refuses(t, "again, with the cookie", c, c.Get(webtest.SSOReturn(query.Encode())), http.StatusForbidden, stale)

	address := webtest.URL(t, s.LeaveForSSO(t, c, "/entrar/sso"))
	changed := address.Query()
	changed.Set("nonce", "another")
	address.RawQuery = changed.Encode()
	refuses(t, "another nonce", c, c.Get(webtest.SSOReturn(at.LogIn(address.String(), "ana").Encode())),
		http.StatusForbidden, stale)

	query = at.LogIn(s.LeaveForSSO(t, c, "/entrar/sso"), "ana")
	query.Set("iss", "https://another.example")
	refuses(t, "another issuer", c, c.Get(webtest.SSOReturn(query.Encode())), http.StatusBadRequest, stale)

	query = at.LogIn(s.LeaveForSSO(t, c, "/entrar/sso"), "ana")
	s.Clock.Advance(11 * time.Minute)
	refuses(t, "too late", c, c.Get(webtest.SSOReturn(query.Encode())), http.StatusBadRequest, stale)
}

// A provider that is down takes no other way to log in away, and works again by itself.
func TestSSO_Down(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	there.Break(t, true)
	c := s.Client(t)
	refuses(t, "down", c, c.Get("/entrar/sso"), http.StatusServiceUnavailable, "não responde")
	s.Member(t)
	there.Break(t, false)
	query := there.Browser(t).LogIn(s.LeaveForSSO(t, c, "/entrar/sso"), "ana")
	there.Break(t, true)
	refuses(t, "down at the return", c, c.Get(webtest.SSOReturn(query.Encode())), http.StatusServiceUnavailable,
		"não responde")
	there.Break(t, false)
	enters(t, "up again", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana"))
	none := webtest.New(t).Client(t)
	for _, path := range []string{"/entrar/sso", page.SSOReturnPath} {
		if a := none.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s without a provider: %d", path, a.Status)
		}
	}
}

// Answers that give no access count as failed log-ins from the address.
func TestSSO_Limited(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t, func(o *web.Options) {
		o.Limits.FailedLogIn = hourly(1)
	})
	there.Set(t, owner(s, "ana"))
	there.Set(t, oidctest.Person{Subject: "x", Email: "x@example.com", Verified: true})
	c := s.Client(t)
	for range 2 { // log-ins that succeed count not
		enters(t, "within the limit", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana"))
	}
	c.Post("/sair")
	refuses(t, "failed", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "x"), http.StatusForbidden, "não tem acesso")
	refuses(t, "too many", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana"), http.StatusTooManyRequests, "")
	if got := c.Get("/app").Header.Get("Location"); !strings.HasPrefix(got, "/entrar") {
		t.Errorf("too many: leads to %q", got)
	}
}

// A person with a code generator enters the code, unless the provider asked for a second factor. Staff without one
// of their own reach the console if the provider did.
func TestSSO_SecondFactor(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	secret, _ := s.Enroll(t, s.Member(t), "/2fa/ativar")
	who := owner(s, "ana")
	there.Set(t, who)
	c, at := s.Client(t), there.Browser(t)
	if a := s.SSO(t, c, at, "/entrar/sso", "ana"); a.Header.Get("Location") != "/2fa?next=%2Fapp" {
		t.Fatalf("without a second factor there: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("before the code the dashboard is %d", a.Status)
	}
	enters(t, "with the code", c, c.Post("/2fa", "code", s.Code(secret), "next", "/app"))
	who.Methods = "pwd mfa"
	there.Set(t, who)
	enters(t, "with a second factor there", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana"))

	s.AddStaff(t, "eva@staff.example", models.StaffSupervisor)
	eva := oidctest.Person{Subject: "eva", Email: "eva@staff.example", Verified: true}
	there.Set(t, eva)
	staff := s.Client(t)
	s.SSO(t, staff, there.Browser(t), "/entrar/sso?next=/ops", "eva")
	if a := staff.Get("/ops"); a.Header.Get("Location") != "/2fa/ativar?next=%2Fops" {
		t.Errorf("staff without a second factor: %d to %q", a.Status, a.Header.Get("Location"))
	}
	eva.Methods = "mfa"
	there.Set(t, eva)
	if a := s.SSO(t, staff, there.Browser(t), "/entrar/sso?next=/ops", "eva"); a.Header.Get("Location") != "/ops" {
		t.Errorf("staff with a second factor there: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := staff.Get("/ops"); a.Status != http.StatusOK {
		t.Errorf("the console is %d", a.Status)
	}
}

// A person who logged in at the provider proves their identity there, by another log-in.
func TestSSO_Proof(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	if _, err := s.Merchants.SignUp(t.Context(), webtest.Bruno, ""); err != nil {
		t.Fatal(err)
	}
	there.Set(t, oidctest.Person{Subject: "bruno", Email: webtest.Bruno.Email, Verified: true})
	bruno := s.Client(t)
	enters(t, "another person", bruno, s.SSO(t, bruno, there.Browser(t), "/entrar/sso", "bruno"))
	c, at := s.Client(t), there.Browser(t)
	s.SSO(t, c, at, "/entrar/sso", "ana")
	s.Clock.Advance(11 * time.Minute)
	const sensitive = "/trocar-email"
	link := c.Get(sensitive).Find("main a[href^='/entrar/sso?']").AttrOr("href", "")
	address := s.LeaveForSSO(t, c, link)
	if query := webtest.URL(t, address).Query(); query.Get("prompt") != "login" || query.Get("max_age") != "0" {
		t.Errorf("the provider is asked %v", query)
	}
	other := c.Get(webtest.SSOReturn(there.Browser(t).LogIn(address, "bruno").Encode()))
	if other.Status != http.StatusForbidden || c.Get(sensitive).Find("#email").Length() != 0 {
		t.Errorf("another person proves it: %d", other.Status)
	}
	if a := s.SSO(t, c, at, link, "ana"); a.Status != http.StatusSeeOther || a.Header.Get("Location") != sensitive {
		t.Errorf("proven: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if c.Get(sensitive).Find("#email").Length() != 1 {
		t.Error("the proof does not last")
	}

	s.Clock.Advance(11 * time.Minute)
	form := c.Post(sensitive, "email", "nova@example.com")
	tab := form.Find("main a[target=_blank]").AttrOr("href", "")
	if a := s.SSO(t, c, at, tab, "ana"); a.Status != http.StatusOK {
		t.Errorf("proven in a tab: %d", a.Status)
	}
	done := c.Post(sensitive, webtest.HiddenFields(form)...)
	asked := count(t, s, "SELECT count(*) FROM tokens WHERE purpose = 'CHANGE_EMAIL'")
	if done.Status != http.StatusSeeOther || asked != 1 {
		t.Errorf("the kept form: %d %s", done.Status, done.Find("main").Text())
	}

	s.Enroll(t, c, "/2fa/ativar")
	s.Clock.Advance(11 * time.Minute)
	if c.Get(sensitive).Find("main a[href^='/entrar/sso?']").Length() != 0 {
		t.Error("a person with codes may prove it at the provider")
	}
	if a := s.SSO(t, c, at, link, "ana"); a.Status != http.StatusForbidden {
		t.Errorf("a weaker proof than a code: %d", a.Status)
	}
}

// Where the company wants its provider alone, no password and no passkey opens a door, and sessions that began
// otherwise end.
func TestSSO_Only(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	reset := s.Client(t)
	reset.Post("/esqueci-senha", "email", s.Email)
	link := s.Link(t, models.MailResetPassword, s.Email)
	before := s.Member(t)
	s.Merchants.SSOOnly = true

	if a := before.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("a session by a password: %d", a.Status)
	}
	c := s.Client(t)
	logIn := c.Get("/entrar")
	if logIn.Find("#password, [data-passkey]").Length() != 0 || logIn.Find("main a.btn-primary").Length() != 1 {
		t.Error("the page of the log-in has other ways")
	}
	for _, path := range []string{"/cadastro", "/esqueci-senha", "/redefinir-senha?token=" + link} {
		refuses(t, path, c, c.Get(path), http.StatusForbidden, "Aqui se entra com Empresa")
	}
	fields := []string{"email", s.Email, "password", paymentstest.Password, "token", link, "name", "Ana",
		"business", "Loja", "passkey", "{}"}
	for _, path := range []string{"/entrar", "/cadastro", "/esqueci-senha", "/redefinir-senha", "/cadastro/passkey"} {
		refuses(t, "POST "+path, c, c.Post(path, fields...), http.StatusForbidden, "Aqui se entra com Empresa")
	}
	enters(t, "at the provider", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana"))
	a := c.Post(page.SecurityPath+"/senha", "current", paymentstest.Password, "password", webtest.NewPassword)
	if a.Status != http.StatusForbidden {
		t.Errorf("another password: %d", a.Status)
	}
	s.Clock.Advance(11 * time.Minute)
	form := c.Get("/trocar-email")
	if form.Find("#"+webtest.ProofField).Length() != 0 {
		t.Error("a proof asks for the password")
	}
	if a := c.Post("/confirmar", "next", "/app", webtest.ProofField, paymentstest.Password); a.Status !=
		http.StatusUnprocessableEntity {
		t.Errorf("a proof by the password: %d", a.Status)
	}
}

// An invited person gets a log-in without a password that anyone knows, and enters by the invited email.
func TestSSO_OnlyInvited(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	s.Merchants.SSOOnly = true
	there.Set(t, owner(s, "ana"))
	there.Set(t, oidctest.Person{Subject: "bia", Email: "bia@example.com", Verified: true})
	admin := s.Client(t)
	s.SSO(t, admin, there.Browser(t), "/entrar/sso", "ana")
	admin.Post("/app/equipe/convites", "email", "bia@example.com", "role", "VIEWER")
	c := s.Client(t)
	path := page.InvitePath + s.Link(t, models.MailInvite, "bia@example.com")
	if form := c.Get(path); form.Find("#name").Length() != 1 || form.Find("#password, [data-passkey]").Length() != 0 {
		t.Errorf("the form asks for %s", form.Find("main form").Text())
	}
	refuses(t, "by a passkey", c, c.Post(path+"/passkey", "name", "Bia"), http.StatusForbidden, "Aqui se entra")
	joined := c.Post(path, "name", "Bia", "password", webtest.NewPassword, "passkey", "{}")
	if joined.Status != http.StatusSeeOther || joined.Header.Get("Location") != "/entrar" {
		t.Fatalf("joined: %d to %q", joined.Status, joined.Header.Get("Location"))
	}
	enters(t, "invited", c, s.SSO(t, c, there.Browser(t), "/entrar/sso", "bia"))
	s.Merchants.SSOOnly = false
	if a := s.Client(t).Post("/entrar", "email", "bia@example.com", "password", webtest.NewPassword); a.Status !=
		http.StatusUnprocessableEntity {
		t.Errorf("the password of the form: %d", a.Status)
	}
}
