package main

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// contest makes the payer of a checkout contest it, and returns the dispute once the program knows it.
func (h *house) contest(c liveCheckout) *models.Dispute {
	h.t.Helper()
	e2e := modelstest.One[string](h.t, h.db.DB, "SELECT end_to_end_id FROM payments WHERE checkout_id = $1", c.ID)
	answer, err := h.control.Dispute(h.t.Context(), control.DisputeRequest{EndToEndID: e2e})
	if err != nil {
		h.t.Fatal(err)
	}
	const known = "SELECT count(*) FROM disputes WHERE bank_ref = $1"
	h.readsDisputes("the dispute is known", func() bool {
		return modelstest.One[int](h.t, h.db.DB, known, answer.ID) == 1
	})
	return h.dispute(modelstest.One[string](h.t, h.db.DB, "SELECT id FROM disputes WHERE bank_ref = $1", answer.ID))
}

// readsDisputes waits until holds returns true, while the program reads the bank's disputes.
func (h *house) readsDisputes(what string, holds func() bool) {
	h.t.Helper()
	h.hurriedUntil(what, func() bool {
		modelstest.Exec(h.t, h.db.DB, "UPDATE bank_sweeps SET disputes_read_at = NULL")
		return holds()
	})
}

func (h *house) dispute(id string) *models.Dispute {
	h.t.Helper()
	d, _, err := h.payments.AnyDispute(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// balance returns what the merchant has.
func (h *house) balance() models.Balance {
	h.t.Helper()
	b, err := ledger.BalanceOf(h.t.Context(), h.db.Pool, h.account.ID, models.Live)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// A refund is asked for while a dispute is open: the merchant reads why there is none. It is possible again
// after the bank has rejected the dispute.
func TestBank_F30_RefundDisputed(t *testing.T) {
	t.Parallel()
	h := newHouseAt(t, "efi")
	h.mayRefund()
	c := h.charge("pedido-1")
	h.paid(c)
	d := h.contest(c)
	status, answer := h.post("/v1/refunds", `{"checkoutId":"`+c.ID+`","amount":100}`, "devolucao-1")
	if status != http.StatusUnprocessableEntity || !strings.Contains(answer, "refund_not_possible") ||
		!strings.Contains(answer, "contests") {
		t.Errorf("the refund is %d %s", status, answer)
	}
	if got := h.state(); got.Returned != 0 {
		t.Errorf("the bank returned %d", got.Returned)
	}
	closed := control.CloseRequest{ID: d.BankRef, Outcome: "REJECTED"}
	if _, err := h.control.CloseDispute(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	h.readsDisputes("the dispute is won", func() bool { return h.dispute(d.ID).Status == models.DisputeWon })
	if status, r := h.refund(c.ID, 100, "devolucao-2"); status != http.StatusCreated {
		t.Errorf("the refund is %d %+v", status, r)
	}
	h.ended(c.ID, 100, "devolucao-2")
	h.sound()
}

// A status of a dispute that is not known is nothing final, and staff see the word.
func TestBank_F27_UnknownDispute(t *testing.T) {
	t.Parallel()
	h := newHouseAt(t, "efi")
	c := h.charge("pedido-1")
	h.paid(c)
	d := h.contest(c)
	h.fault(control.Fault{Name: "foreign-status", On: "infracoes"})
	h.readsDisputes("the word is known", func() bool { return h.dispute(d.ID).BankStatus != "" })
	word := h.dispute(d.ID).BankStatus
	h.opsSees(h.opsHealth(), "Problema", "uma situação que não conhecemos", d.BankRef+" · "+word)
	h.opsSees("/ops/disputas/"+d.ID, "O banco diz “"+word+"”")
	h.heal()
	h.readsDisputes("a known word", func() bool { return h.dispute(d.ID).BankStatus == "" })
	if got := h.opsReads("/ops/saude", "health-"+h.accountID); strings.Contains(got, d.BankRef) {
		t.Errorf("afterwards health says %s", got)
	}
	h.sound()
}

// A dispute blocks more than there is, and the bank takes it: the merchant is below zero, and the buyer has
// the money. The program dies between the answer and the bank, and sends it once.
func TestBank_F31_MED(t *testing.T) {
	t.Parallel()
	h := newHouseAt(t, "efi")
	c := h.charge("pedido-1")
	h.paid(c)
	before := h.balance()
	d := h.contest(c)
	paid := before.Pending + before.Fee
	if b := h.balance(); b.Blocked != paid || b.Available != -paid || b.Pending != before.Pending {
		t.Errorf("the balance is %+v", b)
	}
	if d.Blocked != paid || d.Short != paid || !d.AnswerBy.After(d.OpenedAt) {
		t.Errorf("the dispute is %+v", d)
	}
	h.opsSees("/ops/disputas", d.BankRef, d.EndToEndID, "Aguarda resposta")
	h.kill(h.process)
	if _, err := h.payments.AnswerDispute(t.Context(), h.owner, h.account.ID, d.ID,
		payments.DisputeAnswer{Text: "Foi entregue."}); err != nil {
		t.Fatal(err)
	}
	h.fault(control.Fault{Name: "drop-answer", On: "defesa", Times: 1})
	h.process = h.serve()
	h.until("the answer has left", func() bool { return h.dispute(d.ID).SendingAt != nil })
	h.readsDisputes("the answer is at the bank", func() bool { return h.dispute(d.ID).DefenseSentAt != nil })
	closed := control.CloseRequest{ID: d.BankRef, Outcome: "RETURNED"}
	if _, err := h.control.CloseDispute(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	h.readsDisputes("the dispute is lost", func() bool { return h.dispute(d.ID).Status == models.DisputeLost })
	h.holds(before.Pending, -paid, money.Cents(paid))
	if b := h.balance(); b.Blocked != 0 {
		t.Errorf("the balance is %+v", b)
	}
	if got := h.state(); got.Returned != int64(paid) || got.Blocked != 0 {
		t.Errorf("the bank has %+v", got)
	}
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutPaid, models.EventCheckoutRefunded)
	h.sound()
}
