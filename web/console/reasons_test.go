package console_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// A supervisor saves, rewords and retires reasons by the page, and sees what is wrong without losing the text.
func TestOps_Reasons(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	const list = "/ops/motivos?kind=withdrawal"
	if a := c.Post("/ops/motivos", "kind", "withdrawal", "text", "Curto."); a.Status != 422 ||
		a.Find("#text-error").Length() != 1 || a.Find("#text").Text() != "Curto." {
		t.Errorf("a short text: %d %s", a.Status, a.Find("main").Text())
	}
	if a := c.Post("/ops/motivos", "kind", "nada", "text",
		"A chave não é da empresa."); a.Status != http.StatusNotFound {
		t.Errorf("no such kind: %d", a.Status)
	}
	if a := c.Post("/ops/motivos", "kind", "withdrawal", "text",
		"A chave não é da empresa."); a.Header.Get("Location") != list {
		t.Fatalf("saving: %d %s", a.Status, a.Find("#errors").Text())
	}
	shows(t, c.Get(list), "body", "Motivo salvo.", "A chave não é da empresa.")
	if a := c.Post("/ops/motivos", "kind", "withdrawal", "text", "A chave não é da empresa."); a.Status != 422 ||
		!strings.Contains(a.Find("#errors").Text(), "já está salvo") {
		t.Errorf("the same again: %d %s", a.Status, a.Find("#errors").Text())
	}
	id := modelstest.One[string](t, s.DB, "SELECT id FROM decision_reasons")
	edit := []string{"kind", "withdrawal", "version", "1", "text-" + id, "A chave Pix é de outra empresa."}
	if a := c.Post("/ops/motivos/"+id, edit...); a.Header.Get("Location") != list {
		t.Fatalf("rewording: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := c.Post("/ops/motivos/"+id, edit...); a.Status != http.StatusConflict {
		t.Errorf("rewording from before: %d", a.Status)
	}
	if a := c.Post("/ops/motivos/"+id, "kind", "withdrawal", "version", "2", "text-"+id, "Curto."); a.Status != 422 ||
		a.Find("#text-"+id+"-error").Length() != 1 {
		t.Errorf("rewording wrongly: %d", a.Status)
	}
	if a := c.Post("/ops/motivos/"+id+"/retirar", "kind", "withdrawal", "version",
		"2"); a.Header.Get("Location") != list {
		t.Errorf("retiring: %d", a.Status)
	}
	shows(t, c.Get(list), "main", "Nenhum motivo salvo")
	shows(t, c.Get("/ops/auditoria?subject=reason"), "main", "Motivo salvo aposentado", "Saques",
		"A chave Pix é de outra empresa.")
	reviewer, _ := s.Console(t, models.StaffReviewer)
	if a := reviewer.Get(list); a.Status != http.StatusForbidden {
		t.Errorf("a reviewer: %d", a.Status)
	}
}

// A reviewer picks a saved reason or writes one, and what is written counts first. The decision keeps its own copy. A
// retired reason can no longer be picked.
func TestOps_ReasonPicked(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	_, by := s.Console(t, models.StaffSupervisor)
	save := func(kind models.ReasonKind, text string) string {
		t.Helper()
		if err := s.Merchants.SaveReason(t.Context(), by, kind, text); err != nil {
			t.Fatal(err)
		}
		return modelstest.One[string](t, s.DB, "SELECT id FROM decision_reasons WHERE text = $1", text)
	}
	const text, own = "A chave Pix é de outra empresa.", "Fale com o suporte antes."
	id := save(models.ReasonWithdrawal, text)
	save(models.ReasonAccess, "Faltou o contrato social.")
	reason := func(withdrawal string) string {
		return modelstest.One[string](t, s.DB, "SELECT reason FROM withdrawals WHERE id = $1", withdrawal)
	}
	w := s.Withdraw(t, 20_00).ID
	path := "/ops/saques/" + w
	saved := c.Get(path).Find("input[name=saved]")
	if saved.Length() != 1 || saved.AttrOr("value", "") != id || saved.AttrOr("data-text", "") != text {
		t.Errorf("%d reasons are offered", saved.Length())
	}
	form := []string{"outcome", "REJECT", "reasonCode", "OTHER", "saved", id}
	if a := c.Post(path, "version", "1", "outcome", "REJECT", "saved", id); a.Status != 422 ||
		a.Find("input[name=saved][checked]").Length() != 1 {
		t.Errorf("a wrong form forgets the reason: %d", a.Status)
	}
	shown, done := carryOut(t, c, path, form...)
	shows(t, shown, "main", text)
	if done.Header.Get("Location") != path || reason(w) != text {
		t.Errorf("the decision: %d, %q", done.Status, reason(w))
	}
	other := s.Withdraw(t, 20_00).ID
	carryOut(t, c, "/ops/saques/"+other, append(form, "reason", own)...)
	if reason(other) != own {
		t.Errorf("what was written does not count: %q", reason(other))
	}
	if err := s.Merchants.EditReason(t.Context(), by, id, 1, "O titular da chave é outro."); err != nil {
		t.Fatal(err)
	}
	if reason(w) != text {
		t.Errorf("the decision changed with the saved reason: %q", reason(w))
	}
	if err := s.Merchants.RetireReason(t.Context(), by, id, 2); err != nil {
		t.Fatal(err)
	}
	last := "/ops/saques/" + s.Withdraw(t, 20_00).ID
	if a := c.Post(last, append(form, "version", "1")...); a.Status != 422 || a.Find("#reason-error").Length() != 1 {
		t.Errorf("a retired reason: %d", a.Status)
	}
}

// Each decision that asks for a reason offers those of its kind.
func TestOps_ReasonsOfKinds(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c, by := s.Console(t, models.StaffSupervisor)
	for _, kind := range models.ReasonKinds {
		if err := s.Merchants.SaveReason(t.Context(), by, kind, "Um motivo de "+string(kind)+"."); err != nil {
			t.Fatal(err)
		}
	}
	paid := s.Fund(t, models.Live, 100_00)
	nobodys, _ := nobodys(t, s)
	_, reviewer := s.Console(t, models.StaffReviewer)
	fee, err := s.Merchants.ProposeFee(t.Context(), reviewer, s.Account.ID, merchants.NewFeeProposal{
		Reason: webtest.TermsReason})
	if err != nil {
		t.Fatal(err)
	}
	account, other := "/ops/contas/"+s.Account.ID, s.AskForAccess(t, "Padaria", "bia@example.com", "529.982.247-25")
	for kind, path := range map[models.ReasonKind]string{
		models.ReasonRefund: "/ops/cobrancas/" + paid.ID, models.ReasonException: nobodys,
		models.ReasonName: "/ops/nomes/" + s.NewName(t), models.ReasonFee: "/ops/tarifas/" + fee,
		models.ReasonAccess: account + "/encerrar", models.ReasonSwitch: account + "/travas/SUSPENDED",
		models.ReasonLimits: account + "/limites", models.ReasonBlock: account + "/bloqueios",
		models.ReasonProposal: "/ops/contas/" + other.AccountID + "/tarifa",
	} {
		offered := c.Get(path).Find("input[name=saved]")
		if offered.Length() != 1 || offered.AttrOr("data-text", "") != "Um motivo de "+string(kind)+"." {
			t.Errorf("%s offers %d: %q", path, offered.Length(), offered.AttrOr("data-text", ""))
		}
	}
}

// The forms about an account take a saved reason if none is written, as those of decisions do.
func TestOps_ReasonPickedForAccount(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffSupervisor)
	ids := map[models.ReasonKind]string{}
	for _, kind := range []models.ReasonKind{models.ReasonSwitch, models.ReasonLimits, models.ReasonProposal} {
		if err := s.Merchants.SaveReason(t.Context(), by, kind, "Um motivo de "+string(kind)+"."); err != nil {
			t.Fatal(err)
		}
		ids[kind] = modelstest.One[string](t, s.DB, "SELECT id FROM decision_reasons WHERE kind = $1", kind)
	}
	path := "/ops/contas/" + s.Account.ID
	turn := []string{"turn", "on", "version", "0", "saved", ids[models.ReasonSwitch]}
	if a := c.Post(path+"/travas/SUSPENDED", append(turn, "confirm", "x")...); a.Status != 422 ||
		a.Find("input[name=saved][checked]").Length() != 1 {
		t.Errorf("a wrong form forgets the reason: %d", a.Status)
	}
	c.Post(path+"/travas/SUSPENDED", append(turn, "confirm", s.Account.ID[len(s.Account.ID)-4:])...)
	carryOut(t, c, path+"/limites", "max", "10,00", "saved", ids[models.ReasonLimits])
	carryOut(t, c, path+"/tarifa", "outcome", "DEFAULT", "withdrawal", "OWN", "withdrawalPercent", "1,00",
		"withdrawalFixed", "0", "saved", ids[models.ReasonProposal])
	for kind, query := range map[models.ReasonKind]string{
		models.ReasonSwitch:   "SELECT reason FROM switch_changes",
		models.ReasonLimits:   "SELECT reason FROM account_limits",
		models.ReasonProposal: "SELECT reason FROM fee_proposals",
	} {
		if got := modelstest.One[string](t, s.DB, query); got != "Um motivo de "+string(kind)+"." {
			t.Errorf("the reason of %s is %q", kind, got)
		}
	}
}
