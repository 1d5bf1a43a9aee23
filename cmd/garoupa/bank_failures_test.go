package main

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// The bank's answer is lost once: the charge is read back.
func TestBank_F01_AnswerLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "drop-answer", On: "/cob/", Times: 1})
	c := h.charge("pedido-1")
	h.shows(c, "Aguardando o pagamento", true)
	h.paid(c)
	if got := h.state(); got.Charges != 1 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.chargeIs(c.ID, models.BankChargePaid, "")
	h.opsSees(h.opsBank("card-calls"), "Criar cobrança", "1 falhou: resposta perdida")
	h.sound()
}

// All answers are lost: the merchant is refused, and the same key goes on with the same checkout.
func TestBank_F02_LostThrice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "drop-answer", On: "/cob/"})
	h.refused("pedido-1")
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges")
	h.chargeIs(id, models.BankChargeCreating, "ambiguous")
	h.opsSees(h.opsHealth(), "Precisa de atenção", "chamadas sem resposta na última hora")
	h.heal()
	c := h.charge("pedido-1")
	if status, again := h.post("/v1/checkouts", order(1800), "pedido-1"); c.ID != id || status != http.StatusOK ||
		!strings.Contains(again, id) {
		t.Errorf("the checkout is %s, want %s; again it is %d %s", c.ID, id, status, again)
	}
	h.paid(c)
	if got := h.state(); got.Charges != 1 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.sound()
}

// Without a connection the merchant is refused, at once when the breaker is open, and nothing is charged.
// Once the bank is back it is charged again.
func TestBank_F03_NoConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	open := h.charge("before")
	h.bank.kill()
	for range 4 { // three tries each; five failures in a row open the breaker
		if said := h.refused("pedido-1"); !strings.Contains(said, "cannot be reached") {
			t.Errorf("it says %s", said)
		}
	}
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges WHERE status = 'CREATING'")
	h.chargeIs(id, models.BankChargeCreating, "has not answered for some time")
	h.opsSees(h.opsBank("card-watch"), "O banco não responde desde", "Chamadas suspensas desde")
	h.bank.start()
	h.until("the bank is asked again", func() bool {
		status, _ := h.post("/v1/checkouts", order(1800), "pedido-1")
		return status == http.StatusCreated
	})
	h.told(id, models.EventCheckoutCreated)
	h.paid(open)
	h.sound()
}

// The bank says that the charge exists already, and it is ours.
func TestBank_F04_OurConflict(t *testing.T) {
	t.Parallel()
	h := newHouseAt(t, "efi") // it refuses a second PUT of a charge
	h.fault(control.Fault{Name: "drop-answer", On: "/cob/"})
	h.refused("pedido-1")
	h.heal()
	c := h.charge("pedido-1")
	h.paid(c)
	if got := h.state(); got.Charges != 1 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.sound()
}

// Another charge stands under our id: it is never touched.
func TestBank_F05_OtherConflict(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "other-charge", Times: 1})
	if said := h.refused("pedido-1"); !strings.Contains(said, "refused") {
		t.Errorf("it says %s", said)
	}
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges")
	h.chargeIs(id, models.BankChargeConflict, "conflict")
	h.refused("pedido-1")
	h.looksAtBank()
	h.chargeIs(id, models.BankChargeConflict, "conflict")
	if got := h.state(); got.Charges != 1 || got.Removed != 0 {
		t.Errorf("the bank has %d charges, %d removed", got.Charges, got.Removed)
	}
	h.opsSees(h.opsHealth(), "Problema", "R$ 49,90", "the charge is for 49.91")
	h.paid(h.charge("pedido-2"))
	h.sound()
}

// The bank refuses what it is asked for, such as a key that has left it: the merchant reads that the
// institution refused, and staff which field it was.
func TestBank_F06_Violations(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.alter("pix_key = 'outra@example.com'")
	if said := h.refused("pedido-1"); !strings.Contains(said, "refused") {
		t.Errorf("it says %s", said)
	}
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges")
	h.chargeIs(id, models.BankChargeCreating, "cob.chave")
	h.opsSees(h.opsHealth(), "Última falha", "cob.chave")
	if got := h.state(); got.Charges != 0 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.sound()
}
