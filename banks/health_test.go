package banks_test

import (
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// sell charges, lets the buyer pay and reads the bank's list of Pix. It returns the Pix's id.
func sell(t *testing.T, h *bankstest.House) string {
	t.Helper()
	c := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	id := h.Pay(t, control.PayRequest{Code: c.CopyPaste})[0]
	h.Sweep(t)
	if got := h.State(t, c.ID).Status; got != models.CheckoutPaid {
		t.Fatalf("the checkout is %s", got)
	}
	return id
}

// health returns the health of the house's account.
func health(t *testing.T, h *bankstest.House) banks.Health {
	t.Helper()
	all, err := h.Banks.AllHealth(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d accounts: %v", len(all), err)
	}
	return all[0]
}

// Notices are missed from the first Pix that came without one until the next notice. Without an address, before
// the bank has it, and without Pix, none is missed.
func TestHealth_Unnoticed(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	misses := func(what string, since *time.Time) {
		t.Helper()
		got := health(t, h)
		if got.Has(banks.Unnoticed) != (since != nil) ||
			since != nil && (got.Bad() || got.Unnoticed.Sub(*since).Abs() > time.Second) {
			t.Errorf("%s: missed since %v, want %v; %+v", what, got.Unnoticed, since, got.Concerns)
		}
	}
	sell(t, h)
	h.Later(2 * time.Minute)
	misses("without an address", nil)
	n := h.Receive(t)
	misses("before the registration", nil)
	h.Register(t)
	h.Later(2 * time.Minute)
	misses("without a Pix since", nil)

	h.Fault(t, control.Fault{Name: "no-notices"})
	first := h.Bank.Clock.Now()
	sell(t, h)
	misses("at once", nil)
	h.Later(2 * time.Minute)
	misses("after a moment", &first)
	sell(t, h)
	h.Later(2 * time.Minute)
	misses("after another Pix", &first)
	h.Banks.NoticesURL = "https://another.example"
	misses("at another address", nil)
	h.Banks.NoticesURL = ""
	misses("with notices off", nil)
	h.Banks.NoticesURL = n.URL

	h.Heal(t)
	sell(t, h)
	<-n.Received
	misses("after a notice", nil)
	h.Later(2 * time.Minute)
	misses("some time after a notice", nil)
	h.Later(31 * 24 * time.Hour)
	kept := h.Bank.Clock.Now().Add(-30 * 24 * time.Hour)
	if _, err := models.DeleteBankNotices(t.Context(), h.DB.Pool, kept); err != nil {
		t.Fatal(err)
	}
	misses("after the notice was deleted", nil)
}

// A bank whose clock is ahead gives notice of a Pix before the Pix's time.
func TestHealth_UnnoticedSkew(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	h.Register(t)
	h.Fault(t, control.Fault{Name: "skew", Value: "3m"})
	for range 10 { // of which the gateway learns the skew
		h.Sweep(t)
	}
	c := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	<-n.Received
	h.Follow(t)
	if got := h.State(t, c.ID).Status; got != models.CheckoutPaid {
		t.Errorf("the checkout is %s", got)
	}
	h.Later(2 * time.Minute)
	save(t, h)
	if got := health(t, h); got.Has(banks.Unnoticed) || !got.Has(banks.Clock) {
		t.Errorf("the troubles are %+v", got.Concerns)
	}
}

// An unknown word for a dispute is bad as long as the dispute is open, and for a week after the bank has ended it.
func TestHealth_Contested(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	id := sell(t, h)
	dispute, err := h.Bank.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id})
	if err != nil {
		t.Fatal(err)
	}
	reads := func() {
		t.Helper()
		h.Later(5 * time.Minute)
		_ = h.TendBank(t.Context(), h.AccountID) // an unknown word is an error
	}
	reads()
	if got := health(t, h); got.Has(banks.Contested) {
		t.Errorf("of a known word: %+v", got.Concerns)
	}
	h.Fault(t, control.Fault{Name: "foreign-status", On: "infracoes"})
	reads()
	got := health(t, h)
	if !got.Has(banks.Contested) || !got.Bad() || len(got.Contested) != 1 || got.Contested[0].BankRef != dispute.ID ||
		got.Contested[0].BankStatus == "" {
		t.Errorf("of an unknown word: %+v", got)
	}
	modelstest.Exec(t, h.DB, "ALTER TABLE disputes DISABLE TRIGGER disputes_transition")
	for name, end := range map[string]struct {
		set  string
		want bool
	}{
		"ended now":        {"closed_by = NULL, closed_at = $1", true},
		"ended by staff":   {"closed_by = (SELECT id FROM users LIMIT 1), closed_at = $1", false},
		"ended a week ago": {"closed_by = NULL, closed_at = $1::timestamptz - interval '8 days'", false},
	} {
		modelstest.Exec(t, h.DB, "UPDATE disputes SET status = 'LOST', "+end.set, h.Bank.Clock.Now())
		if got := health(t, h); got.Has(banks.Contested) != end.want {
			t.Errorf("%s: %+v", name, got.Concerns)
		}
	}
	h.Heal(t)
	reads()
	if got := health(t, h); got.Has(banks.Contested) {
		t.Errorf("of a known word again: %+v", got.Concerns)
	}
}
