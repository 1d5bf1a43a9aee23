package web_test

import (
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// walkTeam sees the team, invitations from both ends, and the account menu of a person
// with two accounts.
func walkTeam(t *testing.T, w *walk) {
	s := webtest.New(t)
	invite := func(email string, role models.Role) string {
		if _, err := s.Merchants.Invite(t.Context(), s.Owner,
			merchants.NewInvite{Email: email, Role: role}); err != nil {
			t.Fatal(err)
		}
		return "/convite/" + s.Link(t, models.MailInvite, email)
	}
	invite("late@example.com", models.RoleViewer)
	s.Clock.Advance(8 * 24 * time.Hour)

	beatriz := w.open(t, s, "/entrar")
	beatriz.visit("invite-new", invite("beatriz.souza.de.albuquerque@exemplo-de-empresa.com.br", models.RoleFinance))
	beatriz.Type("#name", "Beatriz Souza de Albuquerque")
	beatriz.Type("#password", "curta")
	beatriz.fails("invite-wrong")
	beatriz.Type("#password", "uma frase bem comprida")
	beatriz.Press("Enter")
	beatriz.WaitTrue(`location.pathname == "/app"`)
	beatriz.visit("team-finance", "/app/equipe")
	beatriz.visit("invite-others", invite(s.Email+".br", models.RoleAdmin))
	beatriz.refused("invite-dead", "/convite/x", 404)

	owner := w.enter(t, s)
	owner.visit("team", "/app/equipe")
	member := owner.Attr("main li:nth-child(2) a", "href")
	owner.visit("invite-form", "/app/equipe/convidar")
	owner.fails("invite-form-wrong")
	owner.visit("member", member)
	owner.Click("button[commandfor=hand-over]")
	owner.WaitVisible("dialog#hand-over[open]")
	owner.look("hand-over")
	walkAccounts(t, w, s, invite)
}

// walkAccounts sees how a person with an account of their own joins another.
func walkAccounts(t *testing.T, w *walk, s *webtest.Site, invite func(string, models.Role) string) {
	t.Helper()
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Bruno Reis", Business: "Café do Bruno", Email: "bruno@example.com", Password: paymentstest.Password,
		Verified: true,
	}, ""); err != nil {
		t.Fatal(err)
	}
	link := invite("bruno@example.com", models.RoleAdmin)
	bruno := w.open(t, s, link)
	bruno.visit("invite-known", link)
	bruno.Click("main a.btn-primary")
	bruno.logIn("bruno@example.com", link)
	bruno.look("invite-mine")
	bruno.Click("form[action$='/aceitar'] button")
	bruno.WaitTrue(`location.pathname == "/app"`)
	bruno.Click("button[commandfor=drawer]")
	bruno.WaitVisible("dialog#drawer[open]")
	bruno.look("drawer")
	bruno.Press("Escape")
	bruno.Click("button[popovertarget=account-top]")
	bruno.WaitVisible("#account-top a[href='/app/contas']")
	bruno.look("account-menu")
	bruno.visit("accounts", "/app/contas")
	bruno.Click("button[name=account]")
	bruno.WaitTrue(`location.pathname == "/app"`)
}
