package payments_test

import (
	"strings"
	"testing"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// A charge is stored before the bank is asked for it, with and without an idempotency key.
func TestBank_NothingStored(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"with a key": "k", "without a key": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			h.Service.Banks = between{Banks: h.Banks, before: func() error {
				const creating = "SELECT count(*) FROM bank_charges WHERE status = 'CREATING'"
				if n := modelstest.One[int](t, h.DB, creating); n != 1 {
					t.Errorf("during PutCharge %d charges are stored", n)
				}
				return nil
			}}
			c := h.Charge(t, payments.NewCheckout{IdempotencyKey: key})
			if got := h.BankCharge(t, c.ID); got.Status != models.BankChargeOpen || got.TxID != c.TxID ||
				got.BankAccountID != h.AccountID || got.Amount != c.Amount {
				t.Errorf("the charge is %+v", got)
			}
		})
	}
}

// Every error of a bank is 503, and the message says whether the bank refused.
func TestBank_OtherErrors(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	for _, kind := range []psp.Kind{psp.Invalid, psp.Unauthorized, psp.Forbidden, psp.NotFound, psp.Conflict,
		psp.Limited, psp.Unavailable, psp.Ambiguous, psp.Protocol} {
		h.Service.Banks = between{Banks: h.Banks, before: func() error {
			return &psp.Error{Kind: kind, Op: "put charge"}
		}}
		_, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, paymentstest.Filled(payments.NewCheckout{}))
		code := refusal.Of(err)
		if code.Code != refusal.ProviderUnavailable {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if says := strings.Contains(code.Message, "refused"); says != kind.Refused() {
			t.Errorf("%s: %s", kind, code.Message)
		}
	}
}

// A Pix that the bank reports before its checkout is written waits for the checkout, and pays it.
func TestBank_EarlyNotice(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	other := h.Another(t)
	h.Service.Banks = between{Banks: h.Banks, after: func() error {
		txID := modelstest.One[string](t, h.DB, "SELECT txid FROM bank_charges")
		early := psp.Payment{EndToEndID: "E9999999920261124120000000000001", TxID: txID, Amount: 10_00,
			PaidAt: h.Bank.Clock.Now()}
		left, err := other.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{early})
		if err != nil || len(left) != 1 {
			t.Errorf("recorded early: %v, %v", left, err)
		}
		return nil
	}}
	c := h.Charge(t, payments.NewCheckout{})
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payments"); n != 0 {
		t.Errorf("%d payments are recorded before the checkout", n)
	}
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPaid)
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payment_exceptions"); n != 0 {
		t.Errorf("%d exceptions", n)
	}
}
