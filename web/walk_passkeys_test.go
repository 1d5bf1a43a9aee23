package web_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkPasskeys adds a passkey, logs out, logs in with it and nothing else, proves who it
// is with it, and removes it.
func walkPasskeys(t *testing.T, w *walk) {
	s := webtest.NewWithPasskeys(t, web.Limits{})
	page := w.enter(t, s)
	device := page.AddAuthenticator()
	page.arrive("/2fa/passkey?next="+webtest.SecurityPage, http.StatusOK)
	page.seen.walk(s.App, "/2fa/passkey")
	device.Verify(false)
	page.press("create")
	page.WaitTrue(`document.querySelector("[role=alert]").textContent`)
	page.look("new-cancelled")
	device.Verify(true)
	page.Type("#passkey_name", " ")
	page.press("create")
	page.WaitFocused("#errors")
	page.Type("#passkey_name", "iPhone da Ana")
	page.press("create")
	page.WaitVisible("#recovery-codes")
	page.look("recovery-codes")
	page.Click("main a.btn-primary")
	page.WaitVisible("iPhone da Ana")
	page.look("added")
	device.Verify(false) // else it would log in as soon as the page proposes it
	page.leave()
	page.look("log-in")
	device.Verify(true)
	page.press("get")
	page.WaitTrue(`location.pathname == "/app"`)
	page.arrive(webtest.SecurityPage, http.StatusOK)
	change := browsertest.Eval[string](page.Page,
		`document.querySelector("section[aria-labelledby=passkeys-title] li a").pathname`)
	s.Clock.Advance(time.Hour)
	page.visit("change", change)
	page.Click("[commandfor=remove]")
	page.Click("#remove .btn-danger")
	page.WaitVisible("[data-passkey=get]")
	page.look("step-up")
	page.press("get")
	page.WaitTrue(`document.getElementById("passkeys-title") &&
		!document.querySelector("section[aria-labelledby=passkeys-title] li")`)
	page.logOut() // to a page that proposes what the device still keeps by itself
	page.WaitFocused("#errors")
	walkStaffPasskey(t, w, s)
	walkPasskeySignUp(t, w, s)
}

// walkPasskeySignUp signs up with a passkey and nothing else, wrongly at first.
func walkPasskeySignUp(t *testing.T, w *walk, s *webtest.Site) {
	t.Helper()
	page := w.open(t, s, "/cadastro")
	page.AddAuthenticator()
	page.look("sign-up")
	page.Type("#name", "Bruno Reis")
	page.Type("#business", "Café do Bruno")
	page.press("create")
	page.WaitFocused("#errors")
	page.look("sign-up-wrong")
	page.Type("#email", "bruno@example.com")
	page.press("create")
	page.WaitTrue(`location.pathname == "/verificar-email"`)
	page.visit("password-none", webtest.SecurityPage)
	page.visit("last", browsertest.Eval[string](page.Page,
		`document.querySelector("section[aria-labelledby=passkeys-title] li a").pathname`))
	page.visit("first-password", webtest.SecurityPage+"/senha")
	s.Clock.Advance(time.Hour)
	page.visit("step-up-only", webtest.SecurityPage+"/senha")
}

// walkStaffPasskey comes into the console by a passkey, made after the password.
func walkStaffPasskey(t *testing.T, w *walk, s *webtest.Site) {
	t.Helper()
	if _, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{
		Name: "Rita Prado", Email: "rita@example.com", Password: paymentstest.Password, Role: models.StaffReviewer,
	}); err != nil {
		t.Fatal(err)
	}
	page := w.open(t, s, "/entrar?next=/ops")
	device := page.AddAuthenticator()
	page.logIn("rita@example.com", "/2fa/ativar")
	page.Click(`a[href^="/2fa/passkey"]`)
	page.WaitVisible("#passkey_name")
	page.Type("#passkey_name", "Chave USB")
	page.press("create")
	page.WaitVisible("#recovery-codes")
	page.Click("main a.btn-primary")
	page.WaitTrue(`location.pathname == "/ops"`)
	page.arrive("/ops/seguranca", http.StatusOK)
	page.visit("staff-change", browsertest.Eval[string](page.Page,
		`document.querySelector("section[aria-labelledby=passkeys-title] li a").pathname`))
	device.Verify(false)
	page.leave()
	page.logIn("rita@example.com", "/2fa")
	page.visit("staff-second-recovery", "/2fa?recovery=1&next=/ops")
	page.visit("staff-second", "/2fa?next=/ops")
	device.Verify(true)
	page.press("get")
	page.WaitTrue(`location.pathname == "/ops"`)

	page.Goto(s.URL + "/entrar?next=/ops/saude") // which proposes it by itself
	page.WaitTrue(`location.pathname == "/ops/saude"`)
}

// press presses the button that makes a passkey, "create", or signs with one, "get".
func (w *walker) press(kind string) {
	w.t.Helper()
	w.Click("[data-passkey=" + kind + "] button")
}
