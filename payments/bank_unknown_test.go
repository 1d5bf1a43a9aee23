package payments_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// A payout of which the bank does not say how it ended becomes a case: after 15 minutes staff are told, and say
// how it ended. They cannot fail what the bank says it has.
func TestBank_PayoutUnknown(t *testing.T) {
	t.Parallel()
	h := paying(t)
	by := h.Staff(t)
	told := func() int {
		return modelstest.One[int](t, h.DB, "SELECT count(DISTINCT recipient) FROM mails WHERE kind = 'payout_unknown'")
	}
	fail := func(id string) error {
		_, err := h.FailWithdrawal(t.Context(), by, id, h.Version(t, id), "OTHER", paymentstest.Reason)
		return err
	}
	gone := toPay(t, h, 50_00)
	dies(t, h, false)
	h.Later(14 * time.Minute)
	payOut(t, h)
	refused(t, "fail too early", fail(gone), refusal.WrongState)
	if n := told(); n != 0 {
		t.Errorf("%d people were told too early", n)
	}
	h.Later(time.Minute)
	payOut(t, h)
	payOut(t, h)
	const reviewers = "SELECT count(*) FROM users WHERE staff_role IS NOT NULL"
	if n, want := told(), modelstest.One[int](t, h.DB, reviewers); n != want {
		t.Errorf("%d people were told, want %d", n, want)
	}
	if err := fail(gone); err != nil {
		t.Fatal(err)
	}
	p := expectPayout(t, h, gone, failed, models.PayoutRefused)
	if *p.DecidedBy != by.UserID || p.NextLookAt == nil {
		t.Errorf("the payout is %+v", p)
	}

	kept := toPay(t, h, 50_00)
	h.Fault(t, control.Fault{Name: "send-unknown"})
	payOut(t, h)
	h.Later(16 * time.Minute)
	payOut(t, h)
	refused(t, "fail what the bank has", fail(kept), refusal.WrongState)
	p = expectPayout(t, h, kept, processing, models.PayoutProcessing)
	if _, err := h.CompleteWithdrawal(t.Context(), by, kept, h.Version(t, kept),
		payments.Proof{EndToEndID: *p.EndToEndID}); err != nil {
		t.Fatal(err)
	}
	expectPayout(t, h, kept, completed, models.PayoutDone)
	h.Heal(t)
	payLater(t, h)
	if p = expectPayout(t, h, kept, completed, models.PayoutDone); p.Failure != "" {
		t.Errorf("the payout is %+v", p)
	}
}

// What the bank says later is compared with what staff said.
func TestBank_PayoutContradicted(t *testing.T) {
	t.Parallel()
	h := paying(t)
	by := h.Staff(t)
	id := toPay(t, h, 50_00)
	dies(t, h, true)
	h.Fault(t, control.Fault{Name: "reset", On: "/gn/pix/enviados"})
	h.Later(20 * time.Minute)
	payOut(t, h)
	if _, err := h.FailWithdrawal(t.Context(), by, id, h.Version(t, id), "OTHER", paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	h.Heal(t)
	h.Later(time.Hour)
	err := h.TendPayouts(t.Context(), h.AccountID)
	if err == nil || !strings.Contains(err.Error(), "staff said how it ended, and the bank says REALIZADO") {
		t.Errorf("the bank has paid it: %v", err)
	}
	if p := expectPayout(t, h, id, failed, models.PayoutRefused); p.Failure == "" {
		t.Error("the payout does not say so")
	}
}
