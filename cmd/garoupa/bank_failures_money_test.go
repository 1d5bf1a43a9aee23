package main

import (
	"fmt"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// Less, more, twice and without a txid: all money is booked, no status changes by it, and buyers read whom
// to ask.
func TestBank_F23_WrongMoney(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	less, more, twice, none := h.charge("less"), h.charge("more"), h.charge("twice"), h.charge("none")
	h.pay(control.PayRequest{Code: less.Pix.CopyPaste, Amount: 4989})
	h.pay(control.PayRequest{Code: more.Pix.CopyPaste, Amount: 4991})
	h.pay(control.PayRequest{Code: twice.Pix.CopyPaste, Twice: true})
	h.pay(control.PayRequest{Code: none.Pix.CopyPaste, NoTxID: true})
	h.hurriedUntil("four cases", func() bool { return len(h.cases()) == 4 })
	h.looksAtBank() // what is read again is not recorded again
	h.expectCases("DUPLICATE", "OVERPAID", "UNDERPAID", "UNMATCHED")
	h.opsSees("/ops/excecoes", "Pago a menos", "Pago a mais", "Pago de novo", "Sem cobrança")
	for _, c := range []liveCheckout{less, more} {
		if got := h.read(h.key, c.ID).Status; got != "PENDING" {
			t.Errorf("the checkout is %s", got)
		}
		h.shows(c, "Seu Pix chegou, mas não fechou esta compra", false)
		h.told(c.ID, models.EventCheckoutCreated)
	}
	h.shows(twice, "Pagamento confirmado", false)
	h.told(twice.ID, createdAndPaid...)
	h.shows(none, "Aguardando o pagamento", true)
	h.sound()
}

// Pix arrive while the pages of the list are read: each is recorded once, and none is missing.
func TestBank_F24_PagesShift(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.alter(`overrides = overrides || '{"page_size": 2}'`)
	h.fault(control.Fault{Name: "shift-pages"})
	var all []liveCheckout
	for i := range 5 {
		all = append(all, h.charge(fmt.Sprint(i)))
		h.pay(control.PayRequest{Code: all[i].Pix.CopyPaste})
	}
	h.looksAtBank()
	h.heal()
	for _, c := range all {
		h.hurried(c.ID, "PAID")
		h.told(c.ID, createdAndPaid...)
	}
	const recorded = "SELECT count(*) FROM payments"
	if n := modelstest.One[int](t, h.db.DB, recorded); n != len(all) || len(h.cases()) > 0 {
		t.Errorf("%d payments are recorded; cases %s", n, h.cases())
	}
	h.sound()
}

// The bank is silent, while buyers pay in their apps. The page asks buyers to wait; afterwards the
// checkouts are paid, with the bank's times. TestBank_DownAnHour of payments lets an hour pass.
func TestBank_F25_DownAnHour(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.charge("pedido-1")
	h.looksAtBank()
	h.fault(control.Fault{Name: "reset"})
	h.refused("pedido-2")
	h.opsSees(h.opsHealth(), "O banco não responde desde", "Sem resposta desde")
	paidAt := time.Now()
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	// By the list the bank has been silent for an hour.
	modelstest.Exec(t, h.db.DB, "UPDATE bank_sweeps SET watermark = now() - interval '1 hour'")
	h.shows(c, "Já pagou? A confirmação do banco está demorando. Não pague de novo", true)
	h.heal()
	h.hurried(c.ID, "PAID")
	at := modelstest.One[time.Time](t, h.db.DB, "SELECT paid_at FROM checkouts WHERE id = $1", c.ID)
	if at.Sub(paidAt).Abs() > 5*time.Second {
		t.Errorf("paid at %s by the books, at %s at the bank", at, paidAt)
	}
	h.told(c.ID, createdAndPaid...)
	h.until("charges are made again", func() bool {
		status, _ := h.post("/v1/checkouts", order(1800), "pedido-2")
		return status == 201 || status == 200
	})
	h.sound()
}

// The bank's clock is 30 s ahead or behind: the end of a charge is kept as the bank sees it.
func TestBank_F26_ClockOff(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{30 * time.Second, -30 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.fault(control.Fault{Name: "skew", Value: skew.String()})
			before := time.Now()
			c := h.charge("pedido-1")
			until := modelstest.One[time.Time](t, h.db.DB, "SELECT payable_until FROM bank_charges")
			at := before.Add(skew + 1790*time.Second)
			if until.Before(at.Add(-time.Second)) || until.After(at.Add(time.Since(before)+time.Second)) {
				t.Errorf("payable until %s, want about %s", until, at)
			}
			h.shows(c, "Aguardando o pagamento", true)
			h.opsSees(h.opsHealth(), "Precisa de atenção", "O relógio do banco e o deste servidor diferem em")
			h.paid(c)
			h.sound()
		})
	}
}

// A status that the API does not know is nothing final: the checkout waits until its time is over.
func TestBank_F27_UnknownStatus(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	paid, c := h.charge("pedido-1"), h.charge("pedido-2") // the youngest is asked about first
	h.fault(control.Fault{Name: "foreign-status", On: "/cob/"})
	h.hurriedUntil("the bank is asked", func() bool {
		charge, err := models.BankChargeOf(t.Context(), h.db.Pool, c.ID)
		return err == nil && charge.Failure != ""
	})
	h.chargeIs(c.ID, models.BankChargeOpen, "EM_ANALISE")
	h.opsSees(h.opsHealth(), "Problema", "EM_ANALISE")
	h.shows(c, "Aguardando o pagamento", true)
	h.paid(paid) // the list says so
	h.over(c.ID)
	h.hurried(c.ID, "EXPIRED")
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutExpired)
	h.sound()
}
