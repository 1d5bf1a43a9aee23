package payments_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments/paymentstest"
)

// live returns a gateway whose merchant may withdraw by Pix and has so much.
func live(t *testing.T, funds money.Cents) *paymentstest.Gateway {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Destination(t, models.RailPix)
	if funds > 0 {
		g.Fund(t, true, funds)
	}
	return g
}

func balance(t testing.TB, g *paymentstest.Gateway, livemode bool) models.Balance {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), g.DB.Pool, g.Account.ID, livemode)
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

// refused reports whether err is the fault.
func refused(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.Of(err).Code; err == nil || got != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// A request reserves the amount, keeps the destination and the fee of its moment,
// and repeated is the same withdrawal as it is then.
func TestRequestWithdrawal(t *testing.T) {
	t.Parallel()
	g := live(t, 500_00)
	g.Account.WithdrawalFeeBasisPoints, g.Account.WithdrawalFeeFixed = 100, 50
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	w, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || !created {
		t.Fatalf("%v, %v", created, err)
	}
	if w.Status != models.WithdrawalPendingReview || w.Amount != 100_00 || w.Fee != 1_50 || w.Net() != 98_50 || w.Destination.Masked != "**.***.345/01DE-**" {
		t.Errorf("made %+v", w)
	}
	if b := balance(t, g, true); b.Available != 400_00 || b.Reserved != 100_00 {
		t.Errorf("balance %+v", b)
	}
	read, err := g.Withdrawal(t.Context(), g.Account.ID, true, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, read); diff != "" {
		t.Errorf("read back (-made +read)\n%s", diff)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, w.ID); err != nil {
		t.Fatal(err)
	}
	again, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || created || again.ID != w.ID || again.Status != models.WithdrawalCancelled {
		t.Errorf("repeated: %+v, %v, %v", again, created, err)
	}
	in.RequestHash = []byte(strings.Repeat("i", 32))
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, in)
	refused(t, "another body", err, fault.IdempotencyConflict)
	sound(t, g)
}

// Twenty requests with one key at once make one withdrawal.
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
			t.Errorf("the requests got %v", ids)
			break
		}
	}
	if made.Load() != 1 || count(t, g, "withdrawals") != 1 || balance(t, g, true).Reserved != 100_00 {
		t.Errorf("made %d, %d rows", made.Load(), count(t, g, "withdrawals"))
	}
}

// Two requests that together exceed the balance: one wins, whichever, every time.
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
				won[i], _, errs[i] = g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 100_00))
				return nil
			})
		}
		_ = group.Wait()
		winner, loser := 0, 1
		if errs[0] != nil {
			winner, loser = 1, 0
		}
		if errs[winner] != nil || fault.Of(errs[loser]).Code != fault.InsufficientBalance {
			t.Fatalf("round %d: %v", round, errs)
		}
		if b := balance(t, g, true); b.Available != 0 || b.Reserved != 100_00 {
			t.Fatalf("round %d: %+v", round, b)
		}
		if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, won[winner].ID); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Hour) // cancelled ones do not count for the day's limit anyway
	}
	sound(t, g)
}

// What refuses a request, in the order of decisions 2; the key is free afterwards.
func TestRequestWithdrawal_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Service.Live = g.Simulator
	in := paymentstest.Withdrawal(models.RailPix, 4_99)
	for _, step := range []struct {
		mended string
		mend   func()
		want   fault.Code
	}{
		{"nothing", func() {}, fault.InvalidAmount},
		{"the minimum", func() { in.Amount = 50_000_01 }, fault.InvalidAmount},
		{"the maximum", func() { in.Amount = 150_00; g.Account.Suspended, g.Account.WithdrawalsBlocked = true, true }, fault.Forbidden},
		{"the access", func() { g.Approve(t) }, fault.AccountSuspended},
		{"the suspension", func() { g.Account.Suspended = false }, fault.WithdrawalsBlocked},
		{"the switch", func() { g.Account.WithdrawalsBlocked = false }, fault.WithdrawalReadinessRequired},
		{"the destination", func() { g.Destination(t, models.RailPix) }, fault.InsufficientBalance},
		{"half the balance", func() { g.Fund(t, true, 149_99) }, fault.InsufficientBalance},
		{"the fee", func() { g.Account.WithdrawalFeeFixed = 150_00 }, fault.InvalidAmount},
	} {
		step.mend()
		_, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		refused(t, "with "+step.mended+" mended", err, step.want)
	}
	if n := count(t, g, "withdrawals") + count(t, g, "idempotency_keys"); n != 0 {
		t.Errorf("refusals left %d rows", n)
	}
	g.Account.WithdrawalFeeFixed = 0
	g.Fund(t, true, 1)
	if _, created, err := g.RequestWithdrawal(t.Context(), g.Account, in); err != nil || !created {
		t.Errorf("at last: %v, %v", created, err)
	}
}

// An account has a limit for 24 hours, of what it asked for and did not get back.
func TestRequestWithdrawal_DailyLimit(t *testing.T) {
	t.Parallel()
	g := live(t, 300_000_00)
	for range 3 {
		g.Withdraw(t, 50_000_00)
	}
	back := g.Withdraw(t, 49_999_99)
	small := paymentstest.Withdrawal(models.RailPix, 5_00)
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "beyond the limit", err, fault.InvalidAmount)
	if !strings.Contains(err.Error(), "at most 0.01,") {
		t.Errorf("the refusal says %v", err)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, back.ID); err != nil {
		t.Fatal(err)
	}
	g.Withdraw(t, 50_000_00)
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "at the limit", err, fault.InvalidAmount)
	g.Clock.Advance(24*time.Hour + time.Millisecond)
	if _, _, err := g.RequestWithdrawal(t.Context(), g.Account, small); err != nil {
		t.Errorf("a day later: %v", err)
	}
}
