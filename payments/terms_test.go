package payments_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// ownFee gives the merchant a fee of its own from a moment on, as an approval does; nil means
// the installation's fee.
func ownFee(t *testing.T, g *paymentstest.Gateway, fee *money.Fee, from time.Time) {
	t.Helper()
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertAccountFee(tx, models.AccountFee{AccountID: g.Account.ID, Fee: fee, ValidFrom: from,
			WrittenAt: g.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A charge costs the fee that its account had when the charge was created, whatever changed
// until it was paid: the setting, the account's own fee, or back.
func TestFee_OfCreation(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	start := g.Clock.Now()
	type charge struct {
		*models.Checkout
		when string
		fee  money.Cents
	}
	var charges []charge
	create := func(when string, fee money.Cents) {
		charges = append(charges, charge{g.Checkout(t, payments.NewCheckout{Amount: 100_00, ExpiresIn: time.Hour}),
			when, fee})
		g.Clock.Advance(time.Second)
	}
	create("first", 99)
	g.SetFee(t, money.Fee{BasisPoints: 150, Fixed: 10})
	create("after the setting", 160)
	ownFee(t, g, &money.Fee{BasisPoints: 200}, start.Add(10*time.Minute)) // later
	create("before the moment", 160)
	ownFee(t, g, &money.Fee{Fixed: 45}, g.Clock.Now())
	create("with a fee of its own", 45)
	g.Clock.Advance(10 * time.Minute)
	create("after the moment of the earlier decision", 45)
	ownFee(t, g, nil, g.Clock.Now())
	create("as the installation again", 160)
	g.SetFee(t, money.Fee{})
	create("at last", 0)

	g.Clock.Advance(time.Minute)
	for _, c := range charges {
		if err := g.SimulatePayment(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		var fee money.Cents
		if err := g.DB.Pool.QueryRow(t.Context(), "SELECT fee FROM payments WHERE checkout_id = $1",
			c.ID).Scan(&fee); err != nil ||
			fee != c.fee {
			t.Errorf("%s: the fee is %d, %v; want %d", c.when, fee, err, c.fee)
		}
	}
	if drift, err := models.LedgerDrift(t.Context(), g.DB.Pool); err != nil || len(drift) > 0 {
		t.Errorf("drift of the books: %+v, %v", drift, err)
	}
}

// Accepting an exception costs the fee of the charge for which the money was sent.
func TestFee_OfAcceptedException(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 90_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Minute)
	g.SetFee(t, money.Fee{BasisPoints: 1000})
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 1})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d exceptions, %v", len(open), err)
	}
	x, err := g.AcceptException(t.Context(), g.Staff(t), open[0].PaymentID, "Combinado com o comprador.")
	if err != nil || x.Fee != 89 { // 0.891 of 90.00
		t.Errorf("the fee is %+v, %v; want 89", x, err)
	}
}

// A repeated request returns its first result, whatever the account may charge now. New
// requests must keep the current limits, by the dashboard, a key and a link alike.
func TestCreateCheckout_Bounds(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{Amount: 100_00, IdempotencyKey: "k1"})
	first, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil || !created {
		t.Fatalf("created %t, %v", created, err)
	}
	least, most := money.Cents(20_00), money.Cents(50_00)
	g.SetLimits(t, models.Limits{MinAmount: &least, MaxAmount: &most})
	again, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil || created || again.ID != first.ID {
		t.Errorf("repeated: %+v, %t, %v", again, created, err)
	}
	in.RequestHash = []byte("another body, of as many bytes..")
	if _, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account,
		in); refusal.Of(err).Code != refusal.IdempotencyConflict {
		t.Errorf("another body: %v", err)
	}
	for _, amount := range []money.Cents{least - 1, most + 1} {
		_, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account,
			paymentstest.Filled(payments.NewCheckout{Amount: amount, IdempotencyKey: "k2"}))
		outside, is := errors.AsType[payments.OutOfBounds](err)
		if !is || outside != (payments.OutOfBounds{Min: least, Max: most}) ||
			refusal.Of(err).Code != refusal.InvalidRequestBody {
			t.Errorf("%d: %v", amount, err)
		}
	}
	for _, amount := range []money.Cents{least, most} {
		if _, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account,
			paymentstest.Filled(payments.NewCheckout{Amount: amount})); err != nil {
			t.Errorf("%d: %v", amount, err)
		}
	}
}

// Limits apply from their moment on. Of the limits whose moment has come, those written last
// apply.
func TestLimits_FromAMoment(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	write := func(most money.Cents, after time.Duration) {
		t.Helper()
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertAccountLimits(tx, models.AccountLimits{
				AccountID: g.Account.ID, Limits: models.Limits{MaxAmount: &most},
				ValidFrom: g.Clock.Now().Add(after), WrittenAt: g.Clock.Now(),
			})
		})
		if err == nil {
			g.Account, err = models.AccountByID(t.Context(), g.DB, g.Account.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want money.Cents) {
		t.Helper()
		if least, most := g.Bounds(g.Account); least != 1 || most != want {
			t.Errorf("the limits are %d to %d, want 1 to %d", least, most, want)
		}
	}
	holds(1_000_000_00)
	write(500_00, time.Hour)
	holds(1_000_000_00)
	g.Clock.Advance(time.Hour)
	holds(500_00)
	write(700_00, 2*time.Hour)
	write(600_00, 0)
	holds(600_00)
	g.Clock.Advance(2 * time.Hour)
	holds(600_00)
}

// A link refuses amounts that its account may not charge now. A form that was sent before
// returns its charge.
func TestPaymentLink_Bounds(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "form-1"})
	if err != nil {
		t.Fatal(err)
	}
	most := first.Amount - 1
	g.SetLimits(t, models.Limits{MaxAmount: &most})
	if again, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "form-1"}); err != nil ||
		again.ID != first.ID {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	if _, err := g.UsePaymentLink(t.Context(), link.ID,
		payments.LinkChoice{Form: "form-2"}); refusal.Of(err).Code != refusal.PaymentLinkNotFound {
		t.Errorf("used: %v", err)
	}
	public, err := g.PublicPaymentLink(t.Context(), link.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.LinkOffer(link, &public.Account); refusal.Of(err).Code != refusal.PaymentLinkNotFound {
		t.Errorf("shown: %v", err)
	}
}

// A repeated request for a withdrawal returns its first result after the installation's limits
// have changed.
func TestRequestWithdrawal_BoundsChanged(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Fund(t, models.Live, 100_00)
	g.Destination(t, models.RailPix)
	in := payments.NewWithdrawal{Rail: models.RailPix, Amount: 20_00, By: g.Owner, IdempotencyKey: "w1",
		RequestHash: make([]byte, 32)}
	first, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, bounds := range [][2]money.Cents{{50_00, 100_00}, {1, 10_00}} {
		g.Withdrawals.Min, g.Withdrawals.Max = bounds[0], bounds[1]
		again, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		if err != nil || created || again.ID != first.ID {
			t.Errorf("%v: %+v, %t, %v", bounds, again, created, err)
		}
		fresh := in
		fresh.IdempotencyKey = "w2"
		if _, _, err := g.RequestWithdrawal(t.Context(), g.Account,
			fresh); refusal.Of(err).Code != refusal.InvalidAmount {
			t.Errorf("%v: a new request: %v", bounds, err)
		}
	}
}

// A destination is on hold for the time in its account's terms.
func TestApproveDestination_OwnHold(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	hold := int64(3 * 24 * 3600)
	g.SetLimits(t, models.Limits{DestinationHold: &hold})
	d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "CPF", Address: "529.982.247-25", HolderName: "Ana"})
	if err == nil {
		err = g.ApproveDestination(t.Context(), g.Staff(t), d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	var usable time.Time
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT usable_at FROM destinations WHERE id = $1",
		d.ID).Scan(&usable); err != nil ||
		!usable.Equal(g.Clock.Now().Add(72*time.Hour)) {
		t.Errorf("usable at %s, %v", usable, err)
	}
}
