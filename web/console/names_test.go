package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// A new name of an approved account is on the merchant's page and in the console's queue until staff decide, and
// buyers read the former one.
func TestOps_Name(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	staff, _ := s.Console(t, models.StaffReviewer)
	member := s.Member(t)
	modelstest.Exec(t, s.DB, "UPDATE accounts SET production_access = 'APPROVED'")
	charge := s.Checkout(t, payments.NewCheckout{})
	buyersRead := func(want string) {
		t.Helper()
		if got := member.Get("/pay/" + charge.ID).Find("header").Text(); !strings.Contains(got, want) {
			t.Errorf("buyers read %q, want %q", got, want)
		}
	}
	ask := func(name string) (path string) {
		t.Helper()
		if a := member.Post(webtest.CompanyPage, "business", name); a.Status != http.StatusSeeOther {
			t.Fatalf("asking: %d", a.Status)
		}
		shows(t, member.Get(webtest.CompanyPage), "body", "O novo nome foi enviado para análise.",
			"Novo nome em análise: "+name, "Um novo nome passa por uma análise antes.")
		return "/ops/nomes/" + modelstest.One[string](t, s.DB,
			"SELECT id FROM name_proposals WHERE status = 'PENDING'")
	}
	path := ask("Ateliê Lua")
	buyersRead("Ateliê Aurora")
	for _, list := range []string{"/ops", "/ops/nomes"} {
		if staff.Get(list).Find(`main a[href="`+path+`"]`).Length() != 1 {
			t.Errorf("%s does not list the name", list)
		}
	}
	shows(t, staff.Get("/ops"), "nav a[href='/ops/nomes']", "Nomes de lojas", "1")
	shows(t, staff.Get(path), "main", "Ateliê Aurora", "Ateliê Lua", "Solicitado por Ana")
	if a := staff.Post(path, "version", "1", "outcome", "REJECT"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("refused without a reason: %d", a.Status)
	}
	if a := staff.Post(path, "version", "1", "outcome", "ACCEPT"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("no such outcome: %d", a.Status)
	}
	shown, done := carryOut(t, staff, path, "outcome", "REJECT", "reason", paymentstest.Reason)
	shows(t, shown, "main", "Quem paga continua lendo Ateliê Aurora", "Nome recusado: Ateliê Lua",
		"O novo nome da sua loja foi recusado: Ateliê Aurora")
	if done.Header.Get("Location") != path {
		t.Fatalf("refusing: %d", done.Status)
	}
	buyersRead("Ateliê Aurora")
	shows(t, member.Get(webtest.CompanyPage), "main", "Nome recusado: Ateliê Lua", paymentstest.Reason)

	s.Clock.Advance(time.Second)
	ask("Ateliê Mar")
	form := member.Get(webtest.CompanyPage).Find("input[name=proposal]").AttrOr("value", "")
	withdraw := webtest.CompanyPage + "/retirar"
	member.Post(withdraw, "proposal", form)
	shows(t, member.Get(webtest.CompanyPage), "body", "Solicitação retirada.")
	member.Post(withdraw, "proposal", form)
	shows(t, member.Get(webtest.CompanyPage), "body", "Essa solicitação já foi decidida ou retirada.")

	s.Clock.Advance(time.Second)
	path = ask("Ateliê Sol")
	shown, _ = carryOut(t, staff, path, "outcome", "APPROVE")
	shows(t, shown, "main", "Quem paga lê Ateliê Sol", "O nome da sua loja mudou: Ateliê Sol")
	buyersRead("Ateliê Sol")
	if a := staff.Post(path, "version", "1", "outcome", "APPROVE", "do", "send"); a.Status != http.StatusConflict {
		t.Errorf("decided twice: %d", a.Status)
	}
	shows(t, staff.Get("/ops/nomes?tab=decided"), "main", "Ateliê Sol", "Ateliê Mar", "Ateliê Lua", "Aprovado",
		"Recusado", "Retirado")
}

// Who decides about a name proves who they are, as for access.
func TestOps_NameProof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	staff, _ := s.Console(t, models.StaffReviewer)
	path := "/ops/nomes/" + s.NewName(t)
	s.Clock.Advance(11 * time.Minute)
	if a := staff.Post(path, "version", "1", "outcome", "APPROVE", "do", "send"); a.Find("input[name="+
		webtest.ProofField+"]").Length() != 1 {
		t.Errorf("no proof is asked for: %d", a.Status)
	}
	if modelstest.One[string](t, s.DB, "SELECT status FROM name_proposals") != "PENDING" {
		t.Error("decided without the proof")
	}
}
