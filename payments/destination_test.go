package payments_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pixkey"
	"garoupa/wallet"
)

var key = payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "Marina@Exemplo.com.br", HolderName: " Ateliê Aurora "}

// active returns the id of the destination that withdrawals by Pix go to now.
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

// A destination is sealed at rest, reviewed, held, and then used.
func TestDestination(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	d, err := g.RequestDestination(t.Context(), g.Member(), g.Account.ID, key)
	if err != nil {
		t.Fatal(err)
	}
	if d.Masked != "m***@exemplo.com.br" || d.HolderName != "Ateliê Aurora" || d.Status != models.DestinationPendingReview {
		t.Errorf("made %+v", d)
	}
	if whole, err := g.DestinationAddress(d); err != nil || whole != "marina@exemplo.com.br" {
		t.Errorf("opened %q, %v", whole, err)
	}
	var leaks int
	if err := g.DB.Raw("SELECT count(*) FROM destinations d, audit_log l WHERE d::text || l::text LIKE '%marina@%'").Row().Scan(&leaks); err != nil || leaks != 0 {
		t.Errorf("the key stands in %d rows in the clear, %v", leaks, err)
	}
	_, err = g.RequestDestination(t.Context(), g.Member(), g.Account.ID, key)
	refused(t, "a second in review", err, fault.DestinationInReview)

	refused(t, "approve by the owner", g.ApproveDestination(t.Context(), g.Member(), d.ID, 1), fault.Forbidden)
	refused(t, "approve another version", g.ApproveDestination(t.Context(), by, d.ID, 2), fault.ChangedMeanwhile)
	refused(t, "approve none", g.ApproveDestination(t.Context(), by, "dst_1", 1), fault.DestinationNotFound)
	if err := g.ApproveDestination(t.Context(), by, d.ID, 1); err != nil {
		t.Fatal(err)
	}
	refused(t, "approve again", g.ApproveDestination(t.Context(), by, d.ID, 2), fault.WrongState)
	refused(t, "reject after that", g.RejectDestination(t.Context(), by, d.ID, 2, "OTHER", "Não."), fault.WrongState)
	g.Clock.Advance(paymentstest.Policy.Hold - time.Millisecond)
	if active(t, g) != "" {
		t.Error("it is used before the hold is over")
	}
	g.Clock.Advance(time.Millisecond)
	if active(t, g) != d.ID {
		t.Error("it is not used after the hold")
	}
	refused(t, "remove another's", g.RemoveDestination(t.Context(), g.Member(), "acc_00000000000000000000", d.ID), fault.DestinationNotFound)
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
		{with(models.RailUSDT, "CPF", "12345678909", "Ana"), wallet.ErrNetwork},
		{with(models.RailUSDT, "TRON", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "Ana"), wallet.ErrContract},
		{with("CASH", "CPF", "12345678909", "Ana"), nil},
		{with(models.RailPix, "CPF", "12345678909", " "), nil},
		{with(models.RailPix, "CPF", "12345678909", strings.Repeat("a", 201)), nil},
	} {
		_, err := g.RequestDestination(t.Context(), g.Member(), g.Account.ID, tc.in)
		refused(t, tc.in.Address, err, fault.InvalidDestination)
		if tc.cause != nil && !errors.Is(err, tc.cause) {
			t.Errorf("%s %s: %v, want %v", tc.in.Type, tc.in.Address, err, tc.cause)
		}
		if tc.in.Address != "1" && strings.Contains(fault.Of(err).Message, tc.in.Address) {
			t.Errorf("the refusal repeats the key: %v", err)
		}
	}
}

// While one destination is held the one before is used; one that is removed before
// its turn leaves it in place.
func TestDestination_Replaced(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	first := g.Destination(t, models.RailPix)
	hand := func(address string) *models.Destination {
		t.Helper()
		in := key
		in.Address = address
		d, err := g.RequestDestination(t.Context(), g.Member(), g.Account.ID, in)
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
		t.Error("the first is not used during the hold of the second")
	}
	if err := g.RemoveDestination(t.Context(), g.Member(), g.Account.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(2 * paymentstest.Policy.Hold)
	if active(t, g) != first.ID {
		t.Error("the first is gone with the second")
	}
	refused(t, "remove twice", g.RemoveDestination(t.Context(), g.Member(), g.Account.ID, second.ID), fault.WrongState)
	third := hand("d@exemplo.com.br")
	if err := g.ApproveDestination(t.Context(), by, third.ID, 1); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(paymentstest.Policy.Hold)
	if active(t, g) != third.ID {
		t.Error("the third is not used after its hold")
	}
	if err := g.RemoveDestination(t.Context(), g.Member(), g.Account.ID, third.ID); err != nil {
		t.Fatal(err)
	}
	if got := active(t, g); got != "" {
		t.Errorf("%s is used after the last was removed", got)
	}
	all, err := models.Destinations(t.Context(), g.DB.Pool, models.DestinationFilter{AccountID: g.Account.ID, Limit: 10})
	if err != nil || len(all) != 4 || all[0].ID != third.ID || all[0].AccountName != g.Account.Name {
		t.Errorf("listed %+v, %v", all, err)
	}
}
