package payments_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/internal/usdt"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/pixkey"
)

var key = payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "Marina@Exemplo.com.br",
	HolderName: " Ateliê Aurora "}

// active returns the id of the destination in use for withdrawals by Pix.
func active(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	d, err := models.ActiveDestination(t.Context(), g.DB.Pool, g.Account.ID, models.RailPix, g.Clock.Now())
	if errors.Is(err, models.ErrNotFound) {
		return ""
	} else if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// A destination is stored sealed, reviewed, held, and then used.
func TestDestination(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, key)
	if err != nil {
		t.Fatal(err)
	}
	if d.Masked != "m***@exemplo.com.br" || d.HolderName != "Ateliê Aurora" ||
		d.Status != models.DestinationPendingReview {
		t.Errorf("made %+v", d)
	}
	if whole, err := g.DestinationAddress(d); err != nil || whole != "marina@exemplo.com.br" {
		t.Errorf("opened %q, %v", whole, err)
	}
	var leaks int
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM destinations d, audit_log l
		WHERE d::text || l::text LIKE '%marina@%'`).Scan(&leaks); err != nil || leaks != 0 {
		t.Errorf("the key is in %d rows as plain text, %v", leaks, err)
	}
	_, err = g.RequestDestination(t.Context(), g.Owner, g.Account.ID, key)
	refused(t, "a second in review", err, refusal.DestinationInReview)

	refused(t, "approve by the owner", g.ApproveDestination(t.Context(), g.Owner, d.ID, 1), refusal.Forbidden)
	refused(t, "approve another version", g.ApproveDestination(t.Context(), by, d.ID, 2), refusal.ChangedMeanwhile)
	refused(t, "approve none", g.ApproveDestination(t.Context(), by, "dst_1", 1), refusal.DestinationNotFound)
	if err := g.ApproveDestination(t.Context(), by, d.ID, 1); err != nil {
		t.Fatal(err)
	}
	refused(t, "approve a second time", g.ApproveDestination(t.Context(), by, d.ID, 2), refusal.WrongState)
	refused(t, "reject approved", g.RejectDestination(t.Context(), by, d.ID, 2, "OTHER", paymentstest.Reason),
		refusal.WrongState)
	g.Clock.Advance(paymentstest.Policy.Hold - time.Millisecond)
	if active(t, g) != "" {
		t.Error("the destination is in use before the hold is over")
	}
	g.Clock.Advance(time.Millisecond)
	if active(t, g) != d.ID {
		t.Error("the destination is not in use after the hold")
	}
	refused(t, "remove another's", g.RemoveDestination(t.Context(), g.Owner, "acc_00000000000000000000", d.ID),
		refusal.DestinationNotFound)
}

func TestRequestDestination_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	with := func(rail models.Rail, kind, address, holder string) payments.NewDestination {
		return payments.NewDestination{Rail: rail, Type: kind, Address: address, HolderName: holder}
	}
	for _, tc := range []struct {
		in    payments.NewDestination
		cause error
	}{
		{with(models.RailPix, "CPF", "12345678900", "Ana"), pixkey.ErrChecksum},
		{with(models.RailPix, "CPF", "1", "Ana"), pixkey.ErrForm},
		{with(models.RailPix, "TRON", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "Ana"), pixkey.ErrType},
		{with(models.RailUSDT, "CPF", "12345678909", "Ana"), usdt.ErrNetwork},
		{with(models.RailUSDT, "TRON", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "Ana"), usdt.ErrContract},
		{with("CASH", "CPF", "12345678909", "Ana"), nil},
		{with(models.RailPix, "CPF", "12345678909", " "), nil},
		{with(models.RailPix, "CPF", "12345678909", strings.Repeat("a", 201)), nil},
	} {
		_, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, tc.in)
		refused(t, tc.in.Address, err, refusal.InvalidDestination)
		if tc.cause != nil && !errors.Is(err, tc.cause) {
			t.Errorf("%s %s: %v, want %v", tc.in.Type, tc.in.Address, err, tc.cause)
		}
		if tc.in.Address != "1" && strings.Contains(refusal.Of(err).Message, tc.in.Address) {
			t.Errorf("the refusal contains the key: %v", err)
		}
	}
}

// While a destination is on hold the previous one is used. If the new one is removed during
// the hold, the previous one stays.
func TestDestination_Replaced(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	first := g.Destination(t, models.RailPix)
	hand := func(address string) *models.Destination {
		t.Helper()
		in := key
		in.Address = address
		d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, in)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	rejected := hand("b@exemplo.com.br")
	if err := g.RejectDestination(t.Context(), by, rejected.ID, 1, "DATA_MISMATCH", "O titular é outro."); err != nil {
		t.Fatal(err)
	}
	second := hand("c@exemplo.com.br")
	if err := g.ApproveDestination(t.Context(), by, second.ID, 1); err != nil {
		t.Fatal(err)
	}
	if active(t, g) != first.ID {
		t.Error("the first destination is not in use during the hold of the second")
	}
	if err := g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(2 * paymentstest.Policy.Hold)
	if active(t, g) != first.ID {
		t.Error("the first destination is gone with the second")
	}
	refused(t, "remove twice", g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, second.ID), refusal.WrongState)
	third := hand("d@exemplo.com.br")
	if err := g.ApproveDestination(t.Context(), by, third.ID, 1); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(paymentstest.Policy.Hold)
	if active(t, g) != third.ID {
		t.Error("the third destination is not in use after its hold")
	}
	if err := g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, third.ID); err != nil {
		t.Fatal(err)
	}
	if got := active(t, g); got != "" {
		t.Errorf("%s is in use after the last one was removed", got)
	}
	all, err := models.Destinations(t.Context(), g.DB.Pool,
		models.DestinationFilter{AccountID: g.Account.ID, Limit: 10})
	if err != nil || len(all) != 4 || all[0].ID != third.ID || all[0].AccountName != g.Account.Name {
		t.Errorf("listed %+v, %v", all, err)
	}
}

// approvedKey returns an approved destination with the address, which is still on hold.
func approvedKey(t testing.TB, g *paymentstest.Gateway, by models.Actor, address string) *models.Destination {
	t.Helper()
	in := key
	in.Address = address
	d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, in)
	if err == nil {
		err = g.ApproveDestination(t.Context(), by, d.ID, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A destination on hold can be removed even after another was approved, and then is never
// used: the first one stays until the last one takes over, or for good.
func TestRemoveDestination_Held(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"stays", "is removed", "is removed first"} {
		t.Run("the last "+last, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			by := g.Staff(t)
			first := g.Destination(t, models.RailPix)
			remove := func(d *models.Destination) {
				t.Helper()
				if err := g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, d.ID); err != nil {
					t.Fatal(err)
				}
			}
			uses := func(when string, want *models.Destination) {
				t.Helper()
				if got := active(t, g); got != want.ID {
					t.Errorf("%s %s is in use, want %s", when, got, want.ID)
				}
			}
			held := approvedKey(t, g, by, "b@exemplo.com.br")
			g.Clock.Advance(time.Hour)
			third := approvedKey(t, g, by, "c@exemplo.com.br")
			if last == "is removed first" {
				remove(third)
			}
			remove(held)
			if last == "is removed" {
				remove(third)
			}
			g.Clock.Advance(paymentstest.Policy.Hold - time.Hour)
			uses("when the held one would begin", first)
			g.Clock.Advance(time.Hour)
			if last == "stays" {
				first = third
			}
			uses("in the end", first)
		})
	}
}

// Removing one destination and approving the next at the same time both succeed in any order,
// and one destination is in use.
func TestRemoveDestination_WhileApproved(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	g.Destination(t, models.RailPix)
	for range 20 {
		held := approvedKey(t, g, by, "b@exemplo.com.br")
		in := key
		in.Address = "c@exemplo.com.br"
		next, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, in)
		if err != nil {
			t.Fatal(err)
		}
		var group errgroup.Group
		group.Go(func() error { return g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, held.ID) })
		group.Go(func() error { return g.ApproveDestination(t.Context(), by, next.ID, 1) })
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(paymentstest.Policy.Hold)
		if got := active(t, g); got != next.ID {
			t.Fatalf("%s is in use, want %s", got, next.ID)
		}
	}
}

// If a destination is removed, staff who saw a withdrawal to it must look at the withdrawal
// again. It still goes there.
func TestRemoveDestination_Awaited(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	by := g.Staff(t)
	review, approved := g.Withdraw(t, 10_00), g.Withdraw(t, 10_00)
	if _, err := g.ApproveWithdrawal(t.Context(), by, approved.ID, 1); err != nil {
		t.Fatal(err)
	}
	if err := g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, review.Destination.ID); err != nil {
		t.Fatal(err)
	}
	_, err := g.ApproveWithdrawal(t.Context(), by, review.ID, 1)
	refused(t, "approve the version from before", err, refusal.ChangedMeanwhile)
	_, err = g.StartPayout(t.Context(), by, approved.ID, 2)
	refused(t, "start the version from before", err, refusal.ChangedMeanwhile)
	w, err := g.ApproveWithdrawal(t.Context(), by, review.ID, 2)
	if err != nil || w.Destination.ID != review.Destination.ID || w.Destination.RemovedAt == nil {
		t.Errorf("approved %+v, %v", w, err)
	}
	if _, err := g.StartPayout(t.Context(), by, approved.ID, 3); err != nil {
		t.Error(err)
	}
}
