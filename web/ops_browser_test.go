package web_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A member of staff logs in, sets up a code generator, approves a request from the
// queue after seeing what the merchant will read; and the merchant reads it.
func TestOps_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	s.Clock.Advance(time.Second)
	s.AskForAccess(t, "Bistrô Sol", "sol@example.com", "11222333000181")

	staff := browsertest.Open(t, s.URL+"/entrar?next=/ops", browsertest.Options{Viewport: browsertest.Desktop})
	enterConsole(t, s, staff, "eva@example.com")
	staff.Click("Ateliê Aurora")
	staff.WaitText("h1", "Aurora Cerâmica Ltda")
	staff.Press("r")
	staff.WaitTrue(`document.activeElement.matches("input[value=REJECTED]:checked")`)
	staff.Click("Teclas A, R e N")
	staff.Press("a")
	if staff.True(`document.querySelector("input[value=APPROVED]").checked`) {
		t.Error("a letter chooses although the keys are off")
	}
	staff.Click("Teclas A, R e N")
	staff.Press("a")
	staff.Axe()
	staff.Keep("ops-case-keys-desktop")
	staff.Click("main form button.btn-primary")
	staff.WaitVisible("Seu acesso à produção foi aprovado")
	staff.Click("button[value=send]")
	staff.WaitVisible("Acesso à produção aprovado. O dono da conta foi avisado.")
	staff.Axe()
	staff.Press("n") // the next that waits
	staff.WaitText("h1", "Bistrô Sol")

	merchant := browsertest.Open(t, s.URL+"/entrar?next=/app/producao", browsertest.Options{})
	merchant.Type("#email", s.Email)
	merchant.Type("#password", paymentstest.Password)
	merchant.Press("Enter")
	merchant.WaitVisible("Seu acesso à produção foi aprovado")
	merchant.Click("Ir para as chaves de produção")
	merchant.WaitText("h1", "Chaves de API")
	if live := browsertest.Eval[string](merchant,
		`document.querySelector("button[name=env][value=live]").getAttribute("aria-pressed")`); live != "true" {
		t.Error("the merchant does not look at live")
	}
}
