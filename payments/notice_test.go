package payments_test

import (
	"slices"
	"testing"
	"time"

	"garoupa/models"
)

// A member who turned a notice off gets none of its mails, and still gets the mails that
// cannot be turned off. Other members get all of them.
func TestNotices(t *testing.T) {
	t.Parallel()
	f := newFailing(t, models.Live)
	var finance string
	if err := f.DB.Raw(`SELECT u.email FROM users u JOIN members m ON m.user_id = u.id
		WHERE m.role = 'FINANCE'`).Scan(&finance).Error; err != nil {
		t.Fatal(err)
	}
	if err := f.Merchants.SetNotices(t.Context(), f.Owner, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.DB.Exec("DELETE FROM mails").Error; err != nil {
		t.Fatal(err)
	}
	f.lose(t, 9)
	f.Clock.Advance(5 * 24 * time.Hour)
	f.lose(t, 1)
	f.Fund(t, models.Live, 1000_00)
	f.Destination(t, models.RailPix)
	w := f.Withdraw(t, 100_00)
	if _, err := f.RejectWithdrawal(t.Context(), f.Staff(t), w.ID, w.Version, "DATA_MISMATCH",
		"Outro titular."); err != nil {
		t.Fatal(err)
	}

	var got []string
	if err := f.DB.Raw("SELECT kind || ' ' || recipient FROM mails ORDER BY 1").Scan(&got).Error; err != nil {
		t.Fatal(err)
	}
	want := []string{
		"destination_requested " + f.Email, "destination_requested " + finance, "destination_approved " + f.Email,
		"destination_approved " + finance,
		"withdrawal_rejected " + finance, "webhook_failing " + f.developer,
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("mails %q, want %q", got, want)
	}
}
