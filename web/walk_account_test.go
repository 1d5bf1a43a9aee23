package web_test

import (
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web"
	"garoupa/web/page"
	"garoupa/web/webtest"
)

// walkAccount sees the pages around signing up, logging in, a forgotten password and
// an address that is not proven.
func walkAccount(t *testing.T, w *walk) {
	s := webtest.NewWith(t, webtest.WithNotices)
	page := w.open(t, s, "/entrar")
	page.visits(map[string]string{"log-in": "/entrar?next=/app/saldo", "sign-up": "/cadastro"})
	page.Goto(s.URL + "/cadastro")
	page.fails("sign-up-wrong")
	page.Goto(s.URL + "/app/saldo")
	page.WaitVisible("main [role=status]")
	page.look("log-in-first")
	page.Type("#email", s.Email)
	page.fails("log-in-wrong")
	page.visit("forgot", "/esqueci-senha")
	page.Type("#email", s.Email)
	page.Press("Enter")
	page.WaitVisible("main [role=status]")
	page.look("forgot-sent")
	page.visit("reset", "/redefinir-senha?token="+s.Link(t, models.MailResetPassword, s.Email))
	page.Type("#password", "curta")
	page.fails("reset-wrong")
	page.refused("reset-dead", "/redefinir-senha?token=x", 404)

	page.Goto(s.URL + "/cadastro")
	page.Type("#name", "Bruno Reis")
	page.Type("#business", "Café do Bruno")
	page.Type("#email", "bruno@example.com")
	page.Type("#password", "uma frase bem comprida")
	page.Click("#terms")
	page.Press("Enter")
	page.WaitTrue(`location.pathname == "/verificar-email"`)
	page.visit("unverified", "/verificar-email")
	page.visit("home-unverified", "/app")
	page.visit("verify", "/verificar-email?token="+s.Link(t, models.MailVerifyEmail, "bruno@example.com"))
	page.Click("main form button")
	page.WaitTrue(`location.pathname == "/app"`)
	page.look("home-verified")
	for _, way := range []struct{ name, steps string }{{"link", "6"}, {"api", "6"}, {"both", "10"}} {
		page.Click("button[value=" + way.name + "]")
		page.WaitTrue(`document.querySelectorAll("section[aria-labelledby=steps] li").length == ` + way.steps)
		page.look("home-way-" + way.name)
		page.Click("button[value=ask]")
		page.WaitTrue(`document.querySelector("button[value=link]") != null`)
	}
	page.refused("verify-dead", "/verificar-email?token=x", 404)
}

// walkNoSignUp sees what stands in place of the sign-up where it is not open.
func walkNoSignUp(t *testing.T, w *walk) {
	invited := webtest.NewWith(t, func(o *web.Options) { o.SignUp = page.SignUpByInvitation })
	w.open(t, invited, "/entrar").visits(map[string]string{"by-invitation": "/cadastro", "log-in": "/entrar"})
	closed := webtest.NewWith(t, func(o *web.Options) { o.SignUp = page.SignUpClosed })
	if _, err := closed.Merchants.Invite(t.Context(), closed.Owner,
		merchants.NewInvite{Email: "bia@example.com", Role: models.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	w.open(t, closed, "/entrar").visits(map[string]string{"closed": "/cadastro",
		"closed-invite": "/convite/" + closed.Link(t, models.MailInvite, "bia@example.com")})
}
