package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// A person who forgot the password gets a link, and every address gets the same answer.
func TestForgot(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	member, c := s.Member(t), s.Client(t)
	texts := map[string]bool{}
	for _, email := range []string{s.Email, "nobody@example.com"} {
		a := c.Post("/esqueci-senha", "email", email)
		if a.Status != http.StatusOK {
			t.Fatalf("%s: %d", email, a.Status)
		}
		texts[strings.ReplaceAll(a.Find("main").Text(), email, "")] = true
	}
	if len(texts) != 1 {
		t.Errorf("a known address is answered in another way: %v", texts)
	}
	if a := c.Post("/esqueci-senha", "email", "ana@"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#email").AttrOr("value", "") != "ana@" {
		t.Errorf("no address: %d", a.Status)
	}
	token := s.Link(t, models.MailResetPassword, s.Email)
	form := c.Get("/redefinir-senha?token=" + token)
	if form.Status != http.StatusOK || form.Find("input[name=token]").AttrOr("value", "") != token {
		t.Fatalf("the link leads to %d", form.Status)
	}
	if a := c.Post("/redefinir-senha", "token", token, "password",
		"short"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("input[name=token]").AttrOr("value", "") != token {
		t.Errorf("a short password: %d", a.Status)
	}
	if a := c.Post("/redefinir-senha", "token", token, "password",
		webtest.NewPassword); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get("/entrar").Text(), "Senha trocada") {
		t.Errorf("reset: %d", a.Status)
	}
	for _, dead := range []string{token, "", "x", token + "x", s.Vault.Token("tok_00000000000000000000")} {
		if a := c.Get("/redefinir-senha?token=" + dead); a.Status != http.StatusNotFound ||
			a.Find("main a[href='/esqueci-senha']").Length() != 1 {
			t.Errorf("a dead link: %d", a.Status)
		}
		if a := c.Post("/redefinir-senha", "token", dead, "password",
			webtest.NewPassword); a.Status != http.StatusNotFound {
			t.Errorf("a dead link, sent: %d", a.Status)
		}
	}
	if a := member.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("a session from before goes on: %d", a.Status)
	}
	if a := c.Post("/entrar", "email", s.Email, "password", webtest.NewPassword); a.Status != http.StatusSeeOther {
		t.Errorf("the new password: %d", a.Status)
	}
}

func TestForgot_Limits(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.NewLimited(t, web.Limits{LogIn: ratelimit.New(rate)})
	for i := range 6 {
		if a := s.Client(t).Post("/esqueci-senha", "email",
			"x@"); (a.Status == http.StatusTooManyRequests) != (i == 5) {
			t.Errorf("%d: %d", i+1, a.Status)
		}
	}
	if a := s.Client(t).Post("/entrar", "email", "x@", "password", "x"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("asking for a link locked the log-in: %d", a.Status)
	}
}

// A newcomer proves the address before asking for production access, and corrects it
// while it is not proven.
func TestVerifyEmail(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)
	if a := c.Post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password",
		paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Fatalf("sign up: %d", a.Status)
	}
	c.Post("/app/primeiros-passos", "way", "link")
	if a := c.Get("/app"); a.Find("main a[href='/verificar-email']").Length() != 1 {
		t.Error("the start page asks for no proof")
	}
	if a := c.Get("/app/producao/pedido"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/verificar-email" {
		t.Errorf("production access: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Get("/verificar-email"); a.Status != http.StatusOK || !strings.Contains(a.Text(), "bia@example.com") ||
		!strings.Contains(a.Text(), "antes de solicitar") {
		t.Errorf("the page: %d", a.Status)
	}
	if a := c.Post("/verificar-email/reenviar"); a.Status != http.StatusTooManyRequests {
		t.Errorf("sent again at once: %d", a.Status)
	}
	s.Clock.Advance(2 * time.Minute)
	if a := c.Post("/verificar-email/reenviar"); a.Status != http.StatusSeeOther {
		t.Errorf("sent again: %d", a.Status)
	}
	s.Clock.Advance(2 * time.Minute)
	if a := c.Post("/verificar-email/trocar", "email", s.Email); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#email").AttrOr("value", "") != s.Email {
		t.Errorf("another's address: %d", a.Status)
	}
	if a := c.Post("/verificar-email/trocar", "email", "bia2@example.com"); a.Status != http.StatusSeeOther {
		t.Errorf("corrected: %d", a.Status)
	}
	token := s.Link(t, models.MailVerifyEmail, "bia2@example.com")
	stranger := s.Client(t)
	if a := stranger.Get("/verificar-email?token=" + token); a.Status != http.StatusOK ||
		a.Find("form input[name=token]").Length() != 1 || !strings.Contains(a.Find("main").Text(), "bia2@example.com") {
		t.Errorf("the link: %d, %q", a.Status, a.Find("main").Text())
	}
	if a := c.Get("/app/producao/pedido"); a.Status != http.StatusSeeOther {
		t.Error("looking at the link proved the address")
	}
	if a := stranger.Post("/verificar-email", "token", token); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/entrar" {
		t.Errorf("proven on another device: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Post("/verificar-email", "token", token); a.Status != http.StatusNotFound {
		t.Errorf("used twice: %d", a.Status)
	}
	if a := c.Get("/app/producao/pedido"); a.Status != http.StatusOK {
		t.Errorf("proven: %d", a.Status)
	}
	if a := c.Get("/verificar-email"); a.Status != http.StatusSeeOther {
		t.Errorf("asked again: %d", a.Status)
	}
	if a := s.Client(t).Get("/verificar-email"); a.Status != http.StatusSeeOther ||
		!strings.HasPrefix(a.Header.Get("Location"), "/entrar") {
		t.Errorf("a stranger: %d", a.Status)
	}
}

// The page of one's security: the password, the codes and the sessions.
func TestSecurity(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, other := s.Member(t), s.Member(t)
	page := c.Get("/app/configuracoes/seguranca")
	if page.Status != http.StatusOK || page.Find("form[action$='/encerrar']").Length() != 2 ||
		page.Find("a[href='/2fa/ativar']").Length() != 1 {
		t.Fatalf("the page: %d, %d forms", page.Status, page.Find("form[action$='/encerrar']").Length())
	}
	if a := c.Post("/app/configuracoes/seguranca/senha", "current", "wrong", "password",
		webtest.NewPassword); a.Status != http.StatusUnprocessableEntity ||
		strings.Contains(a.Body, webtest.NewPassword) {
		t.Errorf("a wrong password: %d", a.Status)
	}
	if a := c.Post("/app/configuracoes/seguranca/senha", "current", paymentstest.Password, "password",
		"x"); a.Status != http.StatusUnprocessableEntity || a.Find("#password-error").Length() != 1 {
		t.Errorf("a short password: %d", a.Status)
	}
	if a := c.Post("/app/configuracoes/seguranca/senha", "current", paymentstest.Password, "password",
		webtest.NewPassword); a.Status != http.StatusSeeOther || c.Get("/app").Status != http.StatusOK ||
		other.Get("/app").Status != http.StatusSeeOther {
		t.Errorf("changed: %d", a.Status)
	}

	again := func() *webtest.Client {
		browser := s.Client(t)
		browser.Post("/entrar", "email", s.Email, "password", webtest.NewPassword)
		return browser
	}
	second, third := again(), again()
	page = c.Get("/app/configuracoes/seguranca")
	end := page.Find("form[action*='/sessoes/ses_']").First().AttrOr("action", "")
	if a := c.Post(end); a.Status != http.StatusSeeOther || c.Post(end).Status != http.StatusNotFound {
		t.Errorf("%s: %d", end, a.Status)
	}
	if in, out := second.Get("/app").Status, third.Get("/app").Status; in+out != http.StatusOK+http.StatusSeeOther {
		t.Errorf("after one ended: %d and %d", in, out)
	}
	if a := c.Post("/app/configuracoes/seguranca/sessoes/encerrar"); a.Status != http.StatusSeeOther ||
		second.Get("/app").Status+third.Get("/app").Status != 2*http.StatusSeeOther ||
		c.Get("/app").Status != http.StatusOK {
		t.Errorf("after all others ended: %d", a.Status)
	}

	if a := c.Post("/app/configuracoes/seguranca/2fa/codigos"); a.Status != http.StatusSeeOther {
		t.Errorf("codes without a generator: %d", a.Status)
	}
	secret, _ := s.Enroll(t, c, "/2fa/ativar")
	if a := c.Get("/app/configuracoes/seguranca"); !strings.Contains(a.Text(), "10 códigos de recuperação") {
		t.Error("the recovery codes are not counted")
	}
	s.Clock.Advance(time.Hour)
	if a := c.Post("/app/configuracoes/seguranca/2fa/desativar"); a.Status != http.StatusOK ||
		a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
		t.Fatalf("disabled without a proof: %d", a.Status)
	}
	if a := c.Post("/app/configuracoes/seguranca/2fa/codigos", webtest.ProofField,
		s.Code(secret)); a.Status != http.StatusOK ||
		len(strings.Split(a.Find("#recovery-codes").Text(), "\n")) != 10 {
		t.Errorf("new codes: %d", a.Status)
	}
	if a := c.Post("/app/configuracoes/seguranca/2fa/desativar"); a.Status != http.StatusSeeOther ||
		c.Get("/app/configuracoes/seguranca").Find("a[href='/2fa/ativar']").Length() != 1 {
		t.Errorf("disabled: %d", a.Status)
	}
}

// The page says that a mail was sent only if one was: for the same address again, and not for one that is proven.
func TestVerifyEmail_Same(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Client(t)
	c.Post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password",
		paymentstest.Password)
	sent := func() int {
		return modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = 'verify_email'")
	}
	before := sent()
	if a := c.Post("/verificar-email/trocar", "email", "bia@example.com"); a.Status != http.StatusTooManyRequests {
		t.Errorf("the same address at once: %d", a.Status)
	}
	s.Clock.Advance(2 * time.Minute)
	c.Post("/verificar-email/trocar", "email", "bia@example.com")
	if text := c.Get("/verificar-email").Find("[role=status]").Text(); sent() != before+1 ||
		!strings.Contains(text, "E-mail enviado.") {
		t.Errorf("the same address: %d mails more, %q", sent()-before, text)
	}
	c.Post("/verificar-email", "token", s.Link(t, models.MailVerifyEmail, "bia@example.com"))
	c.Get("/app") // which says that it is proven
	s.Clock.Advance(2 * time.Minute)
	before = sent()
	for _, form := range [][]string{{"/verificar-email/trocar", "email", "bia@example.com"},
		{"/verificar-email/trocar", "email", "bia2@example.com"}, {"/verificar-email/reenviar"}} {
		c.Post(form[0], form[1:]...)
		if text := c.Get("/app").Find("[role=status]").Text(); sent() != before ||
			!strings.Contains(text, "já estava confirmado") {
			t.Errorf("proven, %v: %d mails more, %q", form, sent()-before, text)
		}
	}
}
