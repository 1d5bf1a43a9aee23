package payments_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// paymentOf returns the payment of a checkout.
func paymentOf(t *testing.T, h *bankstest.House, c *models.Checkout) (id string) {
	t.Helper()
	return modelstest.One[string](t, h.DB, "SELECT id FROM payments WHERE checkout_id = $1", c.ID)
}

// disputesOf counts the disputes of a checkout.
func disputesOf(t *testing.T, h *bankstest.House, c *models.Checkout) int {
	t.Helper()
	return modelstest.One[int](t, h.DB, "SELECT count(*) FROM disputes WHERE payment_id = $1", paymentOf(t, h, c))
}

// Disputes that open while the bank's list cannot be read are found afterwards, also if staff opened a later one.
func TestDispute_ListBack(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	h := bankstest.At(t, "efi")
	missed, known := sold(t, h), sold(t, h)
	readDisputes(t, h)
	h.Fault(t, control.Fault{Name: "403", On: "/gn/infracoes"})
	fails := func(after time.Duration) {
		t.Helper()
		h.Later(after)
		if err := h.TendBank(t.Context(), h.AccountID); err == nil {
			t.Error("the list is read")
		}
	}
	fails(day)
	contestAtBank(t, h, missed, 0)
	fails(2 * day)
	_, err := h.OpenDispute(t.Context(), h.Staff(t), payments.NewDispute{PaymentID: paymentOf(t, h, known),
		BankRef: "MED-1", Cause: "Golpe", AnswerBy: h.Service.Now().Add(48 * time.Hour)})
	must(t, err)
	fails(day)
	h.Heal(t)
	readDisputes(t, h)
	if n := disputesOf(t, h, missed); n != 1 {
		t.Errorf("%d disputes of the first sale are known", n)
	}
	blocked(t, h, 200_00)
}

// A reading in which a dispute could not be written is not complete: the next one goes back as far.
func TestDispute_ListHeld(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	readDisputes(t, h)
	contestAtBank(t, h, c, 0)
	release := faulttest.Hold(t, addressOf(h.Gateway), "SELECT FROM checkouts WHERE id = $1 FOR UPDATE", c.ID)
	h.Later(26 * time.Hour)
	if err := h.TendBank(t.Context(), h.AccountID); !models.Unavailable(err) {
		t.Errorf("while the checkout is locked: %v", err)
	}
	release()
	readDisputes(t, h)
	if n := disputesOf(t, h, c); n != 1 {
		t.Errorf("%d disputes are known", n)
	}
}

// A dispute about a Pix that is recorded late is found after that.
func TestDispute_ListBeforePix(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	sold(t, h)
	c := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	id := h.Pay(t, control.PayRequest{Code: c.CopyPaste})[0]
	later := h.Bank.Clock.Now().Add(365 * 24 * time.Hour) // nothing reads the list of Pix until then
	modelstest.Exec(t, h.DB, "UPDATE bank_sweeps SET swept_at = $1, old_read_at = $1", later)
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = $1 WHERE next_check_at IS NOT NULL", later)
	modelstest.Exec(t, h.DB, `INSERT INTO bank_days (bank_account_id, day, compared_at)
		SELECT $1, current_date + n, $2 FROM generate_series(-3, 3) n`, h.AccountID, later)
	h.Later(time.Minute)
	_, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id})
	must(t, err)
	h.Later(26 * time.Hour)
	h.Tend(t)
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payments"); n != 1 {
		t.Fatalf("%d payments are recorded", n)
	}
	h.Later(paymentstest.SettlementDelay)
	h.Sweep(t)
	readDisputes(t, h)
	if n := disputesOf(t, h, c); n != 1 {
		t.Errorf("%d disputes of the sale are known", n)
	}
}

// A dispute that staff opened days after the bank did is still read afterwards, and its answer is sent.
func TestDispute_ListByHand(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	h.Fault(t, control.Fault{Name: "403", On: "/gn/infracoes"})
	ref := contestAtBank(t, h, c, 0)
	opened := h.Bank.Clock.Now()
	h.Later(48 * time.Hour)
	d, err := byHand(t, h, ref, 0)
	must(t, err)
	h.Heal(t)
	readDisputes(t, h)
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	readDisputes(t, h)
	if d = disputeNow(t, h, d.ID); d.DefenseSentAt == nil || d.OpenedAt.After(opened) {
		t.Errorf("the dispute is %+v", d)
	}
	h.Later(24 * time.Hour)
	decide(t, h, d, "REJECTED", 0)
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeWon {
		t.Errorf("the dispute is %+v", d)
	}
}
