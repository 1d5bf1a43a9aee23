package console_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// Who confirms a decision about a withdrawal has seen who asked, the whole destination, the balances before and
// after, the account and its other withdrawals.
func TestPreview_Withdrawal(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	earlier := s.Withdraw(t, 30_00)
	s.Clock.Advance(time.Second)
	w := s.Withdraw(t, 200_00)
	path := "/ops/saques/" + w.ID
	shown, _ := carryOut(t, c, path, "outcome", "REJECT", "reasonCode", "OTHER", "reason", paymentstest.Reason)
	shows(t, shown, "section[aria-labelledby=card-facts]", w.ID, "R$ 200,00", "12.ABC.345/01DE-35",
		"Ateliê Aurora Ltda", w.RequestedBy, paymentstest.Reason, "Disponível logo depoisR$ 770,00")
	shows(t, shown, "section[aria-labelledby=card-balances]", "DisponívelR$ 770,00 antes, R$ 970,00 depois",
		"ReservadoR$ 230,00 antes, R$ 30,00 depois")
	shows(t, shown, "section[aria-labelledby=card-account]", s.Account.ID, s.Account.Name)
	if shown.Find(`section[aria-labelledby=card-others] a[href="/ops/saques/`+earlier.ID+`"]`).Length() != 1 {
		t.Error("the preview does not lead to the account's other withdrawal")
	}
}

// Before money goes back to a buyer, staff see the charge, what went back before, and from which book it is taken.
func TestPreview_Refund(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c, _ := s.Console(t, models.StaffReviewer)
	paid := s.Fund(t, models.Live, 100_00)
	path := "/ops/cobrancas/" + paid.ID
	first, _ := carryOut(t, c, path, "amount", "30,00", "reason", "O produto veio quebrado.")
	shows(t, first, "section[aria-labelledby=card-facts]", "R$ 30,00", "Já devolvido antesR$ 0,00", paid.ID,
		"O produto veio quebrado.")
	shows(t, first, "section[aria-labelledby=card-balances]", "R$ 100,00 antes, R$ 70,00 depois")
	second, _ := carryOut(t, c, path, "amount", "20,00", "reason", "O produto veio quebrado.")
	shows(t, second, "section[aria-labelledby=card-facts]", "Já devolvido antesR$ 30,00",
		modelstest.One[string](t, s.DB, "SELECT id FROM refunds WHERE amount = 3000"))
	shows(t, second, "section[aria-labelledby=card-balances]", "R$ 70,00 antes, R$ 50,00 depois")
}

// A decision about money without a charge tells the fee, and what the account has before and after.
func TestPreview_Exception(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 100_00)
	c, _ := s.Console(t, models.StaffReviewer)
	before, _ := nobodys(t, s)
	carryOut(t, c, before, "outcome", "ASSIGN", "for", s.Account.ID, "reason", paymentstest.Reason)
	path, id := nobodys(t, s)
	shown, _ := carryOut(t, c, path, "outcome", "ASSIGN", "for", s.Account.ID, "reason", paymentstest.Reason)
	shows(t, shown, "section[aria-labelledby=card-facts]", id, "R$ 10,00", "Sem cobrança", paymentstest.Reason)
	shows(t, shown, "section[aria-labelledby=card-balances]", "R$ 110,00 antes, R$ 120,00 depois")
	shows(t, shown, "section[aria-labelledby=card-account]", s.Account.ID)
	if shown.Find(`section[aria-labelledby=card-others] a[href="`+before+`"]`).Length() != 1 {
		t.Error("the preview does not lead to the account's earlier exception")
	}
}

// Closing a dispute shows whose it is, the deadline, the answer, and what is free afterwards.
func TestPreview_Dispute(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.Fund(t, models.Live, 100_00)
	c, by := s.Console(t, models.StaffReviewer)
	d, err := s.OpenDispute(t.Context(), by, payments.NewDispute{BankRef: "MED-1", Cause: "Golpe", Amount: 60_00,
		PaymentID: modelstest.One[string](t, s.DB, "SELECT id FROM payments"), AnswerBy: s.Clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AnswerDispute(t.Context(), s.Owner, s.Account.ID, d.ID,
		payments.DisputeAnswer{Text: "Foi entregue."}); err != nil {
		t.Fatal(err)
	}
	shown, _ := carryOut(t, c, "/ops/disputas/"+d.ID, "outcome", "CLOSE", "reason", paymentstest.Reason)
	shows(t, shown, "section[aria-labelledby=card-facts]", "MED-1", "Golpe", "R$ 60,00", "Foi entregue.",
		d.PaymentID, paymentstest.Reason)
	shows(t, shown, "section[aria-labelledby=card-balances]", "DisponívelR$ 40,00 antes, R$ 100,00 depois",
		"R$ 60,00 antes, R$ 0,00 depois")
	shows(t, shown, "section[aria-labelledby=card-account]", s.Account.ID)
}

// Who blocks an amount sees the balance before and after, what else waits of the account, and what the merchant will
// read; who releases it, why it was blocked.
func TestPreview_Block(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	w := s.Withdraw(t, 30_00)
	path := "/ops/contas/" + s.Account.ID + "/bloqueios"
	form := []string{"outcome", "LIVE", "amount", "50,00", "reason", "Disputa 77 em análise."}
	shown, _ := carryOut(t, c, path, form...)
	shows(t, shown, "section[aria-labelledby=card-balances]", "DisponívelR$ 970,00 antes, R$ 920,00 depois",
		"BloqueadoR$ 0,00 antes, R$ 50,00 depois")
	shows(t, shown, "section[aria-labelledby=card-facts]", "R$ 50,00", "Produção", "Disputa 77 em análise.")
	shows(t, shown, "section[aria-labelledby=card-account]", s.Account.ID)
	shows(t, shown, "section[aria-labelledby=card-preview]", "R$ 50,00", "Disputa 77 em análise.")
	if shown.Find(`section[aria-labelledby=card-others] a[href="/ops/saques/`+w.ID+`"]`).Length() != 1 {
		t.Error("the preview does not lead to the account's withdrawal that waits")
	}
	first := path + "/" + modelstest.One[string](t, s.DB, "SELECT id FROM blocked_amounts")
	shown, _ = carryOut(t, c, path, form...)
	if shown.Find(`section[aria-labelledby=card-others] a[href="`+first+`"]`).Length() != 1 {
		t.Error("the preview does not lead to what is blocked already")
	}
	shown, _ = carryOut(t, c, first, "reason", "A disputa acabou.")
	shows(t, shown, "section[aria-labelledby=card-balances]", "DisponívelR$ 870,00 antes, R$ 920,00 depois",
		"BloqueadoR$ 100,00 antes, R$ 50,00 depois")
	shows(t, shown, "section[aria-labelledby=card-facts]", "R$ 50,00", "Disputa 77 em análise.", "A disputa acabou.")
	shows(t, shown, "section[aria-labelledby=card-history]", "Eva Reis")
	others := shown.Find(`section[aria-labelledby=card-others] a[href^="` + path + `"]`)
	if others.Length() != 1 || others.AttrOr("href", "") == first {
		t.Errorf("besides the amount itself %d are shown", others.Length())
	}
}

// Who turns a switch sees the account, and who turned the same switch before.
func TestPreview_Switch(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffReviewer)
	path := "/ops/contas/" + s.Account.ID + "/travas/"
	s.TurnSwitch(t, by, models.SwitchSuspended, true)
	shown := c.Get(path + "SUSPENDED")
	shows(t, shown, "section[aria-labelledby=card-account]", s.Account.ID, s.Account.Name)
	shows(t, shown, "section[aria-labelledby=card-history]", "Eva Reis")
	if c.Get(path+"LIVE_BLOCKED").Find("section[aria-labelledby=card-history]").Length() != 0 {
		t.Error("the history of another switch is shown")
	}
}
