package payments_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Of those who decide by the same form at the same time, one blocks.
func TestBlockAmount_Seen(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	g.Fund(t, models.Test, 100_00)
	var group errgroup.Group
	blocked := make([]error, 5)
	for i := range blocked {
		group.Go(func() error {
			_, blocked[i] = g.BlockAmount(t.Context(), by, payments.NewBlock{AccountID: g.Account.ID,
				Environment: models.Environment(i%2 == 1), Amount: 1_00, Reason: paymentstest.Reason})
			return nil
		})
	}
	_ = group.Wait()
	done := 0
	for i, err := range blocked {
		switch {
		case err == nil:
			done++
		case i%2 == 1 && refusal.Of(err).Code == refusal.InsufficientBalance: // nothing is live, and it came first
		default:
			refused(t, "by the same form", err, refusal.ChangedMeanwhile)
		}
	}
	if now := balance(t, g, models.Test); done != 1 || now.Blocked != 1_00 {
		t.Errorf("%d blocked: %+v", done, now)
	}
	sound(t, g)
}

// An amount is blocked until the whole of it is released, once.
func TestBlockAmount(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	g.Fund(t, models.Test, 100_00)
	seen := 0
	block := func(by models.Actor, amount money.Cents, reason string) (*models.BlockedAmount, error) {
		return g.BlockAmount(t.Context(), by, payments.NewBlock{
			AccountID: g.Account.ID, Environment: models.Test, Amount: amount, Reason: reason, Seen: seen,
		})
	}
	b, err := block(by, 60_00, "MED: contestação do pagador.")
	if err != nil {
		t.Fatal(err)
	}
	_, err = block(by, 1, paymentstest.Reason)
	refused(t, "with the form of before", err, refusal.ChangedMeanwhile)
	seen = 1
	_, err = block(by, 40_01, paymentstest.Reason)
	refused(t, "more than is available", err, refusal.InsufficientBalance)
	_, err = block(by, 0, paymentstest.Reason)
	refused(t, "nothing", err, refusal.InvalidAmount)
	for _, reason := range []string{"", strings.Repeat("\u200b", 20), "É pouco. ", strings.Repeat("x", 501),
		"Contestação\u202e 77."} {
		_, err = block(by, 1, reason)
		refused(t, fmt.Sprintf("for %q", reason), err, refusal.ReasonRequired)
	}
	_, err = block(g.Owner, 1, paymentstest.Reason)
	refused(t, "by the owner", err, refusal.Forbidden)
	if now := balance(t, g, models.Test); now.Available != 40_00 || now.Blocked != 60_00 {
		t.Errorf("blocked: %+v", now)
	}
	for _, current := range []bool{true, false} {
		if all, err := models.BlockedAmounts(t.Context(), g.DB.Pool, g.Account.ID, models.Test, current); err != nil ||
			len(all) != 1 || all[0].Reason != b.Reason {
			t.Errorf("listed %+v, %v", all, err)
		}
	}
	_, err = g.UnblockAmount(t.Context(), g.Owner, b.ID, paymentstest.Reason)
	refused(t, "release by the owner", err, refusal.Forbidden)
	_, err = g.UnblockAmount(t.Context(), by, "blk_1", paymentstest.Reason)
	refused(t, "release of none", err, refusal.BlockNotFound)
	var group errgroup.Group
	released := make([]error, 5)
	for i := range released {
		group.Go(func() error {
			_, released[i] = g.UnblockAmount(t.Context(), by, b.ID, "Contestação negada.")
			return nil
		})
	}
	_ = group.Wait()
	done := 0
	for _, err := range released {
		if err == nil {
			done++
		} else {
			refused(t, "release again", err, refusal.WrongState)
		}
	}
	if now := balance(t, g, models.Test); done != 1 || now.Available != 100_00 || now.Blocked != 0 {
		t.Errorf("%d releases succeeded: %+v", done, now)
	}
	if all, err := models.BlockedAmounts(t.Context(), g.DB.Pool, g.Account.ID, models.Test, true); err != nil ||
		len(all) != 0 {
		t.Errorf("listed %+v, %v", all, err)
	}
	sound(t, g)
}
