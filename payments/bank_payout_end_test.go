package payments_test

import (
	"context"
	"testing"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// What certainly was not sent is sent later, by the same id.
func TestBank_PayoutNotSent(t *testing.T) {
	t.Parallel()
	for _, fault := range []control.Fault{
		{Name: "429", On: sendPath, Times: 1}, {Name: "403", On: sendPath, Times: 1},
	} {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			h := paying(t)
			id := toPay(t, h, 50_00)
			h.Fault(t, fault)
			payOut(t, h)
			p := expectPayout(t, h, id, processing, models.PayoutStored)
			if p.Failure == "" {
				t.Error("the payout does not say why it waits")
			}
			payUntilEnded(t, h, id)
			expectPayout(t, h, id, completed, models.PayoutDone)
		})
	}
}

// A payout that the bank refuses leaves the money with the merchant: the bank has not as much, or it refuses the
// request.
func TestBank_PayoutRefused(t *testing.T) {
	t.Parallel()
	t.Run("balance", func(t *testing.T) {
		t.Parallel()
		h := paying(t)
		id := toPay(t, h, 50_00)
		// The installation takes money out of its account at the bank.
		payer, err := h.Banks.For(t.Context(), h.AccountID)
		if err == nil {
			_, err = payer.(psp.Payer).Send(t.Context(), psp.Payout{ID: "outra", Key: "a@example.com", Amount: 60_00})
		}
		if err != nil {
			t.Fatal(err)
		}
		payOut(t, h)
		payUntilEnded(t, h, id)
		p := expectPayout(t, h, id, failed, models.PayoutRefused)
		w, err := h.Withdrawal(t.Context(), h.Account.ID, models.Live, id)
		if err != nil || *w.FailureCode != "PROVIDER_REFUSED" ||
			*w.Reason != "O banco recusou o envio: Saldo insuficiente." || p.Code != "NAO_REALIZADO" {
			t.Errorf("the withdrawal is %+v, the payout %+v, %v", w, p, err)
		}
	})
	t.Run("request", func(t *testing.T) {
		t.Parallel()
		h := paying(t)
		id := toPay(t, h, 50_00)
		h.Service.Banks = payers{h.Banks, func(ctx context.Context, payer psp.Payer, p psp.Payout) (psp.Sent, error) {
			p.Key, p.Document = "nobody@example.com", "11111111111" // no CPF
			return payer.Send(ctx, p)
		}}
		payOut(t, h)
		expectPayout(t, h, id, failed, models.PayoutRefused)
		if n := sentAt(t, h); n != 0 {
			t.Errorf("the bank has %d payouts", n)
		}
	})
}

// A payout waits while the account is stopped, also after it is stored.
func TestBank_PayoutStopped(t *testing.T) {
	t.Parallel()
	h := paying(t)
	stop := func(blocked bool) {
		t.Helper()
		if _, err := h.DB.Pool.Exec(t.Context(), "UPDATE accounts SET withdrawals_blocked = $2 WHERE id = $1",
			h.Account.ID, blocked); err != nil {
			t.Fatal(err)
		}
	}
	id := toPay(t, h, 50_00)
	stop(true)
	payOut(t, h)
	if got := stand(t, h.Gateway, id); got != "APPROVED -50.00 50.00 0.00 0.00" {
		t.Errorf("the withdrawal is %s", got)
	}
	stop(false)
	h.Fault(t, control.Fault{Name: "reset", On: "/gn/pix/enviados"})
	payOut(t, h)
	h.Heal(t)
	stop(true)
	payLater(t, h)
	payLater(t, h)
	expectPayout(t, h, id, processing, models.PayoutStored)
	stop(false)
	payUntilEnded(t, h, id)
	expectPayout(t, h, id, completed, models.PayoutDone)
}

// While the bank may be paying, staff can neither complete nor fail the withdrawal; before anything has left
// they can fail it.
func TestBank_PayoutAndStaff(t *testing.T) {
	t.Parallel()
	h := paying(t)
	by := h.Staff(t)
	id := toPay(t, h, 50_00)
	h.Fault(t, control.Fault{Name: "reset", On: "/gn/pix/enviados"})
	payOut(t, h)
	complete := func() error {
		_, err := h.CompleteWithdrawal(t.Context(), by, id, h.Version(t, id), payments.Proof{EndToEndID: "E1"})
		return err
	}
	fail := func() error {
		_, err := h.FailWithdrawal(t.Context(), by, id, h.Version(t, id), "OTHER", paymentstest.Reason)
		return err
	}
	refused(t, "complete what is stored", complete(), refusal.WrongState)
	if err := fail(); err != nil {
		t.Fatal(err)
	}
	p := expectPayout(t, h, id, failed, models.PayoutRefused)
	if p.DecidedBy == nil || p.NextLookAt != nil || p.Code != "OTHER" {
		t.Errorf("the payout is %+v", p)
	}
	h.Heal(t)
	id = toPay(t, h, 50_00)
	payOut(t, h)
	refused(t, "complete what is processed", complete(), refusal.WrongState)
	refused(t, "fail what is processed", fail(), refusal.WrongState)
	payUntilEnded(t, h, id)
	expectPayout(t, h, id, completed, models.PayoutDone)
	if n := sentAt(t, h); n != 1 {
		t.Errorf("the bank has %d payouts", n)
	}
}

// The database itself refuses to end a withdrawal whose payout has not ended.
func TestBank_PayoutGuarded(t *testing.T) {
	t.Parallel()
	h := paying(t)
	id := toPay(t, h, 50_00)
	payOut(t, h)
	_, err := h.DB.Pool.Exec(t.Context(), `UPDATE withdrawals SET status = 'FAILED', version = version + 1,
		failure_code = 'X1', reason = 'x' WHERE id = $1`, id)
	if !models.Violates(err, "withdrawals_payout") {
		t.Errorf("failed meanwhile: %v", err)
	}
	payUntilEnded(t, h, id)
	_, err = h.DB.Pool.Exec(t.Context(), "UPDATE payout_attempts SET status = 'SENDING' WHERE withdrawal_id = $1", id)
	if !models.Violates(err, "payout_attempts_transition") {
		t.Errorf("sent again: %v", err)
	}
}
