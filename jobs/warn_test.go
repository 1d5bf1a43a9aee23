package jobs

import (
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The job that warns of certificates warns of keys, too.
func TestWarnOfExpiry_Keys(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	end := g.Clock.Now().Add(5 * 24 * time.Hour)
	if _, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "Loja",
		Permissions: merchants.CheckoutIntegration, EndsAt: &end}); err != nil {
		t.Fatal(err)
	}
	w := warnOfExpiry{Options: Options{DB: g.DB, Merchants: g.Merchants,
		Banks: banks.New(banks.Options{DB: g.DB, Vault: g.Vault, Now: g.Clock.Now})}}
	if err := w.Work(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM mails WHERE kind = 'api_key_ends'"); n != 1 {
		t.Errorf("%d mails", n)
	}
}
