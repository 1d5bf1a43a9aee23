package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// PreviewWithdrawal returns what the request then creates, or refuses for the same reason, and
// changes nothing.
func TestPreviewWithdrawal(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	refuses := func(amount money.Cents, want refusal.Code) {
		t.Helper()
		_, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailPix, amount)
		refused(t, amount.Decimal(), err, want)
	}
	refuses(4_99, refusal.InvalidAmount)
	refuses(paymentstest.Policy.Max+1, refusal.InvalidAmount)
	refuses(10_00, refusal.Forbidden)
	g.GoLive(t)
	refuses(10_00, refusal.WithdrawalReadinessRequired)
	d := g.Destination(t, models.RailPix)
	refuses(10_00, refusal.InsufficientBalance)
	g.Fund(t, models.Live, 100_00)
	refuses(100_01, refusal.InsufficientBalance)
	g.SetWithdrawalFee(t, money.Fee{Fixed: 1_50})
	w, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailPix, 100_00)
	if err != nil || w.Fee != 1_50 || w.Net() != 98_50 || w.Destination.ID != d.ID || w.Quote != nil {
		t.Errorf("%+v, %v", w, err)
	}
	g.SetWithdrawalFee(t, money.Fee{Fixed: 10_00})
	refuses(10_00, refusal.InvalidAmount)
	g.Account.WithdrawalsBlocked = true
	refuses(10_00, refusal.WithdrawalsBlocked)
	g.Account.Suspended = true
	refuses(10_00, refusal.AccountSuspended)
	if b := balance(t, g, models.Live); b.Available != 100_00 || b.Reserved != 0 {
		t.Errorf("after the preview the balance is %+v", b)
	}
}

// RequestWithdrawal creates a withdrawal only if the destination and the fee are those that
// the person saw and the rate is at most 1 % worse. Otherwise nothing happens, and the key is
// free.
func TestRequestWithdrawal_Seen(t *testing.T) {
	t.Parallel()
	g, price := tether(t, 1000_00)
	look, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailUSDT, 100_00)
	if err != nil {
		t.Fatal(err)
	}
	seen := payments.SeenWithdrawal{DestinationID: look.Destination.ID, Fee: look.Fee, Rate: look.Quote.Rate}
	in := paymentstest.Withdrawal(models.RailUSDT, 100_00)
	request := func(seen payments.SeenWithdrawal) error {
		in.Seen = &seen
		_, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		return err
	}
	other, dearer := seen, seen
	other.DestinationID, dearer.Fee = "dst_00000000000000000000", 1
	refused(t, "to another destination", request(other), refusal.ChangedMeanwhile)
	refused(t, "with another fee", request(dearer), refusal.ChangedMeanwhile)
	price.Store("5.06")
	g.Clock.Advance(time.Minute)
	refused(t, "at a worse rate", request(seen), refusal.ChangedMeanwhile)
	if b := balance(t, g, models.Live); b.Reserved != 0 {
		t.Errorf("refused requests reserved %s", b.Reserved.Decimal())
	}
	price.Store("5.05")
	g.Clock.Advance(time.Minute)
	if err := request(seen); err != nil {
		t.Errorf("with what the person saw: %v", err)
	}
	// A repeated request returns the same withdrawal, whatever has changed.
	price.Store("9.99")
	g.Clock.Advance(time.Minute)
	if err := request(other); err != nil {
		t.Errorf("repeated: %v", err)
	}
	if b := balance(t, g, models.Live); b.Reserved != 100_00 {
		t.Errorf("in total %s is reserved", b.Reserved.Decimal())
	}
	sound(t, g)
}
