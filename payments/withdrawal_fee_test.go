package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A withdrawal costs the fee that its account had when the withdrawal was requested, whatever
// changes until it is paid: the setting, the account's own fee, or back.
func TestWithdrawalFee_OfRequest(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	var made []*models.Withdrawal
	costs := func(when string, want money.Cents) {
		t.Helper()
		terms, err := g.TermsAt(t.Context(), g.Account, g.Clock.Now())
		if err != nil || terms.WithdrawalFee.Of(100_00) != want {
			t.Errorf("%s: the terms are %s, %v; want %s", when, terms.WithdrawalFee, err, want.Decimal())
		}
		w := g.Withdraw(t, 100_00)
		if w.Fee != want {
			t.Errorf("%s: the fee is %s, want %s", when, w.Fee.Decimal(), want.Decimal())
		}
		made = append(made, w)
		g.Clock.Advance(time.Second)
	}
	own := func(fee *money.Fee, from time.Time) {
		t.Helper()
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertAccountFee(tx, models.AccountFee{AccountID: g.Account.ID, WithdrawalFee: fee,
				ValidFrom: from, WrittenAt: g.Clock.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	costs("by default", 0)
	g.Withdrawals.Fee = money.Fee{Fixed: 2_50}
	costs("after the setting", 2_50)
	own(&money.Fee{BasisPoints: 100}, g.Clock.Now().Add(time.Hour))
	costs("before the moment", 2_50)
	g.Clock.Advance(time.Hour)
	costs("from the moment on", 1_00)
	own(&money.Fee{}, g.Clock.Now())
	costs("with none", 0)
	own(nil, g.Clock.Now())
	costs("as the installation again", 2_50)
	for _, w := range made {
		read, err := g.Withdrawal(t.Context(), g.Account.ID, models.Live, w.ID)
		if err != nil || read.Fee != w.Fee {
			t.Errorf("the fee is %+v, %v; it was %s", read, err, w.Fee.Decimal())
		}
	}
	sound(t, g)
}

// A fee that is approved while a withdrawal is being requested applies to it. A person who saw
// the previous fee is asked to look again.
func TestWithdrawalFee_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	staff := func(email string) models.Actor {
		t.Helper()
		id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva", Email: email,
			Password: paymentstest.Password, Role: models.StaffSupervisor})
		if err != nil {
			t.Fatal(err)
		}
		return models.Actor{UserID: id}
	}
	eva, rui := staff("eva@staff.example"), staff("rui@staff.example")
	seen, err := g.PreviewWithdrawal(t.Context(), g.Account, models.RailPix, 100_00)
	if err != nil {
		t.Fatal(err)
	}
	race := func(made int, fee money.Cents, in payments.NewWithdrawal) (w *models.Withdrawal, err error) {
		t.Helper()
		id, err := g.Merchants.ProposeFee(t.Context(), eva, g.Account.ID, merchants.NewFeeProposal{
			WithdrawalFee: &money.Fee{Fixed: fee}, Reason: paymentstest.Reason, Seen: made})
		if err != nil {
			t.Fatal(err)
		}
		approved, err := g.Race(t, func() error { return g.Merchants.ApproveFee(t.Context(), rui, id) },
			func() (err error) { w, _, err = g.RequestWithdrawal(t.Context(), g.Account, in); return err })
		if approved != nil {
			t.Fatal(approved)
		}
		return w, err
	}
	w, err := race(0, 3_00, paymentstest.Withdrawal(models.RailPix, 100_00))
	if err != nil || w.Fee != 3_00 {
		t.Errorf("the fee is %+v, %v", w, err)
	}
	g.Clock.Advance(time.Minute)
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	in.By, in.Seen = g.Owner, &payments.SeenWithdrawal{DestinationID: seen.Destination.ID, Fee: 3_00}
	_, err = race(1, 4_00, in)
	refused(t, "with the previous fee", err, refusal.ChangedMeanwhile)
	if b := balance(t, g, models.Live); b.Reserved != 100_00 {
		t.Errorf("%s is reserved", b.Reserved.Decimal())
	}
	sound(t, g)
}
