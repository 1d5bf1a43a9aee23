package payments_test

import (
	"bytes"
	"testing"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A repeated request gets the answer of the first one although no bank account is active any more. Its key still
// belongs to its body, and a request with another key is refused.
func TestBank_KeyWithoutAccount(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	first, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = 'RETIRING' WHERE status = 'ACTIVE'")
	again, created, err := h.CreateCheckout(t.Context(), h.Live, h.Account, in)
	if err != nil || created || again.ID != first.ID || again.Status != models.CheckoutPending {
		t.Errorf("the repeated request: %+v, %t, %v", again, created, err)
	}
	other := in
	other.RequestHash = bytes.Repeat([]byte("x"), 32)
	_, _, err = h.CreateCheckout(t.Context(), h.Live, h.Account, other)
	refused(t, "the key with another body", err, refusal.IdempotencyConflict)
	fresh := in
	fresh.IdempotencyKey = "k2"
	_, _, err = h.CreateCheckout(t.Context(), h.Live, h.Account, fresh)
	refused(t, "another key", err, refusal.ProviderUnavailable)
}
