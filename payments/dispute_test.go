package payments_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// contest makes the payer of a checkout contest an amount, 0 for all, and the gateway find it.
func contest(t *testing.T, h *bankstest.House, c *models.Checkout, amount money.Cents) *models.Dispute {
	t.Helper()
	contestAtBank(t, h, c, amount)
	readDisputes(t, h)
	return lastDispute(t, h)
}

func contestAtBank(t *testing.T, h *bankstest.House, c *models.Checkout, amount money.Cents) (ref string) {
	t.Helper()
	e2e := modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments WHERE checkout_id = $1", c.ID)
	answer, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: e2e, Amount: int64(amount)})
	if err != nil {
		t.Fatal(err)
	}
	return answer.ID
}

// readDisputes lets the time to the next reading of the bank's disputes pass.
func readDisputes(t *testing.T, h *bankstest.House) {
	t.Helper()
	h.Later(5 * time.Minute)
	h.Tend(t)
}

func lastDispute(t *testing.T, h *bankstest.House) *models.Dispute {
	t.Helper()
	return disputeNow(t, h, modelstest.One[string](t, h.DB, "SELECT id FROM disputes ORDER BY created_at DESC LIMIT 1"))
}

func disputeNow(t *testing.T, h *bankstest.House, id string) *models.Dispute {
	t.Helper()
	d, _, err := h.AnyDispute(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decide makes the bank close a dispute: it gives an amount back, 0 for all that was contested, or nothing.
func decide(t *testing.T, h *bankstest.House, d *models.Dispute, outcome string, amount money.Cents) {
	t.Helper()
	if _, err := h.Bank.Control.CloseDispute(t.Context(), control.CloseRequest{ID: d.BankRef, Outcome: outcome,
		Amount: int64(amount)}); err != nil {
		t.Fatal(err)
	}
	readDisputes(t, h)
}

// blocked checks what of the account is blocked.
func blocked(t *testing.T, h *bankstest.House, want money.Cents) {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), h.DB.Pool, h.Account.ID, models.Live)
	if err != nil || b.Blocked != want {
		t.Errorf("%v: %s are blocked, not %s", err, b.Blocked.Decimal(), want.Decimal())
	}
}

// destination gives the merchant a destination of withdrawals that can be used.
func destination(t *testing.T, h *bankstest.House) {
	t.Helper()
	h.Destination(t, models.RailPix)
	h.Later(paymentstest.Policy.Hold)
}

func answer(t *testing.T, h *bankstest.House, id string, in payments.DisputeAnswer) *models.Dispute {
	t.Helper()
	d, err := h.AnswerDispute(t.Context(), h.Owner, h.Account.ID, id, in)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func code(err error) refusal.Code {
	if err == nil {
		return ""
	}
	return refusal.Of(err).Code
}

// A dispute blocks the whole amount, also before the settlement. What the bank gives back comes from there.
func TestDispute_Lost(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	destination(t, h)
	c := sold(t, h)
	d := contest(t, h, c, 0)
	if d.Status != models.DisputeOpen || d.Blocked != 100_00 || d.Short != 100_00 || d.Cause != "FRAUDE" ||
		!d.AnswerBy.After(h.Service.Now()) || d.OpenedBy != nil {
		t.Errorf("the dispute is %+v", d)
	}
	held(t, h, 99_01, -100_00, 0)
	blocked(t, h, 100_00)
	if _, _, err := h.RequestWithdrawal(t.Context(), h.Account, paymentstest.Withdrawal(models.RailPix,
		10_00)); code(err) != refusal.InsufficientBalance {
		t.Errorf("withdrawn below zero: %v", err)
	}
	settle(t, h)
	held(t, h, 0, -99, 0)
	decide(t, h, d, "RETURNED", 0)
	held(t, h, 0, -99, 100_00)
	blocked(t, h, 0)
	d = disputeNow(t, h, d.ID)
	if d.Status != models.DisputeLost || d.ClosedAt == nil || d.Returned != 100_00 || d.Taken != 100_00 || d.Bars() {
		t.Errorf("the dispute is %+v", d)
	}
	r := modelstest.One[string](t, h.DB, `SELECT origin || ' ' || status || ' ' || from_blocked || ' ' || short
		FROM refunds WHERE dispute_id = $1`, d.ID)
	if r != "DISPUTE COMPLETED 10000 0" {
		t.Errorf("the refund is %s", r)
	}
	readDisputes(t, h)
	held(t, h, 0, -99, 100_00)
}

// A dispute that the bank rejects gives the blocked money back, once.
func TestDispute_Won(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	settle(t, h)
	d := contest(t, h, c, 30_00)
	held(t, h, 0, 69_01, 0)
	blocked(t, h, 30_00)
	decide(t, h, d, "REJECTED", 0)
	for range 2 {
		held(t, h, 0, 99_01, 0)
		blocked(t, h, 0)
		if d = disputeNow(t, h, d.ID); d.Status != models.DisputeWon || d.Released != 30_00 || d.Bars() {
			t.Errorf("the dispute is %+v", d)
		}
		readDisputes(t, h)
	}
	refund(t, h, c.ID, 0) // it is possible again
}

// A bank that gives back a part keeps the rest blocked for later parts, until staff release it.
func TestDispute_InParts(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	settle(t, h)
	d := contest(t, h, c, 0)
	decide(t, h, d, "RETURNED", 40_00)
	held(t, h, 0, -99, 40_00)
	blocked(t, h, 60_00)
	if _, err := tryRefund(t, h, c.ID, 1); code(err) != refusal.RefundNotPossible {
		t.Errorf("refunded what the bank may take: %v", err)
	}
	again := contest(t, h, c, 10_00) // the rest is blocked already
	if again.ID == d.ID || again.Blocked != 0 {
		t.Errorf("the second dispute is %+v", again)
	}
	decide(t, h, again, "RETURNED", 0)
	held(t, h, 0, -99, 50_00)
	blocked(t, h, 50_00)
	staff := h.Staff(t)
	for id, want := range map[string]refusal.Code{d.ID: "", "dsp_00000000000000000000": refusal.NotFound} {
		if _, err := h.CloseDispute(t.Context(), staff, id, paymentstest.Reason); code(err) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := h.CloseDispute(t.Context(), staff, d.ID, paymentstest.Reason); code(err) != refusal.WrongState {
		t.Errorf("released twice: %v", err)
	}
	held(t, h, 0, 49_01, 50_00)
	blocked(t, h, 0)
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeLost || d.Released != 50_00 || d.Taken != 50_00 {
		t.Errorf("the dispute is %+v", d)
	}
}

// While a dispute is open, its payment cannot be refunded by a member, a key or staff.
func TestDispute_NoRefund(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	d := contest(t, h, c, 1_00)
	for _, by := range []models.Actor{h.Owner, {KeyID: "key_00000000000000000000"}} {
		_, _, err := h.RefundCheckout(t.Context(), h.Live, payments.RefundRequest{By: by, AccountID: h.Account.ID,
			CheckoutID: c.ID, Reason: "Veio trocado", IdempotencyKey: models.NewRefundID(),
			RequestHash: make([]byte, 32)})
		if code(err) != refusal.RefundNotPossible {
			t.Errorf("%v: %v", by, err)
		}
	}
	for _, id := range []string{"", "D1"} {
		if _, err := h.RefundPayment(t.Context(), h.Staff(t), payments.NewRefund{PaymentID: d.PaymentID, Amount: 1,
			Reason: paymentstest.Reason, ReturnID: id}); code(err) != refusal.RefundNotPossible {
			t.Errorf("staff: %v", err)
		}
	}
	held(t, h, 99_01, -1_00, 0)
}

// What was refunded before the dispute is not blocked.
func TestDispute_AfterRefund(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	settle(t, h)
	r := refund(t, h, c.ID, 70_00)
	ended(t, h, r.ID, models.RefundCompleted)
	d := contest(t, h, c, 0)
	if d.Amount != 30_00 || d.Blocked != 30_00 || d.Short != 99 {
		t.Errorf("the dispute is %+v", d)
	}
	held(t, h, 0, -99, 70_00)
}

// Money that is there no more is taken from what comes later.
func TestDispute_Withdrawn(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	destination(t, h)
	c := sold(t, h)
	settle(t, h)
	h.Withdraw(t, 99_01)
	d := contest(t, h, c, 0)
	held(t, h, 0, -100_00, 0)
	if d.Short != 100_00 {
		t.Errorf("the dispute is %+v", d)
	}
	sold(t, h)
	settle(t, h)
	held(t, h, 0, -99, 0)
	decide(t, h, d, "REJECTED", 0)
	held(t, h, 0, 99_01, 0)
}
