package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

const fresh = "another horse battery"

// Who forgot the password gets a link, whoever they say they are gets the same answer.
func TestForgot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	member, c := s.member(t), s.client(t)
	texts := map[string]bool{}
	for _, email := range []string{s.Email, "nobody@example.com"} {
		a := c.post("/esqueci-senha", "email", email)
		if a.status != http.StatusOK {
			t.Fatalf("%s: %d", email, a.status)
		}
		texts[strings.ReplaceAll(a.Find("main").Text(), email, "")] = true
	}
	if len(texts) != 1 {
		t.Errorf("a known address is answered in another way: %v", texts)
	}
	if a := c.post("/esqueci-senha", "email", "ana@"); a.status != http.StatusUnprocessableEntity || a.Find("#email").AttrOr("value", "") != "ana@" {
		t.Errorf("no address: %d", a.status)
	}
	token := s.Link(t, models.MailResetPassword, s.Email)
	form := c.get("/redefinir-senha?token=" + token)
	if form.status != http.StatusOK || form.Find("input[name=token]").AttrOr("value", "") != token {
		t.Fatalf("the link leads to %d", form.status)
	}
	if a := c.post("/redefinir-senha", "token", token, "password", "short"); a.status != http.StatusUnprocessableEntity || a.Find("input[name=token]").AttrOr("value", "") != token {
		t.Errorf("a short password: %d", a.status)
	}
	if a := c.post("/redefinir-senha", "token", token, "password", fresh); a.status != http.StatusSeeOther || !strings.Contains(c.get("/entrar").Text(), "Senha trocada") {
		t.Errorf("reset: %d", a.status)
	}
	for _, dead := range []string{token, "", "x", token + "x", s.Vault.Token("tok_00000000000000000000")} {
		if a := c.get("/redefinir-senha?token=" + dead); a.status != http.StatusNotFound || a.Find("main a[href='/esqueci-senha']").Length() != 1 {
			t.Errorf("a dead link: %d", a.status)
		}
		if a := c.post("/redefinir-senha", "token", dead, "password", fresh); a.status != http.StatusNotFound {
			t.Errorf("a dead link, sent: %d", a.status)
		}
	}
	if a := member.get("/app"); a.status != http.StatusSeeOther {
		t.Errorf("a session from before goes on: %d", a.status)
	}
	if a := c.post("/entrar", "email", s.Email, "password", fresh); a.status != http.StatusSeeOther {
		t.Errorf("the new password: %d", a.status)
	}
}

func TestForgot_Limits(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := newLimitedSite(t, web.Limits{LogIn: ratelimit.New(rate)})
	for i := range 6 {
		if a := s.client(t).post("/esqueci-senha", "email", "x@"); (a.status == http.StatusTooManyRequests) != (i == 5) {
			t.Errorf("%d: %d", i+1, a.status)
		}
	}
	if a := s.client(t).post("/entrar", "email", "x@", "password", "x"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("asking for a link locked the log-in: %d", a.status)
	}
}

// A newcomer proves the address before asking for production access, and corrects it
// while it is not proven.
func TestVerifyEmail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(t)
	if a := c.post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password", paymentstest.Password); a.status != http.StatusSeeOther {
		t.Fatalf("sign up: %d", a.status)
	}
	if a := c.get("/app"); a.Find("main a[href='/verificar-email']").Length() != 1 {
		t.Error("the start page asks for no proof")
	}
	if a := c.get("/app/producao/pedido"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/verificar-email" {
		t.Errorf("production access: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := c.get("/verificar-email"); a.status != http.StatusOK || !strings.Contains(a.Text(), "bia@example.com") || !strings.Contains(a.Text(), "antes de pedir") {
		t.Errorf("the page: %d", a.status)
	}
	if a := c.post("/verificar-email/reenviar"); a.status != http.StatusTooManyRequests {
		t.Errorf("sent again at once: %d", a.status)
	}
	s.Clock.Advance(2 * time.Minute)
	if a := c.post("/verificar-email/reenviar"); a.status != http.StatusSeeOther {
		t.Errorf("sent again: %d", a.status)
	}
	s.Clock.Advance(2 * time.Minute)
	if a := c.post("/verificar-email/trocar", "email", s.Email); a.status != http.StatusUnprocessableEntity || a.Find("#email").AttrOr("value", "") != s.Email {
		t.Errorf("another's address: %d", a.status)
	}
	if a := c.post("/verificar-email/trocar", "email", "bia2@example.com"); a.status != http.StatusSeeOther {
		t.Errorf("corrected: %d", a.status)
	}
	token := s.Link(t, models.MailVerifyEmail, "bia2@example.com")
	stranger := s.client(t)
	if a := stranger.get("/verificar-email?token=" + token); a.status != http.StatusOK || a.Find("form input[name=token]").Length() != 1 || !strings.Contains(a.Find("main").Text(), "bia2@example.com") {
		t.Errorf("the link: %d, %q", a.status, a.Find("main").Text())
	}
	if a := c.get("/app/producao/pedido"); a.status != http.StatusSeeOther {
		t.Error("looking at the link proved the address")
	}
	if a := stranger.post("/verificar-email", "token", token); a.status != http.StatusSeeOther || a.header.Get("Location") != "/entrar" {
		t.Errorf("proven on another device: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := c.post("/verificar-email", "token", token); a.status != http.StatusNotFound {
		t.Errorf("used twice: %d", a.status)
	}
	if a := c.get("/app/producao/pedido"); a.status != http.StatusOK {
		t.Errorf("proven: %d", a.status)
	}
	if a := c.get("/verificar-email"); a.status != http.StatusSeeOther {
		t.Errorf("asked again: %d", a.status)
	}
	if a := s.client(t).get("/verificar-email"); a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/entrar") {
		t.Errorf("a stranger: %d", a.status)
	}
}

// The page of one's security: the password, the codes and the sessions.
func TestSecurity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c, other := s.member(t), s.member(t)
	page := c.get("/app/configuracoes/seguranca")
	if page.status != http.StatusOK || page.Find("form[action$='/encerrar']").Length() != 2 || page.Find("a[href='/2fa/ativar']").Length() != 1 {
		t.Fatalf("the page: %d, %d forms", page.status, page.Find("form[action$='/encerrar']").Length())
	}
	if a := c.post("/app/configuracoes/seguranca/senha", "current", "wrong", "password", fresh); a.status != http.StatusUnprocessableEntity || strings.Contains(a.body, fresh) {
		t.Errorf("a wrong password: %d", a.status)
	}
	if a := c.post("/app/configuracoes/seguranca/senha", "current", paymentstest.Password, "password", "x"); a.status != http.StatusUnprocessableEntity || a.Find("#password-error").Length() != 1 {
		t.Errorf("a short password: %d", a.status)
	}
	if a := c.post("/app/configuracoes/seguranca/senha", "current", paymentstest.Password, "password", fresh); a.status != http.StatusSeeOther || c.get("/app").status != http.StatusOK || other.get("/app").status != http.StatusSeeOther {
		t.Errorf("changed: %d", a.status)
	}

	again := func() *client {
		browser := s.client(t)
		browser.post("/entrar", "email", s.Email, "password", fresh)
		return browser
	}
	second, third := again(), again()
	page = c.get("/app/configuracoes/seguranca")
	end := page.Find("form[action*='/sessoes/ses_']").First().AttrOr("action", "")
	if a := c.post(end); a.status != http.StatusSeeOther || c.post(end).status != http.StatusNotFound {
		t.Errorf("%s: %d", end, a.status)
	}
	if in, out := second.get("/app").status, third.get("/app").status; in+out != http.StatusOK+http.StatusSeeOther {
		t.Errorf("after one ended: %d and %d", in, out)
	}
	if a := c.post("/app/configuracoes/seguranca/sessoes/encerrar"); a.status != http.StatusSeeOther || second.get("/app").status+third.get("/app").status != 2*http.StatusSeeOther || c.get("/app").status != http.StatusOK {
		t.Errorf("after all others ended: %d", a.status)
	}

	if a := c.post("/app/configuracoes/seguranca/2fa/codigos"); a.status != http.StatusSeeOther {
		t.Errorf("codes without a generator: %d", a.status)
	}
	secret, _ := s.enrol(t, c, "/2fa/ativar")
	if a := c.get("/app/configuracoes/seguranca"); !strings.Contains(a.Text(), "10 códigos de recuperação") {
		t.Error("the recovery codes are not counted")
	}
	s.Clock.Advance(time.Hour)
	if a := c.post("/app/configuracoes/seguranca/2fa/desativar"); a.status != http.StatusOK || a.Find("input[name="+proof+"]").Length() != 1 {
		t.Fatalf("disabled without a proof: %d", a.status)
	}
	if a := c.post("/app/configuracoes/seguranca/2fa/codigos", proof, s.code(secret)); a.status != http.StatusOK || len(strings.Split(a.Find("#recovery-codes").Text(), "\n")) != 10 {
		t.Errorf("new codes: %d", a.status)
	}
	if a := c.post("/app/configuracoes/seguranca/2fa/desativar"); a.status != http.StatusSeeOther || c.get("/app/configuracoes/seguranca").Find("a[href='/2fa/ativar']").Length() != 1 {
		t.Errorf("disabled: %d", a.status)
	}
}
