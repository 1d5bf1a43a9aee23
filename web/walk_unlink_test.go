package web_test

import (
	"testing"

	"garoupa/internal/auth/oidc"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// walkUnlink sees how the owner unlinks a member from the company's provider, and a supervisor a person of the staff.
func walkUnlink(t *testing.T, w *walk) {
	s, _ := webtest.NewWithSSO(t)
	s.AddStaff(t, "eva@example.com", models.StaffSupervisor)
	reviewer := s.AddStaff(t, "rui@example.com", models.StaffReviewer)
	member := s.Merchant(t, "bia@example.com").Owner.UserID
	modelstest.Exec(t, s.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'FINANCE')",
		s.Account.ID, member)
	for _, email := range []string{"bia@example.com", "rui@example.com"} {
		modelstest.Exec(t, s.DB, "UPDATE users SET email_verified_at = now() WHERE email = $1", email)
		if _, err := s.Merchants.LogInWithIdentity(t.Context(), oidc.Identity{Issuer: "https://id.example",
			Subject: email, Email: email}, merchants.Browser{IP: "203.0.113.7"}); err != nil {
			t.Fatal(err)
		}
	}

	owner := w.enter(t, s)
	owner.visit("member", "/app/equipe/"+member)
	owner.Click("button[commandfor=unlink]")
	owner.WaitVisible("dialog#unlink[open]")
	owner.look("asked")
	owner.Click("form[action$='/desligar'] button:not([type=button])")
	owner.WaitTrue(`!document.querySelector("form[action$='/desligar']")`)
	owner.look("unlinked")

	supervisor := w.open(t, s, "/entrar?next=/ops")
	enterConsole(t, s, supervisor.Page, "eva@example.com")
	form := "form[action='/ops/operadores/" + reviewer.UserID + "/desligar']"
	supervisor.Goto(s.URL + "/ops/operadores")
	supervisor.Click("details:has(" + form + ") summary")
	supervisor.WaitVisible(form)
	supervisor.look("staff")
	supervisor.Click(form + " button")
	supervisor.WaitTrue(`!document.querySelector("` + form + `")`)
	supervisor.look("staff-unlinked")
}
