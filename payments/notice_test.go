package payments_test

import (
	"slices"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// A member who turned a notice off gets none of its mails, and still gets the mails that
// cannot be turned off. Other members get all of them.
func TestNotices(t *testing.T) {
	t.Parallel()
	f := newFailing(t, models.Live)
	finance := modelstest.One[string](t, f.DB, `SELECT u.email FROM users u JOIN members m ON m.user_id = u.id
		WHERE m.role = 'FINANCE'`)
	if err := f.Merchants.SetNotices(t.Context(), f.Owner, nil); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, f.DB, "DELETE FROM mails")
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

	got := modelstest.Column[string](t, f.DB, "SELECT kind || ' ' || recipient FROM mails ORDER BY 1")
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
