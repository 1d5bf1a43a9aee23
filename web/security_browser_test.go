package web_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// Somebody sets a code generator up, logs out, logs in with a code, and then with a
// recovery code.
func TestSecondFactor_Browser(t *testing.T) {
	t.Parallel()
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			page := logIn(t, s, look)
			page.AllowConsole("422")
			page.Goto(s.url + "/app/configuracoes/seguranca")
			see(page, "security-"+name)
			page.Click("main a[href='/2fa/ativar']")
			page.WaitVisible("svg[role=img]")
			see(page, "totp-"+name)
			page.Type("#code", "000000")
			page.Press("Enter")
			page.WaitFocused("#errors")
			see(page, "totp-wrong-"+name)
			page.Click("details summary")
			secret := strings.ReplaceAll(browsertest.Eval[string](page, `document.getElementById("totp-secret").textContent`), " ", "")
			page.Type("#code", s.code(secret))
			page.Press("Enter")
			page.WaitVisible("#recovery-codes")
			recovery := strings.Split(browsertest.Eval[string](page, `document.getElementById("recovery-codes").textContent`), "\n")
			see(page, "recovery-codes-"+name)
			page.Click("main a.btn-primary")
			page.WaitVisible("#sessions-title")
			see(page, "security-on-"+name)

			logOut := func() {
				browsertest.Eval[bool](page, `document.querySelector("form[action='/sair']").requestSubmit() ?? true`)
				page.WaitTrue(`location.pathname == "/entrar"`)
			}
			password := func() {
				page.Type("#email", s.Email)
				page.Type("#password", paymentstest.Password)
				page.Press("Enter")
				page.WaitTrue(`location.pathname == "/2fa"`)
				page.WaitVisible("#code")
			}
			logOut()
			password()
			see(page, "code-"+name)
			s.Clock.Advance(time.Minute)
			page.Type("#code", s.code(secret))
			page.Press("Enter")
			page.WaitTrue(`location.pathname == "/app"`)

			logOut()
			password()
			page.Click("main p a.link")
			page.WaitTrue(`location.search.includes("recuperacao")`)
			see(page, "code-recovery-"+name)
			page.Type("#code", strings.ToUpper(recovery[7]))
			page.Press("Enter")
			page.WaitTrue(`location.pathname == "/app"`)
		})
	}
}

// The pages around a forgotten password and an address that is not proven.
func TestAccount_BrowserLooks(t *testing.T) {
	t.Parallel()
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			page := browsertest.Open(t, s.url+"/entrar", look)
			for _, expected := range []string{"422", "404"} {
				page.AllowConsole(expected)
			}
			page.Click("a[href='/esqueci-senha']")
			page.WaitVisible("h1")
			see(page, "forgot-"+name)
			page.Type("#email", s.Email)
			page.Press("Enter")
			page.WaitVisible("main [role=status]")
			see(page, "forgot-sent-"+name)
			page.Goto(s.url + "/redefinir-senha?token=" + s.Link(t, models.MailResetPassword, s.Email))
			page.Type("#password", "curta")
			page.Press("Enter")
			page.WaitFocused("#errors")
			see(page, "reset-"+name)
			page.Goto(s.url + "/redefinir-senha?token=x")
			see(page, "dead-link-"+name)

			page.Goto(s.url + "/cadastro")
			page.Type("#name", "Bruno Reis")
			page.Type("#business", "Café do Bruno")
			page.Type("#email", "bruno@example.com")
			page.Type("#password", "uma frase bem comprida")
			page.Press("Enter")
			page.WaitTrue(`location.pathname == "/app"`)
			see(page, "home-unverified-"+name)
			page.Goto(s.url + "/verificar-email")
			see(page, "unverified-"+name)
			page.Goto(s.url + "/verificar-email?token=" + s.Link(t, models.MailVerifyEmail, "bruno@example.com"))
			see(page, "verify-"+name)
			page.Click("main form button")
			page.WaitTrue(`location.pathname == "/app"`)
		})
	}
}
