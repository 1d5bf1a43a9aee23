package payments_test

import (
	"sync"
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

// unmatched returns the id of a Pix of 10.00 at the bank that names no charge, and its EndToEndId.
func unmatched(t *testing.T, h *bankstest.House) (paymentID, endToEndID string) {
	t.Helper()
	c := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	endToEndID = h.Pay(t, control.PayRequest{Code: c.CopyPaste, NoTxID: true})[0]
	h.Sweep(t)
	return modelstest.One[string](t, h.DB, "SELECT id FROM payments WHERE end_to_end_id = $1", endToEndID), endToEndID
}

func exceptionNow(t *testing.T, h *bankstest.House, id string) *models.Exception {
	t.Helper()
	x, err := models.ExceptionByPayment(t.Context(), h.DB.Pool, id)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// inBook returns what a book of the installation holds.
func inBook(t *testing.T, h *bankstest.House, book ledger.Book) money.Cents {
	t.Helper()
	const moved = "SELECT coalesce(sum(amount), 0)::bigint FROM ledger_moved($1, 0, 1000000)"
	return modelstest.One[money.Cents](t, h.DB, moved, string(book))
}

// expectBooks checks what the installation's books hold of an exception's money, and that all agree.
func expectBooks(t *testing.T, h *bankstest.House, suspense, refunds, writtenOff money.Cents) {
	t.Helper()
	for book, want := range map[ledger.Book]money.Cents{ledger.Suspense(models.Live): suspense,
		ledger.Refunds(models.Live): refunds, ledger.WrittenOff(models.Live): writtenOff} {
		if got := inBook(t, h, book); got != want {
			t.Errorf("%s holds %s, want %s", book, got.Decimal(), want.Decimal())
		}
	}
	sound(t, h.Gateway)
	if drift, err := ledger.Check(t.Context(), h.DB.Pool); err != nil || len(drift) > 0 {
		t.Errorf("the books: %v, %v", drift, err)
	}
}

// givenBack tends the account until the bank, which takes its time, has ended the return of an exception.
func givenBack(t *testing.T, h *bankstest.House, id string) *models.Exception {
	t.Helper()
	for {
		h.Later(time.Minute)
		h.Tend(t)
		if x := exceptionNow(t, h, id); x.ReturnEndedAt != nil {
			return x
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// The bank is asked to give an exception's money back; it cannot be decided otherwise meanwhile, and it is refunded
// once the bank says so. An answer that is lost, and another process, give nothing back again.
func TestBank_ExceptionGivenBack(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	by := h.Staff(t)
	id, _ := unmatched(t, h)
	h.Fault(t, control.Fault{Name: "drop-answer", On: "/devolucao/", Times: 1})
	asked, again := h.Race(t, func() error {
		_, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, "")
		return err
	}, func() error {
		_, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, "")
		return err
	})
	if asked != nil {
		t.Fatal(asked)
	}
	refused(t, "a second time", again, refusal.WrongState)
	_, err := h.WriteOffException(t.Context(), by, id, paymentstest.Reason)
	refused(t, "another decision", err, refusal.WrongState)
	_, err = h.AssignException(t.Context(), by, id, h.Gateway.Account.ID, "", paymentstest.Reason)
	refused(t, "to an account", err, refusal.WrongState)
	expectBooks(t, h, 10_00, 0, 0)
	other := h.Another(t)
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, other} {
		both.Go(func() { process.Tend(t) })
	}
	both.Wait()
	x := givenBack(t, h, id)
	if *x.Decision != models.ExceptionRefunded || *x.DecidedBy != by.UserID || *x.Reason != paymentstest.Reason ||
		x.ReturnID == nil || *x.ReturnStatus != models.RefundCompleted {
		t.Errorf("the exception is %+v", x)
	}
	expectBooks(t, h, 0, 10_00, 0)
	state, err := h.Bank.Control.State(t.Context())
	if err != nil || state.Returned != 10_00 {
		t.Errorf("the bank returned %d, %v", state.Returned, err)
	}
}

// A return that the bank refuses frees the exception, and says why; asking again is another request.
func TestBank_ExceptionKept(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	by := h.Staff(t)
	id, _ := unmatched(t, h)
	h.Fault(t, control.Fault{Name: "refuse-return", Times: 1})
	for i, want := range []models.RefundStatus{models.RefundFailed, models.RefundCompleted} {
		if _, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, ""); err != nil {
			t.Fatal(err)
		}
		x := givenBack(t, h, id)
		if *x.ReturnStatus != want || x.ReturnNumber != i+1 || (x.Decision != nil) != (want == models.RefundCompleted) {
			t.Errorf("the exception is %+v, want %s", x, want)
		}
		if want == models.RefundFailed && x.ReturnFailure != "Conta do pagador encerrada." {
			t.Errorf("it says %q", x.ReturnFailure)
		}
	}
	expectBooks(t, h, 0, 10_00, 0)
	id, _ = unmatched(t, h)
	h.Fault(t, control.Fault{Name: "refuse-return", Times: 1})
	if _, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, ""); err != nil {
		t.Fatal(err)
	}
	givenBack(t, h, id)
	if _, err := h.WriteOffException(t.Context(), by, id, paymentstest.Reason); err != nil {
		t.Error(err)
	}
	expectBooks(t, h, 0, 10_00, 10_00)
}

// returnedAtBank makes the bank give an amount of a Pix back, 0 for all that is left, and lists its Pix until the
// gateway has noticed that.
func returnedAtBank(t *testing.T, h *bankstest.House, endToEndID string, amount int64, noticed func() bool) {
	t.Helper()
	_, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: endToEndID, Amount: amount})
	if err != nil {
		t.Fatal(err)
	}
	for !noticed() {
		h.Sweep(t)
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// refunds returns a condition for returnedAtBank: that there are as many refunds.
func refunds(t *testing.T, h *bankstest.House, n int) func() bool {
	return func() bool { return modelstest.One[int](t, h.DB, "SELECT count(*) FROM refunds") == n }
}

// What the bank gave back by itself is booked: of an open exception, and of one that was written off. A part is
// noted for staff.
func TestBank_ExceptionFound(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	by := h.Staff(t)
	back := func(endToEndID string, amount int64, noticed func() bool) {
		t.Helper()
		returnedAtBank(t, h, endToEndID, amount, noticed)
	}
	id, endToEndID := unmatched(t, h)
	back(endToEndID, 4_00, func() bool { return exceptionNow(t, h, id).ReturnFailure != "" })
	if x := exceptionNow(t, h, id); x.Decision != nil || x.ReturnFailure != "the bank gave 4.00 of it back" {
		t.Errorf("after a part the exception is %+v", x)
	}
	expectBooks(t, h, 10_00, 0, 0)
	back(endToEndID, 6_00, func() bool { return exceptionNow(t, h, id).Decision != nil })
	if x := exceptionNow(t, h, id); *x.Decision != models.ExceptionRefunded || x.DecidedBy != nil ||
		*x.Reason != "Devolução feita no banco" {
		t.Errorf("the exception is %+v", x)
	}
	expectBooks(t, h, 0, 10_00, 0)

	id, endToEndID = unmatched(t, h)
	if _, err := h.WriteOffException(t.Context(), by, id, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	expectBooks(t, h, 0, 10_00, 10_00)
	back(endToEndID, 0, func() bool { return exceptionNow(t, h, id).ReturnEndedAt != nil })
	if x := exceptionNow(t, h, id); *x.Decision != models.ExceptionWrittenOff ||
		*x.ReturnStatus != models.RefundCompleted {
		t.Errorf("what was written off is %+v", x)
	}
	expectBooks(t, h, 0, 20_00, 0)
}

// Staff give a Pix that names no charge to an account, with the fee of a checkout that they name, or the
// account's. The checkout keeps its status.
func TestAssignException(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	by := h.Staff(t)
	h.SetFee(t, money.Fee{Fixed: 1_00})
	meant := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	h.Later(time.Minute)
	if err := models.SetDefaultFee(t.Context(), h.DB, money.Fee{Fixed: 2_00}, h.Bank.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	named, _ := unmatched(t, h)
	account := h.Gateway.Account.ID
	for what, tc := range map[string]struct {
		account, checkout string
		by                models.Actor
		want              refusal.Code
	}{
		"an unknown account":  {"acc_00000000000000000000", "", by, refusal.CheckoutNotFound},
		"an unknown checkout": {account, "chk_00000000000000000000", by, refusal.CheckoutNotFound},
		"a member":            {account, "", h.Owner, refusal.Forbidden},
	} {
		_, err := h.AssignException(t.Context(), tc.by, named, tc.account, tc.checkout, paymentstest.Reason)
		refused(t, what, err, tc.want)
	}
	x, err := h.AssignException(t.Context(), by, named, account, meant.ID, paymentstest.Reason)
	if err != nil || x.Fee != 1_00 {
		t.Fatalf("%+v, %v", x, err)
	}
	if x = exceptionNow(t, h, named); *x.CheckoutID != meant.ID || *x.AccountID != account ||
		*x.Decision != models.ExceptionAccepted {
		t.Errorf("the exception is %+v", x)
	}
	other, _ := unmatched(t, h)
	x, err = h.AssignException(t.Context(), by, other, account, "", paymentstest.Reason)
	if err != nil || x.Fee != 2_00 {
		t.Fatalf("%+v, %v", x, err)
	}
	_, err = h.AssignException(t.Context(), by, other, account, "", paymentstest.Reason)
	refused(t, "a second time", err, refusal.WrongState)
	if got := h.State(t, meant.ID).Status; got != models.CheckoutPending {
		t.Errorf("the checkout is %s", got)
	}
	if b := balance(t, h.Gateway, models.Live); b.Available != 17_00 || b.Gross != 20_00 || b.Fee != 3_00 {
		t.Errorf("the balance is %+v", b)
	}
	lines, err := models.Statement(t.Context(), h.DB.Pool, account, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementAcceptance}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[1].LinkedID != meant.ID || lines[0].LinkedID != other {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
	expectBooks(t, h, 0, 0, 0)
	duplicate := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	h.Pay(t, control.PayRequest{Code: duplicate.CopyPaste, Twice: true})
	h.Sweep(t)
	twice := modelstest.One[string](t, h.DB, "SELECT payment_id FROM payment_exceptions WHERE kind = 'DUPLICATE'")
	_, err = h.AssignException(t.Context(), by, twice, account, "", paymentstest.Reason)
	refused(t, "what has a checkout", err, refusal.WrongState)
}
