package main

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// What is told of a checkout that is created and paid.
var createdAndPaid = []string{models.EventCheckoutCreated, models.EventCheckoutPaid}

// The bank's answer is lost once: the charge is read back.
func TestBank_F01_AnswerLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "drop-answer", On: "/cob/", Times: 1})
	c := h.charge("pedido-1")
	h.shows(c, "", true)
	if got := h.state(); got.Charges != 1 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.hurried(c.ID, "PAID")
	h.told(c.ID, createdAndPaid...)
	h.chargeIs(c.ID, models.BankChargePaid, "")
	h.sound()
}

// It is lost three times, and each time it is read back: the merchant is refused, and the same key goes on
// with the same id.
func TestBank_F02_LostThrice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "drop-answer", On: "/cob/"})
	h.refused("pedido-1")
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges")
	h.chargeIs(id, models.BankChargeCreating, "ambiguous")
	h.heal()
	if c := h.charge("pedido-1"); c.ID != id {
		t.Errorf("the checkout is %s, want %s", c.ID, id)
	}
	status, again := h.post("/v1/checkouts", order(1800), "pedido-1")
	if status != http.StatusOK || !strings.Contains(again, id) {
		t.Errorf("again: %d %s", status, again)
	}
	if got := h.state(); got.Charges != 1 {
		t.Errorf("the bank has %d charges", got.Charges)
	}
	h.told(id, models.EventCheckoutCreated)
	h.sound()
}

// No connection: the merchant is refused, and nothing is charged. Once the bank is there the same key
// charges.
func TestBank_F03_NoConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bank.kill()
	for range 6 { // more often than the breaker waits for
		if said := h.refused("pedido-1"); !strings.Contains(said, "cannot be reached") {
			t.Errorf("it says %s", said)
		}
	}
	h.bank.start()
	var c liveCheckout
	h.until("the bank is asked again", func() bool {
		status, id := h.create(h.key, "pedido-2")
		c.ID = id
		return status == http.StatusCreated
	})
	h.told(c.ID, models.EventCheckoutCreated)
	h.sound()
}
