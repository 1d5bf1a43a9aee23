package payments_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// treasury is a gateway whose account has a member of every role.
type treasury struct {
	*paymentstest.Gateway
	t *testing.T
}

func newTreasury(t *testing.T) *treasury {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	for i, role := range []models.Role{models.RoleAdmin, models.RoleFinance, models.RoleDeveloper, models.RoleViewer} {
		id := fmt.Sprintf("usr_%020d", i)
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			if err := models.InsertUser(tx, &models.User{ID: id, Email: strings.ToLower(string(role)) + "@example.com",
				Name: string(role), PasswordHash: new("x"), CreatedAt: g.Clock.Now()}); err != nil {
				return err
			}
			return models.InsertMember(tx, &models.Member{AccountID: g.Account.ID, UserID: id, Role: role,
				CreatedAt: g.Clock.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return &treasury{g, t}
}

// told checks that mails of these kinds were sent since the last call, to all members who can
// MoveMoney and to no others.
func (y *treasury) told(kinds ...string) {
	y.t.Helper()
	got := modelstest.Column[string](y.t, y.DB, `SELECT kind || ' ' || recipient FROM mails
		WHERE kind ~ '^(destination|withdrawal)' ORDER BY 1`)
	var want []string
	for _, kind := range kinds {
		for _, to := range []string{"admin@example.com", y.Email, "finance@example.com"} {
			want = append(want, kind+" "+to)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		y.t.Errorf("mails %q, want %q", got, want)
	}
	modelstest.Exec(y.t, y.DB, "DELETE FROM mails")
}

// Members who can MoveMoney get one mail about every destination before it can be used. The
// mail does not contain the whole key.
func TestTreasurers_DestinationMails(t *testing.T) {
	t.Parallel()
	y := newTreasury(t)
	d, err := y.RequestDestination(t.Context(), y.Owner, y.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "bia@example.com", HolderName: "Bia"})
	if err == nil {
		err = y.RejectDestination(t.Context(), y.Staff(t), d.ID, d.Version, "DATA_MISMATCH", "Outro titular.")
	}
	if err != nil {
		t.Fatal(err)
	}
	if params := modelstest.One[string](t, y.DB,
		"SELECT string_agg(params::text, '') FROM mails"); strings.Contains(params, "bia@") ||
		!strings.Contains(params, "b***@example.com") {
		t.Errorf("the mails contain %s", params)
	}
	y.told(models.MailDestinationRequested, models.MailDestinationRejected)
	y.Destination(t, models.RailPix)
	y.told(models.MailDestinationRequested, models.MailDestinationApproved)
}

// Members who can MoveMoney get one mail about the end of every withdrawal.
func TestTreasurers_WithdrawalMails(t *testing.T) {
	t.Parallel()
	y := newTreasury(t)
	y.Fund(t, models.Live, 1000_00)
	y.Destination(t, models.RailPix)
	y.told(models.MailDestinationRequested, models.MailDestinationApproved)
	by := y.Staff(t)
	try := func(_ *models.Withdrawal, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w := y.Withdraw(t, 100_00)
	try(y.RejectWithdrawal(t.Context(), by, w.ID, w.Version, "DATA_MISMATCH", "Outro titular."))
	y.told(models.MailWithdrawalRejected)
	w = y.Withdraw(t, 100_00)
	try(y.CancelWithdrawal(t.Context(), y.Owner, y.Account.ID, w.ID))
	y.told()
	w = y.Withdraw(t, 100_00)
	try(y.ApproveWithdrawal(t.Context(), by, w.ID, w.Version))
	try(y.StartPayout(t.Context(), by, w.ID, y.Version(t, w.ID)))
	y.told()
	try(y.CompleteWithdrawal(t.Context(), by, w.ID, y.Version(t, w.ID), payments.Proof{EndToEndID: "E1"}))
	y.told(models.MailWithdrawalCompleted)
	try(y.ReturnWithdrawal(t.Context(), by, w.ID, y.Version(t, w.ID), "CLOSED", "A conta foi encerrada."))
	y.told(models.MailWithdrawalReturned)
	w = y.Withdraw(t, 100_00)
	try(y.ApproveWithdrawal(t.Context(), by, w.ID, w.Version))
	try(y.FailWithdrawal(t.Context(), by, w.ID, y.Version(t, w.ID), "REFUSED", "O banco recusou."))
	y.told(models.MailWithdrawalFailed)
	sound(t, y.Gateway)
}
