package payments_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// live returns a gateway whose merchant has the funds and can withdraw by Pix.
func live(t *testing.T, funds money.Cents) *paymentstest.Gateway {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Destination(t, models.RailPix)
	if funds > 0 {
		g.Fund(t, models.Live, funds)
	}
	return g
}

func balance(t testing.TB, g *paymentstest.Gateway, environment models.Environment) models.Balance {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), g.DB.Pool, g.Account.ID, environment)
	if err != nil {
		t.Fatal(err)
	}
	if b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() {
		t.Errorf("the balance %+v does not add up", b)
	}
	return b
}

// sound fails the test if the books do not agree with what they record.
func sound(t testing.TB, g *paymentstest.Gateway) {
	t.Helper()
	if drift, err := g.CheckBooks(context.WithoutCancel(t.Context())); len(drift) != 0 || err != nil {
		t.Errorf("drift %s, %v", strings.Join(drift, "; "), err)
	}
}

// refused fails the test unless err is the refusal want.
func refused(t testing.TB, what string, err error, want refusal.Code) {
	t.Helper()
	if got := refusal.Of(err).Code; err == nil || got != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// A request reserves the amount and keeps the current destination and fee. A repeated request
// returns the same withdrawal in its current state.
func TestRequestWithdrawal(t *testing.T) {
	t.Parallel()
	g := live(t, 500_00)
	g.SetWithdrawalFee(t, money.Fee{BasisPoints: 100, Fixed: 50})
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	w, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || !created {
		t.Fatalf("%v, %v", created, err)
	}
	if w.Status != models.WithdrawalPendingReview || w.Amount != 100_00 || w.Fee != 1_50 || w.Net() != 98_50 ||
		w.Destination.Masked != "**.***.345/01DE-**" {
		t.Errorf("made %+v", w)
	}
	if b := balance(t, g, models.Live); b.Available != 400_00 || b.Reserved != 100_00 {
		t.Errorf("balance %+v", b)
	}
	read, err := g.Withdrawal(t.Context(), g.Account.ID, models.Live, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, read); diff != "" {
		t.Errorf("the stored withdrawal (-created +read)\n%s", diff)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, w.ID); err != nil {
		t.Fatal(err)
	}
	again, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || created || again.ID != w.ID || again.Status != models.WithdrawalCancelled {
		t.Errorf("repeated: %+v, %v, %v", again, created, err)
	}
	in.RequestHash = []byte(strings.Repeat("i", 32))
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, in)
	refused(t, "another body", err, refusal.IdempotencyConflict)
	sound(t, g)
}

// Twenty concurrent requests with one key create one withdrawal.
func TestRequestWithdrawal_Twins(t *testing.T) {
	t.Parallel()
	g := live(t, 500_00)
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	var made atomic.Int32
	var group errgroup.Group
	ids := make([]string, 20)
	for i := range ids {
		group.Go(func() error {
			w, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
			if err != nil {
				return err
			}
			if ids[i] = w.ID; created {
				made.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("the requests returned %v", ids)
			break
		}
	}
	if made.Load() != 1 || count(t, g, "withdrawals") != 1 || balance(t, g, models.Live).Reserved != 100_00 {
		t.Errorf("created is true for %d requests; there are %d rows", made.Load(), count(t, g, "withdrawals"))
	}
}

// Of two requests that together exceed the balance, exactly one succeeds, every time.
func TestRequestWithdrawal_WholeBalance(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		var errs [2]error
		var won [2]*models.Withdrawal
		var group errgroup.Group
		for i := range errs {
			group.Go(func() error {
				won[i], _, errs[i] = g.RequestWithdrawal(t.Context(), g.Account,
					paymentstest.Withdrawal(models.RailPix, 100_00))
				return nil
			})
		}
		_ = group.Wait()
		winner, loser := 0, 1
		if errs[0] != nil {
			winner, loser = 1, 0
		}
		if errs[winner] != nil || refusal.Of(errs[loser]).Code != refusal.InsufficientBalance {
			t.Fatalf("round %d: %v", round, errs)
		}
		if b := balance(t, g, models.Live); b.Available != 0 || b.Reserved != 100_00 {
			t.Fatalf("round %d: %+v", round, b)
		}
		if _, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, won[winner].ID); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Hour) // canceled ones do not count for the daily limit in any case
	}
	sound(t, g)
}

// Requests are refused in the documented order, and the key is free afterwards (docs/rules.md,
// "Order of checks").
func TestRequestWithdrawal_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Service.Live = g.Simulator
	in := paymentstest.Withdrawal(models.RailPix, 4_99)
	for _, step := range []struct {
		mended string
		mend   func()
		want   refusal.Code
	}{
		{"nothing", func() {}, refusal.InvalidAmount},
		{"the minimum", func() { in.Amount = 50_000_01 }, refusal.InvalidAmount},
		{"the maximum", func() { in.Amount = 150_00; g.Account.Suspended, g.Account.WithdrawalsBlocked = true, true },
			refusal.Forbidden},
		{"the access", func() { g.Approve(t) }, refusal.AccountSuspended},
		{"the suspension", func() { g.Account.Suspended = false }, refusal.WithdrawalsBlocked},
		{"the switch", func() { g.Account.WithdrawalsBlocked = false }, refusal.WithdrawalReadinessRequired},
		{"the destination", func() { g.Destination(t, models.RailPix) }, refusal.InsufficientBalance},
		{"half the balance", func() { g.Fund(t, models.Live, 149_99) }, refusal.InsufficientBalance},
		{"the fee", func() { g.SetWithdrawalFee(t, money.Fee{Fixed: 150_00}) }, refusal.InvalidAmount},
	} {
		step.mend()
		_, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		refused(t, "with "+step.mended+" mended", err, step.want)
	}
	if n := count(t, g, "withdrawals") + count(t, g, "idempotency_keys"); n != 0 {
		t.Errorf("refusals left %d rows", n)
	}
	g.SetWithdrawalFee(t, money.Fee{})
	g.Fund(t, models.Live, 1)
	if _, created, err := g.RequestWithdrawal(t.Context(), g.Account, in); err != nil || !created {
		t.Errorf("the valid request: %v, %v", created, err)
	}
}

// The daily limit of an account covers withdrawals in progress and paid out, and not those
// that came back.
func TestRequestWithdrawal_DailyLimit(t *testing.T) {
	t.Parallel()
	g := live(t, 300_000_00)
	for range 3 {
		g.Withdraw(t, 50_000_00)
	}
	back := g.Withdraw(t, 49_999_99)
	small := paymentstest.Withdrawal(models.RailPix, 5_00)
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "beyond the limit", err, refusal.InvalidAmount)
	if !strings.Contains(err.Error(), "at most 0.01,") {
		t.Errorf("the refusal is %v", err)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, back.ID); err != nil {
		t.Fatal(err)
	}
	g.Withdraw(t, 50_000_00)
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "at the limit", err, refusal.InvalidAmount)
	g.Clock.Advance(24*time.Hour + time.Millisecond)
	if _, _, err := g.RequestWithdrawal(t.Context(), g.Account, small); err != nil {
		t.Errorf("a day later: %v", err)
	}
}
