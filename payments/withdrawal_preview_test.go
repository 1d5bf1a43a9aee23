package payments_test

import (
	"testing"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A preview tells what the request then makes, or why it would make nothing, and
// leaves nothing behind.
func TestPreviewWithdrawal(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	refusal := func(amount money.Cents, want fault.Code) {
		t.Helper()
		_, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailPix, amount)
		refused(t, amount.Decimal(), err, want)
	}
	refusal(4_99, fault.InvalidAmount)
	refusal(paymentstest.Policy.Max+1, fault.InvalidAmount)
	refusal(10_00, fault.Forbidden)
	g.GoLive(t)
	refusal(10_00, fault.WithdrawalReadinessRequired)
	d := g.Destination(t, models.RailPix)
	refusal(10_00, fault.InsufficientBalance)
	g.Fund(t, true, 100_00)
	refusal(100_01, fault.InsufficientBalance)
	g.Account.WithdrawalFeeFixed = 150
	w, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailPix, 100_00)
	if err != nil || w.Fee != 1_50 || w.Net() != 98_50 || w.Destination.ID != d.ID || w.Quote != nil {
		t.Errorf("%+v, %v", w, err)
	}
	g.Account.WithdrawalFeeFixed = 10_00
	refusal(10_00, fault.InvalidAmount)
	g.Account.WithdrawalsBlocked = true
	refusal(10_00, fault.WithdrawalsBlocked)
	g.Account.Suspended = true
	refusal(10_00, fault.AccountSuspended)
	if b := balance(t, g, true); b.Available != 100_00 || b.Reserved != 0 {
		t.Errorf("looking left %+v", b)
	}
}

// A withdrawal goes where its requester saw it go, for the fee that they saw, at a
// rate at most 1 % worse; else nothing happens, and the key is free.
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
	refused(t, "to another destination", request(other), fault.ChangedMeanwhile)
	refused(t, "with another fee", request(dearer), fault.ChangedMeanwhile)
	price.Store("5.06")
	g.Clock.Advance(time.Minute)
	refused(t, "at a worse rate", request(seen), fault.ChangedMeanwhile)
	if b := balance(t, g, true); b.Reserved != 0 {
		t.Errorf("what was refused reserved %s", b.Reserved.Decimal())
	}
	price.Store("5.05")
	g.Clock.Advance(time.Minute)
	if err := request(seen); err != nil {
		t.Errorf("as it was seen: %v", err)
	}
	// Repeated, it is the same withdrawal, whatever changed since.
	price.Store("9.99")
	g.Clock.Advance(time.Minute)
	if err := request(other); err != nil {
		t.Errorf("repeated: %v", err)
	}
	if b := balance(t, g, true); b.Reserved != 100_00 {
		t.Errorf("in all %s are reserved", b.Reserved.Decimal())
	}
	sound(t, g)
}
