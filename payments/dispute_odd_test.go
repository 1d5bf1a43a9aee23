package payments_test

import (
	"errors"
	"fmt"
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

// byHand opens a dispute of the only payment as staff.
func byHand(t *testing.T, h *bankstest.House, ref string, amount money.Cents) (*models.Dispute, error) {
	t.Helper()
	payment := modelstest.One[string](t, h.DB, "SELECT id FROM payments")
	return h.OpenDispute(t.Context(), h.Staff(t), payments.NewDispute{PaymentID: payment, BankRef: ref,
		Amount: amount, Cause: "Golpe", AnswerBy: h.Service.Now().Add(48 * time.Hour)})
}

// At a bank without an API for disputes, staff open them and bring the answer to the bank. The bank's debit
// closes them.
func TestDispute_ByHand(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	for name, step := range map[string]struct {
		ref    string
		amount money.Cents
		want   refusal.Code
	}{
		"no id":         {" ", 0, refusal.ProofRequired},
		"a slash in it": {"return/1", 0, refusal.ProofRequired},
		"too much":      {"1", 100_01, refusal.InvalidAmount},
		"below zero":    {"1", -1, refusal.InvalidAmount},
	} {
		if _, err := byHand(t, h, step.ref, step.amount); code(err) != step.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	d, err := byHand(t, h, "MED-1", 60_00)
	if err != nil || d.Blocked != 60_00 {
		t.Fatalf("%+v, %v", d, err)
	}
	if again, err := byHand(t, h, "MED-1", 60_00); err != nil || again.ID != d.ID {
		t.Errorf("the form sent twice: %+v, %v", again, err)
	}
	if _, err := byHand(t, h, "MED-2", 1_00); code(err) != refusal.WrongState {
		t.Errorf("a second open dispute: %v", err)
	}
	held(t, h, 99_01, -60_00, 0)
	if _, err := h.RecordAnswerSent(t.Context(), h.Staff(t), d.ID); code(err) != refusal.WrongState {
		t.Errorf("no answer was sent: %v", err)
	}
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	if _, err := h.RecordAnswerSent(t.Context(), h.Staff(t), d.ID); err != nil {
		t.Error(err)
	}
	ref := contestAtBank(t, h, c, 60_00)
	closed := control.CloseRequest{ID: ref, Outcome: "RETURNED"}
	if _, err := h.Bank.Control.CloseDispute(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	h.Sweep(t)
	held(t, h, 99_01, -60_00, 60_00)
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeLost || d.DefenseSentAt == nil {
		t.Errorf("the dispute is %+v", d)
	}
}

// Only staff who are no members of the account open and close disputes.
func TestDispute_Staff(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	sold(t, h)
	d, err := byHand(t, h, "MED-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	in := payments.NewDispute{PaymentID: d.PaymentID, BankRef: "MED-2", Cause: "Golpe",
		AnswerBy: h.Service.Now().Add(time.Hour)}
	for name, by := range map[string]models.Actor{"a member": h.Owner, "a stranger": {UserID: models.NewUserID()}} {
		if _, err := h.OpenDispute(t.Context(), by, in); code(err) != refusal.Forbidden {
			t.Errorf("%s opens: %v", name, err)
		}
		if _, err := h.CloseDispute(t.Context(), by, d.ID, paymentstest.Reason); code(err) != refusal.Forbidden {
			t.Errorf("%s closes: %v", name, err)
		}
		if _, err := h.RecordAnswerSent(t.Context(), by, d.ID); code(err) != refusal.Forbidden {
			t.Errorf("%s ticks: %v", name, err)
		}
	}
	if _, err := h.CloseDispute(t.Context(), h.Staff(t), d.ID, "-"); code(err) != refusal.ReasonRequired {
		t.Errorf("closed without a reason: %v", err)
	}
	in.PaymentID = models.NewPaymentID()
	if _, err := h.OpenDispute(t.Context(), h.Staff(t), in); code(err) != refusal.PaymentNotFound {
		t.Errorf("a payment that is not there: %v", err)
	}
}

// A debit without a known dispute comes from available money. If the bank tells of its dispute later, it is
// the same.
func TestDispute_DebitFirst(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	h.Later(time.Second)
	ref := contestAtBank(t, h, c, 20_00)
	closed := control.CloseRequest{ID: ref, Outcome: "RETURNED"}
	if _, err := h.Bank.Control.CloseDispute(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	h.Sweep(t)
	held(t, h, 99_01, -20_00, 20_00)
	d := lastDispute(t, h)
	if d.Status != models.DisputeLost || d.Blocked != 0 || d.Returned != 20_00 {
		t.Errorf("the dispute is %+v", d)
	}
	readDisputes(t, h)
	if now := lastDispute(t, h); now.ID != d.ID || now.BankRef != ref {
		t.Errorf("the dispute is %+v", now)
	}
	held(t, h, 99_01, -20_00, 20_00)
}

// The money of a payment that no account has is not blocked, and staff cannot accept it meanwhile.
// That of an accepted one is.
func TestDispute_Exception(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	h.SetFee(t, money.Fee{})
	c := h.Charge(t, payments.NewCheckout{Amount: 50_00})
	for _, id := range h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 10_00}) {
		if _, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id}); err != nil {
			t.Fatal(err)
		}
	}
	h.Sweep(t)
	readDisputes(t, h)
	d := lastDispute(t, h)
	if d.Blocked != 0 || d.Status != models.DisputeOpen || d.AccountID == nil {
		t.Errorf("the dispute is %+v", d)
	}
	if _, err := h.AcceptException(t.Context(), h.Staff(t), d.PaymentID,
		paymentstest.Reason); code(err) != refusal.WrongState {
		t.Errorf("accepted: %v", err)
	}
	decide(t, h, d, "REJECTED", 0)
	if _, err := h.AcceptException(t.Context(), h.Staff(t), d.PaymentID, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, 10_00, 0)
	if _, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: d.EndToEndID}); err != nil {
		t.Fatal(err)
	}
	readDisputes(t, h)
	d = lastDispute(t, h)
	held(t, h, 0, 0, 0)
	blocked(t, h, 10_00)
	decide(t, h, d, "RETURNED", 0)
	held(t, h, 0, 0, 10_00)
	blocked(t, h, 0)
}

// A debit of money that no account has closes its dispute, and comes from where the money lies.
func TestDispute_Suspense(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := h.Charge(t, payments.NewCheckout{Amount: 50_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 10_00})
	h.Sweep(t)
	d := contest(t, h, c, 0)
	const of = "SELECT payment_id FROM payment_exceptions"
	_, err := h.RefundException(t.Context(), h.Staff(t), modelstest.One[string](t, h.DB, of), paymentstest.Reason, "")
	if refusal.Of(err).Code != refusal.WrongState {
		t.Errorf("the bank is asked to give contested money back: %v", err)
	}
	decide(t, h, d, "RETURNED", 0)
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeLost {
		t.Errorf("the dispute is %+v", d)
	}
	held(t, h, 0, 0, 0)
	if got := modelstest.One[string](t, h.DB, "SELECT decision FROM payment_exceptions"); got != "REFUNDED" {
		t.Errorf("the exception is %s", got)
	}
}

// A Pix for no checkout, which staff gave to an account, is blocked and taken as any other.
func TestDispute_Assigned(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	h.SetFee(t, money.Fee{})
	c := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	id := h.Pay(t, control.PayRequest{Code: c.CopyPaste, NoTxID: true})[0]
	h.Sweep(t)
	payment := modelstest.One[string](t, h.DB, "SELECT id FROM payments WHERE end_to_end_id = $1", id)
	if _, err := h.AssignException(t.Context(), h.Staff(t), payment, h.Account.ID, "",
		paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, 10_00, 0)
	if _, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id}); err != nil {
		t.Fatal(err)
	}
	readDisputes(t, h)
	d := lastDispute(t, h)
	held(t, h, 0, 0, 0)
	blocked(t, h, 10_00)
	decide(t, h, d, "RETURNED", 0)
	for range 2 {
		held(t, h, 0, 0, 10_00)
		blocked(t, h, 0)
		readDisputes(t, h)
	}
	if got := modelstest.One[string](t, h.DB, "SELECT return_failure FROM payment_exceptions"); got != "" {
		t.Errorf("the exception says %s", got)
	}
}

// An unknown word is an alarm, and final for nothing.
func TestDispute_UnknownWord(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	contestAtBank(t, h, c, 0)
	h.Fault(t, control.Fault{Name: "foreign-status"})
	h.Later(5 * time.Minute)
	err := h.TendBank(t.Context(), h.AccountID)
	d := lastDispute(t, h)
	if err == nil || d.Status != models.DisputeOpen || d.BankStatus == "" || d.Blocked != 100_00 {
		t.Errorf("%v: the dispute is %+v", err, d)
	}
	h.Heal(t)
	readDisputes(t, h)
	if d = lastDispute(t, h); d.BankStatus != "" {
		t.Errorf("the dispute is %+v", d)
	}
}

// findDisputes reads the bank's disputes, as if it were time.
func findDisputes(t *testing.T, h *bankstest.House) error {
	t.Helper()
	bank, err := h.Banks.For(t.Context(), h.AccountID)
	if err != nil {
		return err
	}
	if _, err := h.DB.Pool.Exec(t.Context(), "UPDATE bank_sweeps SET disputes_read_at = NULL"); err != nil {
		return err
	}
	return h.FindDisputes(t.Context(), bank, h.AccountID)
}

// Two processes find the same dispute, and each other act on the payment waits: the refund, the settlement
// and a second opening.
func TestDispute_Together(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	other := h.Another(t)
	destination(t, h)
	for name, step := range map[string]func(c *models.Checkout) error{
		"the same reading": func(*models.Checkout) error { return findDisputes(t, other) },
		"a refund": func(c *models.Checkout) error {
			if _, err := tryRefund(t, other, c.ID, 0); err != nil && code(err) != refusal.RefundNotPossible {
				return err
			}
			return nil
		},
		"the settlement": func(*models.Checkout) error {
			_, err := other.SettleDue(t.Context())
			return err
		},
		"a withdrawal": func(*models.Checkout) error {
			_, _, err := other.RequestWithdrawal(t.Context(), h.Account, paymentstest.Withdrawal(models.RailPix, 10_00))
			if code(err) == refusal.InsufficientBalance {
				return nil
			}
			return err
		},
	} {
		c := sold(t, h)
		h.Later(paymentstest.SettlementDelay)
		contestAtBank(t, h, c, 0)
		var first, second error
		if name == "the settlement" { // it skips what is locked
			together := make(chan error, 1)
			go func() { together <- step(c) }()
			first, second = findDisputes(t, h), <-together
		} else {
			first, second = h.Race(t, func() error { return findDisputes(t, h) }, func() error { return step(c) })
		}
		if err := errors.Join(first, second); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := modelstest.One[int](t, h.DB, `SELECT count(*) FROM disputes d JOIN payments p ON p.id = d.payment_id
			WHERE p.checkout_id = $1`, c.ID); n != 1 {
			t.Errorf("%s: %d disputes", name, n)
		}
		if drift, err := ledger.Check(t.Context(), h.DB.Pool); err != nil || len(drift) > 0 {
			t.Errorf("%s: %v, %v", name, drift, err)
		}
	}
}

// The database refuses what the code does not do.
func TestDispute_Enforced(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	d := contest(t, h, sold(t, h), 0)
	file := func(place int, mediaType string) string {
		return fmt.Sprintf("INSERT INTO dispute_files "+
			"VALUES ('dfl_00000000000000000000', '%s', %d, 'a', '%s', 'a', '%s', now())", d.ID, place, mediaType,
			h.Owner.UserID)
	}
	for name, sql := range map[string]string{
		"another amount":                 "UPDATE disputes SET amount = amount + 1",
		"blocked less":                   "UPDATE disputes SET blocked = blocked - 1, short = 0",
		"blocked more than is contested": "UPDATE disputes SET blocked = blocked + 1, short = short + 1",
		"short, and not blocked":         "UPDATE disputes SET short = short - 1",
		"won, and nothing released":      "UPDATE disputes SET status = 'WON', closed_at = now()",
		"released, and open":             "UPDATE disputes SET released = blocked",
		"accepted without an answer":     "UPDATE disputes SET status = 'ACCEPTED'",
		"closed without a time":          "UPDATE disputes SET status = 'LOST'",
		"a sixth file":                   file(6, "image/png"),
		"a file of another type":         file(1, "text/html"),
		"a refund from blocked money": `INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason,
			created_by, created_at, number, from_blocked) SELECT 'rfd_00000000000000000000', payment_id, account_id,
			true, 1, 'x', '` + h.Owner.UserID + `', now(), 9, 1 FROM disputes`,
	} {
		if _, err := h.DB.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: the database allows it", name)
		}
	}
	if _, err := h.DB.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at) VALUES ('x', 0, $1, 'platform/live/refunds', 1, now())`,
		string(ledger.Account(h.Account.ID, models.Live, ledger.Available))); err == nil {
		t.Error("available money falls further below zero")
	}
}
