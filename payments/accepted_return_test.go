package payments_test

import (
	"sync"
	"testing"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// accepted returns the EndToEndId of a Pix of 10.00 that underpaid a checkout, and whose money staff gave to the
// merchant, less a fee of 1.00.
func accepted(t *testing.T, h *bankstest.House) (endToEndID string, c *models.Checkout) {
	t.Helper()
	h.SetFee(t, money.Fee{Fixed: 1_00})
	c = h.Charge(t, payments.NewCheckout{Amount: 50_00})
	endToEndID = h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 10_00})[0]
	h.Sweep(t)
	id := modelstest.One[string](t, h.DB, "SELECT id FROM payments WHERE end_to_end_id = $1", endToEndID)
	if _, err := h.AcceptException(t.Context(), h.Staff(t), id, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, 9_00, 0)
	return endToEndID, c
}

// Parts of a Pix that the bank gave back leave the balance of the merchant who was credited with it, also below
// zero, and stand among the refunds of its checkout and in the statement.
func TestBank_AcceptedReturned(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	endToEndID, c := accepted(t, h)
	returnedAtBank(t, h, endToEndID, 4_00, refunds(t, h, 1))
	held(t, h, 0, 5_00, 4_00)
	returnedAtBank(t, h, endToEndID, 0, refunds(t, h, 2))
	for range 2 {
		held(t, h, 0, -1_00, 10_00)
		h.Sweep(t)
	}
	expectBooks(t, h, 0, 10_00, 0)
	made, err := models.Refunds(t.Context(), h.DB.Pool, h.Live, c.ID)
	if err != nil || len(made) != 2 {
		t.Fatalf("the checkout has the refunds %+v, %v", made, err)
	}
	for i, want := range []models.Refund{{Amount: 4_00}, {Amount: 6_00, Short: 1_00}} {
		if r := made[i]; r.Amount != want.Amount || r.Short != want.Short || r.Origin != models.RefundByBank ||
			r.Status != models.RefundCompleted || r.ReturnID == nil {
			t.Errorf("refund %d is %+v", i, r)
		}
	}
	lines, err := models.Statement(t.Context(), h.DB.Pool, h.Account.ID, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementRefund}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[0].LinkedID != made[1].ID || lines[0].Available != -1_00 {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
	if x := exceptionNow(t, h, made[0].PaymentID); x.ReturnFailure != "" || *x.Decision != models.ExceptionAccepted {
		t.Errorf("the exception is %+v", x)
	}
	booked, err := models.BookedPixOf(t.Context(), h.DB.Pool, h.AccountID, []string{endToEndID})
	if err != nil || len(booked) != 1 || booked[0].Returns != 2 || booked[0].Returned != 10_00 {
		t.Errorf("the day of the bank is compared with %+v, %v", booked, err)
	}
}

// A return that two processes list at the same time is booked once.
func TestBank_AcceptedReturnedOnce(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	endToEndID, _ := accepted(t, h)
	other := h.Another(t)
	listed := psp.Payment{EndToEndID: endToEndID, Returns: []psp.Return{
		{ID: "app1", Status: psp.TransferDone, Amount: 4_00},
		{ID: "app2", Status: psp.TransferProcessing, Amount: 2_00},
	}}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if err := []*bankstest.House{h, other}[i%2].RecordReturns(t.Context(), listed); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	held(t, h, 0, 5_00, 4_00)
	if !refunds(t, h, 1)() {
		t.Error("it is booked more than once")
	}
}

// A part that went back before staff gave the money to a merchant is booked once they have, and the exception tells
// of it no more.
func TestBank_ReturnedThenAssigned(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.SetFee(t, money.Fee{})
	id, endToEndID := unmatched(t, h)
	returnedAtBank(t, h, endToEndID, 4_00, func() bool { return exceptionNow(t, h, id).ReturnFailure != "" })
	expectBooks(t, h, 10_00, 0, 0)
	if _, err := h.AssignException(t.Context(), h.Staff(t), id, h.Account.ID, "", paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	h.Sweep(t)
	held(t, h, 0, 6_00, 4_00)
	expectBooks(t, h, 0, 4_00, 0)
	if x := exceptionNow(t, h, id); x.ReturnFailure != "" {
		t.Errorf("the exception says %q", x.ReturnFailure)
	}
}

// What a merchant accepted at the own bank account comes back from there, and takes nothing else.
func TestBank_OwnAcceptedReturned(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := own.Charge(t, payments.NewCheckout{Amount: 50_00})
	endToEndID := own.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 10_00})[0]
	own.Sweep(t)
	id := modelstest.One[string](t, own.DB, "SELECT payment_id FROM payment_exceptions")
	if _, err := own.AcceptException(t.Context(), own.Owner, id, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	leftFor(t, own, 10_00)
	returnedAtBank(t, own, endToEndID, 4_00, refunds(t, own, 1))
	held(t, own, 0, 0, 4_00)
	leftFor(t, own, 6_00)
}
