package payments_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// madeInPortal gives an amount of a checkout's Pix back in the bank's portal, 0 for all, and returns the Pix as the
// bank has it once the return is done.
func madeInPortal(t *testing.T, h *bankstest.House, c *models.Checkout, amount money.Cents) psp.Payment {
	t.Helper()
	id := modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments WHERE checkout_id = $1", c.ID)
	_, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: id, Amount: int64(amount)})
	if err != nil {
		t.Fatal(err)
	}
	h.Later(2 * time.Second)
	return pixReturned(t, h, id)
}

// pixReturned returns a Pix as the bank has it once its returns are done.
func pixReturned(t *testing.T, h *bankstest.House, id string) psp.Payment {
	t.Helper()
	bank, err := h.Banks.For(t.Context(), h.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	for {
		paid, err := bank.Payment(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(paid.Returns, func(r psp.Return) bool { return r.Status != psp.TransferDone }) {
			return paid
		}
	}
}

// tryNote notes a return that staff made by hand.
func tryNote(t *testing.T, h *bankstest.House, c *models.Checkout, amount money.Cents, id string) (*models.Refund,
	error) {
	t.Helper()
	noted, err := models.Refunds(t.Context(), h.DB.Pool, h.Live, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	return h.RefundPayment(t.Context(), h.Staff(t), payments.NewRefund{
		PaymentID: modelstest.One[string](t, h.DB, "SELECT id FROM payments WHERE checkout_id = $1", c.ID),
		Amount:    amount, Reason: paymentstest.Reason, ReturnID: id, Seen: len(noted)})
}

func note(t *testing.T, h *bankstest.House, c *models.Checkout, amount money.Cents, id string) *models.Refund {
	t.Helper()
	r, err := tryNote(t, h, c, amount, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expectMatched checks that a note has the ids of a return, and which one staff wrote.
func expectMatched(t *testing.T, h *bankstest.House, id string, of psp.Return, typed string) {
	t.Helper()
	r := expectRefund(t, h, id, models.RefundCompleted)
	if r.BankReturnID == nil || *r.BankReturnID != of.ID || r.ReturnID == nil || *r.ReturnID != of.RtrID {
		t.Errorf("the note is %+v, want the return %+v", r, of)
	}
	const written = `SELECT detail ->> 'noted' FROM audit_log
		WHERE action = 'payment.refund_matched' AND object_id = $1`
	if got := modelstest.Column[string](t, h.DB, written, id); !slices.Equal(got, []string{typed}) {
		t.Errorf("the audit log has %q, want %q", got, typed)
	}
}

// A return that staff made in the bank's portal and noted is booked once, whatever they wrote as its id: that of the
// bank, that of the payment system, or another text.
func TestBank_NotedIsListed(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func(psp.Return) string{
		"the bank's id":           func(r psp.Return) string { return r.ID },
		"the payment system's id": func(r psp.Return) string { return r.RtrID },
		"another text":            func(psp.Return) string { return "protocolo-1" },
	} {
		for _, amount := range []money.Cents{40_00, 100_00} {
			t.Run(name+" "+amount.Decimal(), func(t *testing.T) {
				t.Parallel()
				h := bankstest.New(t)
				c := sold(t, h)
				made := madeInPortal(t, h, c, amount).Returns[0]
				r := note(t, h, c, amount, id(made))
				for range 2 {
					h.Sweep(t)
				}
				expectMatched(t, h, r.ID, made, id(made))
				if !refunds(t, h, 1)() {
					t.Error("the return is booked again")
				}
				held(t, h, max(99_01-amount, 0), min(99_01-amount, 0), amount)
			})
		}
	}
}

// A refund that was noted and never made is the next return of its amount that staff make, and another amount is
// booked beside it.
func TestBank_NotedThenMade(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r := note(t, h, c, 40_00, "D1")
	madeInPortal(t, h, c, 25_00)
	h.Sweep(t)
	held(t, h, 34_01, 0, 65_00)
	if now := expectRefund(t, h, r.ID, models.RefundCompleted); now.BankReturnID != nil {
		t.Errorf("the note of 40.00 is the return %s of 25.00", *now.BankReturnID)
	}
	made := madeInPortal(t, h, c, 40_00).Returns[1]
	h.Sweep(t)
	held(t, h, 34_01, 0, 65_00)
	expectMatched(t, h, r.ID, made, "D1")
	madeInPortal(t, h, c, 35_00)
	h.Sweep(t)
	held(t, h, 0, -99, 100_00)
}

// Of two notes of one amount each is one of the two returns, by its id if it has that of a return, however many
// processes list them at the same time. A third return is booked.
func TestBank_NotedTwice(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	other := h.Another(t)
	first, second := note(t, h, c, 30_00, "app1"), note(t, h, c, 30_00, "protocolo-2")
	listed := psp.Payment{EndToEndID: modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments"),
		Returns: []psp.Return{
			{ID: "app2", RtrID: "D2", Status: psp.TransferDone, Amount: 30_00},
			{ID: "app1", RtrID: "D1", Status: psp.TransferDone, Amount: 30_00},
			{ID: "app3", RtrID: "D3", Status: psp.TransferProcessing, Amount: 30_00},
		}}
	list := func() {
		t.Helper()
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				if err := []*bankstest.House{h, other}[i%2].RecordReturns(t.Context(), listed); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		expectMatched(t, h, first.ID, listed.Returns[1], "app1")
		expectMatched(t, h, second.ID, listed.Returns[0], "protocolo-2")
	}
	list()
	held(t, h, 39_01, 0, 60_00)
	listed.Returns[2].Status = psp.TransferDone
	list()
	held(t, h, 9_01, 0, 90_00)
	if !refunds(t, h, 3)() {
		t.Error("a return is booked twice, or not at all")
	}
}

// A debit by the special mechanism is another return than the one that staff noted, unless they wrote its id.
func TestBank_NotedAndDebited(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r, noted := note(t, h, c, 30_00, "protocolo-1"), note(t, h, c, 20_00, "med2")
	listed := psp.Payment{EndToEndID: modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments"),
		Returns: []psp.Return{
			{ID: "med1", RtrID: "D1", Nature: "MED_FRAUDE", Status: psp.TransferDone, Amount: 30_00},
			{ID: "med2", RtrID: "D2", Nature: "MED_FRAUDE", Status: psp.TransferDone, Amount: 20_00},
		}}
	for range 2 {
		if err := h.RecordReturns(t.Context(), listed); err != nil {
			t.Fatal(err)
		}
	}
	held(t, h, 49_01, -30_00, 80_00)
	if now := expectRefund(t, h, r.ID, models.RefundCompleted); now.BankReturnID != nil {
		t.Errorf("the note is the debit %s", *now.BankReturnID)
	}
	expectMatched(t, h, noted.ID, listed.Returns[1], "med2")
}

// A return that was found in the bank's list cannot be noted by either of its ids.
func TestBank_ListedThenNoted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	made := madeInPortal(t, h, c, 40_00).Returns[0]
	h.Sweep(t)
	for _, id := range []string{made.ID, made.RtrID} {
		_, err := tryNote(t, h, c, 40_00, id)
		refused(t, id, err, refusal.ProofTaken)
	}
	held(t, h, 59_01, 0, 40_00)
}
