package payments_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp"
)

// debited is the Pix of the only payment, of which the bank gave an amount back by the special mechanism.
func debited(t *testing.T, h *bankstest.House, amount money.Cents) psp.Payment {
	t.Helper()
	return psp.Payment{EndToEndID: modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments"),
		Returns: []psp.Return{{ID: "med1", RtrID: "D1", Nature: "MED_FRAUDE", Status: psp.TransferDone,
			Amount: int64(amount)}}}
}

// A debit for which the payment has not enough left beside a note of its amount is that note, once, and its dispute
// is lost.
func TestBank_DebitIsNoted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r := note(t, h, c, 60_00, "protocolo-1")
	d, err := byHand(t, h, "MED-1", 0)
	if err != nil || d.Blocked != 40_00 {
		t.Fatalf("%+v, %v", d, err)
	}
	listed := debited(t, h, 60_00)
	for range 2 {
		if err := h.RecordReturns(t.Context(), listed); err != nil {
			t.Fatal(err)
		}
		held(t, h, 39_01, -40_00, 60_00)
		expectMatched(t, h, r.ID, listed.Returns[0], "protocolo-1")
	}
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeLost || d.Held() != 40_00 {
		t.Errorf("the dispute is %+v", d)
	}
}

// If the gateway knows no dispute of the payment, the debit gives its ids to the note, and opens no dispute.
func TestBank_DebitIsNoted_NoDispute(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	r := note(t, h, sold(t, h), 100_00, "protocolo-1")
	listed := debited(t, h, 100_00)
	if err := h.RecordReturns(t.Context(), listed); err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, -99, 100_00)
	expectMatched(t, h, r.ID, listed.Returns[0], "protocolo-1")
}

// While a refund is under way that may be what was not made, the list is read again.
func TestBank_DebitWaits(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r := note(t, h, c, 40_00, "protocolo-1")
	refund(t, h, c.ID, 60_00)
	if err := h.RecordReturns(t.Context(), debited(t, h, 40_00)); err == nil ||
		!strings.Contains(err.Error(), "only 0.00 are left") {
		t.Errorf("beside a refund under way: %v", err)
	}
	if now := expectRefund(t, h, r.ID, models.RefundCompleted); now.BankReturnID != nil {
		t.Errorf("the note is the debit %s", *now.BankReturnID)
	}
}

// A debit that is more than is left beside notes of other amounts is an error in the log, for a person. Nothing is
// booked, and all else in the list is.
func TestBank_DebitIsTooMuch(t *testing.T) {
	h := bankstest.New(t) // not parallel: it reads the process's log
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	note(t, h, sold(t, h), 30_00, "protocolo-1")
	listed := debited(t, h, 80_00)
	if err := h.RecordReturns(t.Context(), listed); err != nil {
		t.Error(err)
	}
	held(t, h, 69_01, 0, 30_00)
	if text := log.String(); !strings.Contains(text, "level=ERROR") ||
		!strings.Contains(text, "gave 80.00 of") || !strings.Contains(text, "only 70.00 are left") {
		t.Errorf("the log is %s", text)
	}
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM disputes"); n != 0 {
		t.Errorf("%d disputes", n)
	}
}
