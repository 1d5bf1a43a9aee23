package payments_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

const toReturns = "/devolucao/"

// hideReturns makes the bank show no return before it is some time old, and refuse one that is asked for again for its
// amount, and not for its id.
func hideReturns(t *testing.T, h *bankstest.House, lag time.Duration) {
	t.Helper()
	h.Fault(t, control.Fault{Name: "lag", Value: lag.String()})
	h.Fault(t, control.Fault{Name: "amount-first"})
}

// ask asks the bank about refunds and exceptions once, and reads no list.
func ask(t *testing.T, h *bankstest.House) {
	t.Helper()
	bank, err := h.Banks.For(t.Context(), h.AccountID)
	if err == nil {
		err = h.AskForRefunds(t.Context(), bank, h.AccountID)
	}
	if err == nil {
		err = h.AskForExceptionReturns(t.Context(), bank, h.AccountID)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// list records a checkout's Pix as the bank has it once its returns are done.
func list(t *testing.T, h *bankstest.House, c *models.Checkout) {
	t.Helper()
	const of = "SELECT end_to_end_id FROM payments WHERE checkout_id = $1"
	paid := pixReturned(t, h, modelstest.One[string](t, h.DB, of, c.ID))
	if _, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{paid}); err != nil {
		t.Fatal(err)
	}
}

// wronglyFailed returns a paid checkout, and the refund of all of it that the bank made, hid and refused the second
// time, so that it failed.
func wronglyFailed(t *testing.T, h *bankstest.House) (*models.Checkout, *models.Refund) {
	t.Helper()
	c := sold(t, h)
	h.Later(time.Hour) // the Pix is shown
	hideReturns(t, h, time.Hour)
	h.Fault(t, control.Fault{Name: "drop-answer", On: toReturns, Times: 1})
	r := refund(t, h, c.ID, 0)
	for range 5 {
		ask(t, h)
		h.Later(20 * time.Second)
	}
	r = expectRefund(t, h, r.ID, models.RefundFailed)
	held(t, h, 99_01, 0, 0)
	h.Heal(t)
	return c, r
}

// A bank that made a return may not show it at once, and refuse the same return for its amount. The money stays
// refunded, whether the answer was lost in one request or in the one before.
func TestBank_RefundHidden(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, h *bankstest.House){
		"in the request": func(t *testing.T, h *bankstest.House) {
			hideReturns(t, h, 20*time.Second)
			h.Fault(t, control.Fault{Name: "drop-answer", On: toReturns, Times: 1})
		},
		"in the request before": func(t *testing.T, h *bankstest.House) {
			h.Fault(t, control.Fault{Name: "drop-answer", On: toReturns})
			ask(t, h)
			h.Heal(t)
			hideReturns(t, h, 20*time.Second)
			h.Later(2 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			c := sold(t, h)
			h.Later(time.Minute)
			r := refund(t, h, c.ID, 0)
			lose(t, h)
			ask(t, h)
			if r = expectRefund(t, h, r.ID, models.RefundRequested); r.Failure == "" {
				t.Error("the refund does not say what the bank answers")
			}
			held(t, h, 0, -99, 100_00)
			ended(t, h, r.ID, models.RefundCompleted)
			held(t, h, 0, -99, 100_00)
		})
	}
}

// A bank that refuses a return and shows none is believed half a minute after the first request. A return that its
// holder made in its app meanwhile is booked once the refund has ended.
func TestBank_RefundRefusedForGood(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	r := refund(t, h, c.ID, 0)
	madeInPortal(t, h, c, 0)
	asked := h.Bank.Clock.Now()
	for {
		ask(t, h)
		now, err := h.Refund(t.Context(), h.Live, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		since := h.Bank.Clock.Now().Sub(asked)
		if now.EndedAt != nil {
			if now.Status != models.RefundFailed || !strings.Contains(now.Failure, "valor do Pix") ||
				since < 30*time.Second || since > time.Minute {
				t.Errorf("after %s the refund is %+v", since, now)
			}
			break
		}
		if err := models.HurryBankSweep(t.Context(), h.DB.Pool, h.AccountID); err != nil {
			t.Fatal(err)
		}
		if err := h.TendBank(t.Context(), h.AccountID); err == nil || !strings.Contains(err.Error(), "0.00 are left") {
			t.Errorf("tending the bank: %v", err)
		}
		h.Later(time.Second)
	}
	held(t, h, 99_01, 0, 0)
	h.Sweep(t)
	held(t, h, 0, -99, 100_00)
}

// A return that the bank lists although its refund failed is booked as one that was found, once.
func TestBank_FailedIsListed(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c, failed := wronglyFailed(t, h)
	for range 2 {
		list(t, h, c)
		held(t, h, 0, -99, 100_00)
	}
	made, err := models.Refunds(t.Context(), h.DB.Pool, h.Live, c.ID)
	if err != nil || len(made) != 2 || made[0].ID != failed.ID || made[0].Status != models.RefundFailed {
		t.Fatalf("the refunds are %+v, %v", made, err)
	}
	if r := made[1]; r.Origin != models.RefundByBank || r.Status != models.RefundCompleted || r.ReturnID == nil ||
		r.BankReturnID == nil || *r.BankReturnID != strings.ReplaceAll(failed.ID, "_", "") {
		t.Errorf("found %+v", r)
	}
}

// Staff who saw in the bank's portal that the return was made may have noted it.
func TestBank_FailedIsNoted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c, failed := wronglyFailed(t, h)
	id := strings.ReplaceAll(failed.ID, "_", "")
	r := note(t, h, c, 100_00, id)
	for range 2 {
		list(t, h, c)
		held(t, h, 0, -99, 100_00)
	}
	if now := expectRefund(t, h, r.ID, models.RefundCompleted); now.BankReturnID == nil || *now.BankReturnID != id {
		t.Errorf("the note is %+v", now)
	}
}

// A return for which the payment has not enough left is an error in the log, and holds up no other Pix.
func TestBank_FailedIsTooMuch(t *testing.T) {
	h := bankstest.New(t) // not parallel: it reads the process's log
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	c, _ := wronglyFailed(t, h)
	note(t, h, c, 30_00, "D1")
	note(t, h, c, 30_00, "D2")
	list(t, h, c)
	held(t, h, 39_01, 0, 60_00)
	if text := log.String(); !strings.Contains(text, "level=ERROR") ||
		!strings.Contains(text, "gave 100.00 of") || !strings.Contains(text, "only 40.00 are left") {
		t.Errorf("the log is %s", text)
	}
}

// The same holds for what the bank gives back of a Pix that paid no checkout.
func TestBank_ExceptionHidden(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	id, _ := unmatched(t, h)
	h.Later(time.Minute)
	if _, err := h.RefundException(t.Context(), h.Staff(t), id, paymentstest.Reason, ""); err != nil {
		t.Fatal(err)
	}
	h.Fault(t, control.Fault{Name: "drop-answer", On: toReturns})
	ask(t, h)
	h.Heal(t)
	hideReturns(t, h, 20*time.Second)
	h.Later(2 * time.Second)
	ask(t, h)
	if x := exceptionNow(t, h, id); !x.Returning() || !strings.Contains(x.ReturnFailure, "valor do Pix") {
		t.Errorf("the exception is %+v", x)
	}
	if x := givenBack(t, h, id); *x.ReturnStatus != models.RefundCompleted || x.ReturnNumber != 1 {
		t.Errorf("the exception is %+v", x)
	}
	expectBooks(t, h, 0, 10_00, 0)
}

// A return that the bank neither makes nor shows is refused half a minute after the first request.
func TestBank_ExceptionRefusedForGood(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	id, endToEndID := unmatched(t, h)
	if _, err := h.RefundException(t.Context(), h.Staff(t), id, paymentstest.Reason, ""); err != nil {
		t.Fatal(err)
	}
	_, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: endToEndID, Amount: 1_00})
	if err != nil {
		t.Fatal(err)
	}
	asked := h.Bank.Clock.Now()
	for exceptionNow(t, h, id).Returning() {
		ask(t, h)
		h.Later(time.Second)
	}
	if since, x := h.Bank.Clock.Now().Sub(asked), exceptionNow(t, h, id); *x.ReturnStatus != models.RefundFailed ||
		!strings.Contains(x.ReturnFailure, "valor do Pix") || since < 30*time.Second || since > time.Minute {
		t.Errorf("after %s the exception is %+v", since, x)
	}
}
