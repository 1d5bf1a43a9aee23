package web_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkSecurity sets a code generator up, logs out, logs in with a code and then with a
// recovery code, proves who it is an hour later, and denies a log-in.
func walkSecurity(t *testing.T, w *walk) {
	s := webtest.New(t)
	page := w.open(t, s, "/entrar")
	page.logIn(s.Email, "/app")
	page.visit("settings", "/app/configuracoes/seguranca")
	page.failsBy("password-wrong", "form[action$=senha] button.btn-secondary")
	page.visit("totp", "/2fa/ativar")
	page.Type("#code", "000000")
	page.fails("totp-wrong")
	page.Click("details summary")
	secret := strings.ReplaceAll(browsertest.Eval[string](page.Page,
		`document.getElementById("totp-secret").textContent`), " ", "")
	page.Type("#code", s.Code(secret))
	page.Press("Enter")
	page.WaitVisible("#recovery-codes")
	recovery := strings.Split(browsertest.Eval[string](page.Page,
		`document.getElementById("recovery-codes").textContent`), "\n")
	page.look("recovery-codes")
	page.visit("settings-on", "/app/configuracoes/seguranca")
	newEmail(t, page)
	page.leave()

	page.logIn(s.Email, "/2fa")
	page.visit("code", "/2fa")
	page.Type("#code", "000000")
	page.fails("code-wrong")
	s.Clock.Advance(time.Minute)
	page.Type("#code", s.Code(secret))
	page.Press("Enter")
	page.WaitTrue(`location.pathname == "/app"`)
	page.leave()
	page.logIn(s.Email, "/2fa")
	page.Click("main p a.link")
	page.WaitTrue(`location.search.includes("recovery")`)
	page.look("code-recovery")
	page.Type("#code", strings.ToUpper(recovery[7]))
	page.Press("Enter")
	page.WaitTrue(`location.pathname == "/app"`)

	s.Clock.Advance(time.Hour)
	page.visit("step-up-code", "/app/chaves/nova")
	page.Type("#garoupa_proof", "000000")
	page.Press("Enter")
	page.WaitFocused("#errors")
	page.look("step-up-code-wrong")
	stepUp(t, w)
	newDevice(t, w)
}

// newDevice follows the mail about a log-in with a new device.
func newDevice(t *testing.T, w *walk) {
	t.Helper()
	s := webtest.New(t)
	s.Client(t).Post("/entrar", "email", s.Email, "password", "wrong horse battery")
	s.Member(t)
	page := w.enter(t, s)
	page.visit("settings-log-ins", "/app/configuracoes/seguranca")
	page.visit("new-device", "/nao-fui-eu?token="+s.Link(t, models.MailNewDevice, s.Email))
	page.Click("main form button")
	page.WaitTrue(`location.pathname == "/redefinir-senha"`)
	page.refused("new-device-dead", "/nao-fui-eu?token=x", 404)
}

// newEmail asks for another address, which another person then takes.
func newEmail(t *testing.T, page *walker) {
	t.Helper()
	s := page.site
	page.visit("new-email", webtest.NewEmailPage)
	page.Type("#email", "ana@")
	page.fails("new-email-wrong")
	page.Type("#email", webtest.Bruno.Email)
	page.Press("Enter")
	page.WaitVisible("form[action$=cancelar] button")
	page.look("settings-new-email")
	page.visit("new-email-link", "/confirmar-email?token="+s.Link(t, models.MailEmailChange, webtest.Bruno.Email))
	if _, err := s.Merchants.SignUp(t.Context(), webtest.Bruno, ""); err != nil {
		t.Fatal(err)
	}
	page.AllowConsole("status of 409")
	page.Click("main form button")
	page.WaitVisible("main a[href='/app/configuracoes/seguranca']")
	page.look("new-email-taken")
	page.refused("new-email-dead", "/confirmar-email?token=x", 404)
	page.visit("settings-waiting", "/app/configuracoes/seguranca")
	page.Click("form[action$=cancelar] button")
	page.WaitVisible("main a[href='" + webtest.NewEmailPage + "']")
}

// stepUp sees how a person without a code generator proves who they are.
func stepUp(t *testing.T, w *walk) {
	t.Helper()
	s := webtest.New(t)
	page := w.enter(t, s)
	s.Clock.Advance(time.Hour)
	page.visit("step-up", "/app/chaves/nova")
	page.Type("#garoupa_proof", "wrong horse battery")
	page.Press("Enter")
	page.WaitFocused("#errors")
	page.look("step-up-wrong")
	page.Type("#garoupa_proof", paymentstest.Password)
	page.Press("Enter")
	page.WaitVisible("#name")
}

// leave logs out.
func (w *walker) leave() {
	w.t.Helper()
	w.logOut()
	w.WaitTrue(`location.pathname == "/entrar" && document.getElementById("email")`)
}

// logOut does not wait for the page that it leads to.
func (w *walker) logOut() {
	w.t.Helper()
	browsertest.Eval[bool](w.Page, `document.querySelector("form[action='/sair']").requestSubmit() ?? true`)
}
