package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// A token that the bank refuses is replaced; credentials that it refuses are an alarm.
func TestBank_F07_Unauthorized(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "401", On: "/cob/", Times: 1})
	c := h.charge("pedido-1")
	h.fault(control.Fault{Name: "401", On: "/cob/"})
	h.refused("pedido-2")
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges WHERE status = 'CREATING'")
	h.chargeIs(id, models.BankChargeCreating, "unauthorized (401")
	h.opsSees(h.opsHealth(), "Precisa de atenção", "o banco recusou as credenciais", "unauthorized (401")
	h.heal()
	h.paid(c)
	h.sound()
}

// A token that lacks a scope fails what needs it; the rest works.
func TestBank_F08_ScopeMissing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	h.fault(control.Fault{Name: "fewer-scopes", Value: "cob.write"})
	h.fault(control.Fault{Name: "401", Times: 1}) // so that the program takes another token
	if said := h.refused("pedido-2"); !strings.Contains(said, "refused") {
		t.Errorf("it says %s", said)
	}
	id := modelstest.One[string](t, h.db.DB, "SELECT checkout_id FROM bank_charges WHERE status = 'CREATING'")
	h.chargeIs(id, models.BankChargeCreating, "cob.write")
	h.opsSees(h.opsHealth(), "Precisa de atenção", "O banco não concedeu: cob.write.")
	h.paid(c)
	h.sound()
}

// The bank wants fewer calls: the merchant waits for the two seconds that it says.
func TestBank_F09_Limited(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "429", On: "/cob/", Times: 1})
	before := time.Now()
	c := h.charge("pedido-1")
	if waited := time.Since(before); waited < 2*time.Second {
		t.Errorf("the bank was asked again after %s", waited)
	}
	h.paid(c)
	h.opsSees(h.opsBank("card-calls"), "Criar cobrança", "1 falhou: chamadas demais")
	h.sound()
}

// What the bank has answered is not found for some seconds: nothing is canceled.
func TestBank_F10_Lag(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.fault(control.Fault{Name: "lag", Value: "1h"})
	c := h.charge("pedido-1")
	h.hurry()
	h.until("the bank is asked", func() bool {
		charge, err := models.BankChargeOf(t.Context(), h.db.Pool, c.ID)
		return err == nil && strings.Contains(charge.Failure, "not found")
	})
	h.chargeIs(c.ID, models.BankChargeOpen, "not found")
	h.shows(c, "Aguardando o pagamento", true)
	h.heal()
	h.paid(c)
	h.sound()
}

// No buyer sees a code that would pay something else, and its charge is removed.
func TestBank_F11_WrongCode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, fault := range []string{"wrong-amount", "bad-crc"} {
		h.fault(control.Fault{Name: fault, On: "/cob/"})
		if said := h.refused(fault); !strings.Contains(said, "refused") {
			t.Errorf("%s: it says %s", fault, said)
		}
		h.heal()
		const newest = "SELECT checkout_id FROM bank_charges ORDER BY created_at DESC LIMIT 1"
		id := modelstest.One[string](t, h.db.DB, newest)
		h.until("the charge is removed", func() bool { return h.state().Removed == i+1 })
		h.until("that is known", func() bool {
			charge, err := models.BankChargeOf(t.Context(), h.db.Pool, id)
			return err == nil && charge.Status == models.BankChargeRemoved
		})
		h.paid(h.charge(fault)) // the same key gets another charge
	}
	h.opsSees(h.opsHealth(), "Precisa de atenção", "deu uma resposta que não confere")
	h.sound()
}

// Banks whose answers differ, and a bank that gives only the location of the code.
func TestBank_F12_NoCode(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"", "sicoob", "c6"} { // only a location; brcode; 200 for 201
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			h := newHouseAt(t, profile)
			if profile == "" {
				h.fault(control.Fault{Name: "no-code", On: "/cob/"})
			}
			c := h.charge("pedido-1")
			h.shows(c, "Aguardando o pagamento", true)
			h.paid(c)
			h.sound()
		})
	}
}

// The program is killed (SIGKILL) after the bank has the charge and before its checkout is written. The same
// key gets the checkout, and one charge exists.
func TestBank_F13_KilledAfterPut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tx, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), "LOCK TABLE checkouts IN SHARE MODE"); err != nil { // nothing can be inserted
		t.Fatal(err)
	}
	asked := make(chan int, 1)
	go func() {
		request, _ := http.NewRequest(http.MethodPost, h.url+"/v1/checkouts", strings.NewReader(order(1800)))
		request.Header.Set("Authorization", "Bearer "+h.key)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", "pedido-1")
		response, err := h.client.Do(request)
		if err != nil {
			asked <- 0
			return
		}
		response.Body.Close()
		asked <- response.StatusCode
	}()
	h.until("the bank has the charge", func() bool { return h.state().Charges == 1 })
	h.crash()
	if status := <-asked; status != 0 {
		t.Errorf("the merchant was answered %d", status)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.process = h.serve()
	c := h.charge("pedido-1")
	if got := h.state(); got.Charges != 1 || got.Active != 1 {
		t.Errorf("the bank has %+v", got)
	}
	h.paid(c)
	h.sound()
}
