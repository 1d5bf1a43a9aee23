package web_test

import (
	"encoding/json"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkPreviews sees what staff see before each kind of decision, with every outcome that looks different, and the
// pages of amounts that are held back.
func walkPreviews(t *testing.T, w *walk) {
	s := webtest.New(t)
	pending := s.AskForAccess(t, "Padaria Sol", "padaria@example.com", "52998224725")
	by := s.AddStaff(t, "nina@example.com", models.StaffSupervisor)
	paths, _ := consolePaths(t, s, by, pending)
	account := "/ops/contas/" + s.Account.ID
	held := account + "/bloqueios/" + modelstest.One[string](t, s.DB, "SELECT id FROM blocked_amounts")
	if err := s.Merchants.SaveReason(t.Context(), by, models.ReasonBlock, "Disputa em análise no banco."); err != nil {
		t.Fatal(err)
	}
	eva, _ := s.Console(t, models.StaffSupervisor)
	page := w.openWith(t, s, "/ops", eva.Cookies()...)
	page.visits(map[string]string{"block": account + "/bloqueios", "held": held})
	page.Goto(s.URL + account + "/bloqueios")
	page.fails("block-wrong")

	dispute := "/ops/disputas/" + answered(t, s).ID
	const why = "O titular da chave não é o da empresa."
	for picture, at := range map[string]struct {
		path   string
		fields map[string]string
	}{
		"access-approve":      {paths["access-long"], map[string]string{"outcome": "APPROVED"}},
		"destination-approve": {paths["destination"], map[string]string{"outcome": "APPROVE"}},
		"destination-reject": {paths["destination"],
			map[string]string{"outcome": "REJECT", "reasonCode": "HOLDER_MISMATCH", "reason": why}},
		"withdrawal-approve": {paths["withdrawal"], map[string]string{"outcome": "APPROVE"}},
		"payout-complete":    {paths["payout"], map[string]string{"outcome": "COMPLETE", "proof": payoutProof}},
		"payout-fail": {paths["payout"],
			map[string]string{"outcome": "FAIL", "reasonCode": "OTHER", "reason": why}},
		"exception-accept":    {paths["exception"], map[string]string{"outcome": "ACCEPTED", "reason": why}},
		"exception-write-off": {paths["exception"], map[string]string{"outcome": "WRITTEN_OFF", "reason": why}},
		"dispute-sent":        {dispute, map[string]string{"outcome": "SENT"}},
		"dispute-close":       {dispute, map[string]string{"outcome": "CLOSE", "reason": why}},
		"name-approve":        {paths["name"], map[string]string{"outcome": "APPROVE"}},
		"name-reject":         {paths["name"], map[string]string{"outcome": "REJECT", "reason": why}},
		"refund":              {paths["checkout"], map[string]string{"amount": "100,00", "reason": why}},
		"revoke":              {account + "/encerrar", map[string]string{"reasonCode": "RISK", "reason": why}},
		"fee-form": {account + "/tarifa",
			map[string]string{"withdrawal": "OWN", "withdrawalPercent": "0,50", "reason": why}},
		"fee-reject": {paths["fee-proposal"], map[string]string{"outcome": "REJECT", "reason": why}},
		"limits":     {account + "/limites", map[string]string{"max": "1.234.567,89", "reason": why}},
		"block-live": {account + "/bloqueios",
			map[string]string{"outcome": "LIVE", "amount": "1.234,56", "reason": why}},
		"release": {held, map[string]string{"reason": why}},
	} {
		page.preview(picture, at.path, at.fields)
	}
}

// payoutProof is how a bank names a payment.
const payoutProof = "E12345678202603011230abcdefghijk"

// answered opens a dispute that the merchant answers.
func answered(t *testing.T, s *webtest.Site) *models.Dispute {
	t.Helper()
	d := s.Contested(t, "MED-1")
	d, err := s.AnswerDispute(t.Context(), s.Owner, s.Account.ID, d.ID,
		payments.DisputeAnswer{Text: "O vaso foi entregue em 3 de maio. " + paymentstest.Reason})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// preview fills in the form of a decision and looks at what it would do.
func (w *walker) preview(picture, path string, fields map[string]string) {
	w.t.Helper()
	w.Goto(w.site.URL + path)
	filled, err := json.Marshal(fields)
	if err != nil {
		w.t.Fatal(err)
	}
	missing := browsertest.Eval[string](w.Page, `Object.entries(`+string(filled)+`).filter(([name, value]) => {
		const fields = [...document.querySelectorAll("main form [name='" + name + "']")]
		const choice = fields.find((field) => field.type == "radio" && field.value == value)
		if (choice) choice.checked = true
		else if (fields[0] && fields[0].type != "radio") fields[0].value = value
		return fields.length == 0 || fields[0].type == "radio" && !choice
	}).join(" ")`)
	if missing != "" {
		w.t.Fatalf("%s: %s has no field for %s", picture, path, missing)
	}
	w.Click("main form:has([name=version]) button.btn-primary")
	w.WaitVisible("button[value=send]")
	w.look(picture)
}
