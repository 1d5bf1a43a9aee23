package web_test

import (
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkAccess asks for production access, and sees the page in every state.
func walkAccess(t *testing.T, w *walk) {
	s := webtest.New(t)
	by := s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	page := w.enter(t, s)
	page.visit("none", "/app/producao")
	page.visit("form", "/app/producao/pedido")
	page.fails("form-wrong")
	for i, fields := 0, webtest.AccessAnswers(""); i < len(fields)-2; i += 2 {
		browsertest.Eval[bool](page.Page, `(document.getElementById("`+fields[i]+`").value = "", true)`)
		page.Type("#"+fields[i], fields[i+1])
	}
	page.Click("main button[value=save]")
	page.WaitVisible("main ol h3 a")
	page.look("saved")
	page.visit("form-saved", "/app/producao/pedido")
	page.Click("main form button.btn-primary")
	page.WaitVisible("main button[value=send]")
	page.look("check")
	page.Click("main button[value=send]")
	page.WaitVisible("[commandfor=withdraw]")
	page.look("review")
	page.Click("[commandfor=withdraw]")
	page.WaitVisible("dialog#withdraw[open]")
	page.look("withdraw")
	s.DecideAccess(t, by, models.AccessRequestReturned)
	page.visit("returned", "/app/producao")
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
		merchants.SwitchTurn{Switch: models.SwitchWithdrawalsBlocked, On: true,
			Reason: "Ordem judicial 123/2026."}); err != nil {
		t.Fatal(err)
	}
	s.Approve(t)
	page.visit("approved", "/app/producao")
}
