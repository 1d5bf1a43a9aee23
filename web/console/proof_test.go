package console_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// Decisions about money, and about who may move it, take a proof of identity of the last ten minutes. The form
// goes on with all that was typed.
func TestDecide_Proof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.AddStaff(t, "rita@staff.example", models.StaffSupervisor)
	c := s.Client(t)
	c.Post("/entrar", "email", "rita@staff.example", "password", paymentstest.Password)
	secret, _ := s.Enroll(t, c, c.Get("/ops").Header.Get("Location"))
	request := s.AskForAccess(t, "Padaria", "bia@example.com", "529.982.247-25")
	path := "/ops/acessos/" + request.ID
	version := c.Get(path).Find("main input[name=version]").AttrOr("value", "")
	s.Clock.Advance(11 * time.Minute)

	account := "/ops/contas/" + s.Account.ID
	form := []string{"version", version, "outcome", "APPROVED", "reason", paymentstest.Reason}
	for _, path := range []string{path, "/ops/destinos/dst_0", "/ops/saques/wdr_0", "/ops/excecoes/pay_0",
		"/ops/cobrancas/chk_0", account + "/encerrar", "/ops/tarifas/fpr_0", "/ops/nomes/npr_0", account + "/tarifa",
		account + "/limites", account + "/travas/SUSPENDED", account + "/bloqueios", account + "/bloqueios/blk_0",
		"/ops/disputas/dsp_0", "/ops/operadores/usr_0", "/ops/operadores/usr_0/sessoes"} {
		a := c.Post(path, form...)
		if a.Status != http.StatusOK || a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
			a.Find("input[name=reason]").AttrOr("value", "") != paymentstest.Reason ||
			a.Find("input[name=version]").AttrOr("value", "") != version {
			t.Errorf("%s asks for no proof, or loses what was typed: %d", path, a.Status)
		}
	}
	asked := c.Post(path, form...)
	hidden := webtest.HiddenFields(asked)
	if a := c.Post(path, append(hidden, webtest.ProofField, "000000")...); a.Find("input[name=reason]").AttrOr("value",
		"") != paymentstest.Reason || a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong code: %d", a.Status)
	}
	shown := c.Post(path, append(hidden, webtest.ProofField, s.Code(secret))...)
	if shown.Status != http.StatusOK || shown.Find("button[value=send]").Length() != 1 {
		t.Fatalf("with the proof: %d %s", shown.Status, shown.Find("main").Text())
	}
	c.Post(path, append(webtest.HiddenFields(shown), "do", "send")...)
	status := modelstest.One[string](t, s.DB, "SELECT status FROM access_requests WHERE id = $1", request.ID)
	if status != "APPROVED" {
		t.Errorf("the request is %s", status)
	}
}
