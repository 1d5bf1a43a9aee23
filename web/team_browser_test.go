package web_test

import (
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// The team, an invitation from both ends, and the account menu of somebody with two
// accounts.
func TestTeam_Browser(t *testing.T) {
	t.Parallel()
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			invite := func(email string, role models.Role) string {
				if _, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: email, Role: role}); err != nil {
					t.Fatal(err)
				}
				return s.url + "/convite/" + s.Link(t, models.MailInvite, email)
			}
			invite("late@example.com", models.RoleViewer)
			s.Clock.Advance(8 * 24 * time.Hour)
			link := invite("beatriz.souza.de.albuquerque@exemplo-de-empresa.com.br", models.RoleFinance)

			page := browsertest.Open(t, link, look)
			page.AllowConsole("422")
			see(page, "invite-"+name)
			page.Type("#name", "Beatriz Souza de Albuquerque")
			page.Type("#password", "curta")
			page.Press("Enter")
			page.WaitFocused("#errors")
			page.Type("#password", "uma frase bem comprida")
			page.Press("Enter")
			page.WaitTrue(`location.pathname == "/app"`)
			page.Goto(s.url + "/app/equipe")
			see(page, "team-finance-"+name)
			page.Goto(invite(s.Email+".br", models.RoleAdmin))
			see(page, "invite-others-"+name)

			owner := logIn(t, s, look)
			owner.AllowConsole("422")
			owner.Goto(s.url + "/app/equipe")
			see(owner, "team-"+name)
			owner.Click("main a[href='/app/equipe/convidar']")
			owner.WaitVisible("#role")
			owner.Type("#email", "x")
			owner.Press("Enter")
			owner.WaitFocused("#errors")
			see(owner, "team-invite-"+name)
			owner.Goto(s.url + "/app/equipe")
			owner.Click("main li:nth-child(2) a")
			owner.WaitVisible("#role")
			see(owner, "team-member-"+name)
			owner.Click("button[commandfor=hand-over]")
			owner.WaitVisible("dialog#hand-over[open]")
			see(owner, "team-hand-over-"+name)
		})
	}
}

// Somebody of two accounts goes from one to the other.
func TestAccounts_Browser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Bruno Reis", Business: "Café do Bruno", Email: "bruno@example.com", Password: paymentstest.Password, Verified: true,
	}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: "bruno@example.com", Role: models.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
	link := "/convite/" + s.Link(t, models.MailInvite, "bruno@example.com")
	page := browsertest.Open(t, s.url+link, browsertest.Options{})
	see(page, "invite-known-phone")
	page.Click("main a.btn-primary")
	page.Type("#email", "bruno@example.com")
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	page.WaitVisible("form[action$='/aceitar']")
	see(page, "invite-mine-phone")
	page.Click("form[action$='/aceitar'] button")
	page.WaitTrue(`location.pathname == "/app"`)
	page.Click("button[popovertarget=account-top]")
	page.WaitVisible("#account-top a[href='/app/contas']")
	see(page, "account-menu-phone")
	page.Click("#account-top a[href='/app/contas']")
	page.WaitVisible("button[name=account]")
	see(page, "accounts-phone")
	page.Click("button[name=account]")
	page.WaitTrue(`location.pathname == "/app"`)
}
