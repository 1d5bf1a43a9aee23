package payments_test

import (
	"sync/atomic"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// tether returns a gateway whose merchant has the funds and can withdraw in USDT, at a price
// that the test can change.
func tether(t *testing.T, funds money.Cents) (g *paymentstest.Gateway, price *atomic.Value) {
	t.Helper()
	g = paymentstest.New(t)
	g.GoLive(t)
	price = new(atomic.Value)
	price.Store("5.00")
	g.SellAt(t, func() string { return price.Load().(string) })
	g.Destination(t, models.RailUSDT)
	g.Fund(t, models.Live, funds)
	return g, price
}

// A withdrawal to a wallet is quoted when it is requested and when it is approved. If the rate
// is then more than 1 % worse, the withdrawal stays in review with both rates.
func TestWithdrawal_Quotes(t *testing.T) {
	t.Parallel()
	g, price := tether(t, 1000_00)
	by := g.Staff(t)
	w, _, err := g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailUSDT, 100_00))
	if err != nil || w.Quote == nil || w.Quote.Rate != 500_000_000 || w.Quote.Amount != 20_000000 ||
		!w.Quote.ExpiresAt.Equal(g.Clock.Now().Add(time.Minute)) {
		t.Fatalf("%+v, %v", w, err)
	}
	for _, step := range []struct {
		price string
		want  refusal.Code // "" if the approval succeeds
		rate  int64
	}{
		{"", refusal.QuoteUnavailable, 0},
		{"5.06", refusal.QuoteWorse, 506_000_000},
		{"9.99", refusal.QuoteWorse, 999_000_000},
		{"5.05", "", 505_000_000},
	} {
		price.Store(step.price)
		g.Clock.Advance(time.Hour)
		now, err := g.ApproveWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID))
		if step.want != "" {
			refused(t, "at "+step.price, err, step.want)
		} else if err != nil {
			t.Fatalf("at %s: %v", step.price, err)
		}
		read, err := g.Withdrawal(t.Context(), g.Account.ID, models.Live, w.ID)
		if err != nil || read.Quote.Rate != 500_000_000 || (read.ApprovalQuote == nil) != (step.rate == 0) ||
			read.ApprovalQuote != nil && read.ApprovalQuote.Rate != step.rate {
			t.Errorf("at the price %s the quotes are %+v and %+v, %v", step.price, read.Quote, read.ApprovalQuote, err)
		}
		if (read.Status == models.WithdrawalApproved) != (step.want == "") ||
			now != nil && now.Version != read.Version {
			t.Errorf("at the price %s the withdrawal is %s, version %d", step.price, read.Status, read.Version)
		}
	}
	if _, err := g.StartPayout(t.Context(), by, w.ID, g.Version(t, w.ID)); err != nil {
		t.Fatal(err)
	}
	_, err = g.CompleteWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID), payments.Proof{EndToEndID: "E1"})
	refused(t, "with another rail's proof", err, refusal.ProofRequired)
	w, err = g.CompleteWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID), payments.Proof{
		TxHash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
	})
	if err != nil || w.TxHash == nil || w.EndToEndID != nil {
		t.Errorf("completed %+v, %v", w, err)
	}
	sound(t, g)
}

// Without a trustworthy rate a withdrawal is refused. The balance is checked before the rate.
func TestRequestWithdrawal_QuoteUnavailable(t *testing.T) {
	t.Parallel()
	g, price := tether(t, 100_00)
	price.Store("")
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailUSDT, 100_01))
	refused(t, "more than there is", err, refusal.InsufficientBalance)
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailUSDT, 100_00))
	refused(t, "without a rate", err, refusal.QuoteUnavailable)
	if n := count(t, g, "withdrawals"); n != 0 || balance(t, g, models.Live).Reserved != 0 {
		t.Errorf("%d withdrawals", n)
	}
}
