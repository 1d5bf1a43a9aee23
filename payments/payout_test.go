package payments_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// A payout needs the id of its rail as proof, and no two payouts share an id.
func TestCompleteWithdrawal_Proof(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	by := g.Staff(t)
	processing := func() string {
		w := g.Withdraw(t, 10_00)
		if _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := g.StartPayout(t.Context(), by, w.ID, g.Version(t, w.ID)); err != nil {
			t.Fatal(err)
		}
		return w.ID
	}
	first, second := processing(), processing()
	for name, proof := range map[string]payments.Proof{
		"none": {}, "another rail's": {TxHash: strings.Repeat("a", 64)}, "spaces": {EndToEndID: " "},
		"too long": {EndToEndID: strings.Repeat("E", 65)}, "odd": {EndToEndID: "E<1>"},
	} {
		_, err := g.CompleteWithdrawal(t.Context(), by, first, g.Version(t, first), proof)
		refused(t, name, err, refusal.ProofRequired)
	}
	w, err := g.CompleteWithdrawal(t.Context(), by, first, g.Version(t, first), payments.Proof{EndToEndID: " E1 "})
	if err != nil || *w.EndToEndID != "E1" || w.CompletedAt == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	_, err = g.CompleteWithdrawal(t.Context(), by, second, g.Version(t, second), payments.Proof{EndToEndID: "E1"})
	refused(t, "a used id", err, refusal.ProofTaken)
	if got := stand(t, g, second); got != "PROCESSING -10.00 10.00 0.00 0.00" {
		t.Errorf("the second withdrawal is %s", got)
	}
	sound(t, g)
}

// With the simulator, an approved withdrawal is paid once without staff, by any instance, even
// if an earlier process died half-way.
func TestPayOutDue(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	by := g.Staff(t)
	var ids []string
	for range 10 {
		w := g.Withdraw(t, 50_00)
		if _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, w.ID)
	}
	// This is what a process that died right after this step leaves.
	if _, err := g.StartPayout(t.Context(), by, ids[0], g.Version(t, ids[0])); err != nil {
		t.Fatal(err)
	}
	waiting := g.Withdraw(t, 50_00)
	for range 4 {
		var group errgroup.Group
		for range 5 {
			group.Go(func() error { return g.PayOutDue(t.Context()) })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(2 * time.Second)
	}
	for _, id := range ids {
		w, err := g.Withdrawal(t.Context(), g.Account.ID, models.Live, id)
		if err != nil || w.Status != models.WithdrawalCompleted || w.EndToEndID == nil || w.CompletedAt == nil {
			t.Errorf("paid %+v, %v", w, err)
		}
	}
	if got := stand(t, g, waiting.ID); got != "PENDING_REVIEW -50.00 50.00 0.00 0.00" {
		t.Errorf("afterwards %s", got)
	}
	sound(t, g)
}
