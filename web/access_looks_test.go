package web_test

import (
	"testing"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// The pages of production access, in every state, for every eye.
func TestAccess_BrowserLooks(t *testing.T) {
	t.Parallel()
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t) // each changes the state
			by := s.reviewer(t, "eva@example.com", models.StaffReviewer)
			page := browsertest.Open(t, s.url+"/entrar?next=/app/producao", look)
			page.AllowConsole("422")
			page.Type("#email", s.Email)
			page.Type("#password", paymentstest.Password)
			page.Press("Enter")
			page.WaitTrue(`location.pathname == "/app/producao"`)
			see(page, "access-none-"+name)
			page.Goto(s.url + "/app/producao/pedido")
			page.Click("main form button.btn-primary")
			page.WaitFocused("#errors")
			see(page, "access-wrong-"+name)
			for i, fields := 0, accessAnswers(""); i < len(fields)-2; i += 2 {
				browsertest.Eval[bool](page, `(document.getElementById("`+fields[i]+`").value = "", true)`)
				page.Type("#"+fields[i], fields[i+1])
			}
			page.Click("main form button.btn-primary")
			page.WaitVisible("main button[value=send]")
			see(page, "access-check-"+name)
			page.Click("main button[value=send]")
			page.WaitVisible("[commandfor=withdraw]")
			see(page, "access-review-"+name)
			s.decide(t, by, models.AccessRequestReturned)
			page.Goto(s.url + "/app/producao")
			see(page, "access-returned-"+name)
			if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, models.SwitchWithdrawalsBlocked, true, "Ordem judicial 123/2026."); err != nil {
				t.Fatal(err)
			}
			s.Approve(t)
			page.Goto(s.url + "/app/producao")
			see(page, "access-approved-"+name)
		})
	}
}
