package payments_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Those who look after the money, and nobody else, hear of every destination before
// it can be used, and of how every withdrawal ends: once each, without a whole key.
func TestTreasurers_Mails(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Fund(t, true, 1000_00)
	for i, role := range []models.Role{models.RoleAdmin, models.RoleFinance, models.RoleDeveloper, models.RoleViewer} {
		id := fmt.Sprintf("usr_%020d", i)
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			if err := models.InsertUser(tx, &models.User{ID: id, Email: strings.ToLower(string(role)) + "@example.com", Name: string(role), CreatedAt: g.Clock.Now()}); err != nil {
				return err
			}
			return models.InsertMember(tx, &models.Member{AccountID: g.Account.ID, UserID: id, Role: role, CreatedAt: g.Clock.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	told := func(kinds ...string) {
		t.Helper()
		var got, want []string
		if err := g.DB.Raw("SELECT kind || ' ' || recipient FROM mails WHERE kind ~ '^(destination|withdrawal)' ORDER BY 1").Scan(&got).Error; err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			for _, to := range []string{"admin@example.com", g.Email, "finance@example.com"} {
				want = append(want, kind+" "+to)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		if err := g.DB.Exec("DELETE FROM mails").Error; err != nil {
			t.Fatal(err)
		}
	}
	try := func(_ *models.Withdrawal, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	by := g.Staff(t)
	d, err := g.RequestDestination(t.Context(), g.Member(), g.Account.ID, payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "bia@example.com", HolderName: "Bia"})
	if err == nil {
		err = g.RejectDestination(t.Context(), by, d.ID, d.Version, "DATA_MISMATCH", "Outro titular.")
	}
	if err != nil {
		t.Fatal(err)
	}
	var params string
	if g.DB.Raw("SELECT string_agg(params::text, '') FROM mails").Scan(&params); strings.Contains(params, "bia@") || !strings.Contains(params, "b***@example.com") {
		t.Errorf("the mails say %s", params)
	}
	told(models.MailDestinationRequested, models.MailDestinationRejected)
	g.Destination(t, models.RailPix)
	told(models.MailDestinationRequested, models.MailDestinationApproved)

	w := g.Withdraw(t, 100_00)
	try(g.RejectWithdrawal(t.Context(), by, w.ID, w.Version, "DATA_MISMATCH", "Outro titular."))
	told(models.MailWithdrawalRejected)
	w = g.Withdraw(t, 100_00)
	try(g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, w.ID))
	told()
	w = g.Withdraw(t, 100_00)
	try(g.ApproveWithdrawal(t.Context(), by, w.ID, w.Version))
	try(g.StartPayout(t.Context(), by, w.ID))
	told()
	try(g.CompleteWithdrawal(t.Context(), by, w.ID, payments.Proof{EndToEndID: "E1"}))
	told(models.MailWithdrawalCompleted)
	try(g.ReturnWithdrawal(t.Context(), by, w.ID, "CLOSED", "A conta foi encerrada."))
	told(models.MailWithdrawalReturned)
	w = g.Withdraw(t, 100_00)
	try(g.ApproveWithdrawal(t.Context(), by, w.ID, w.Version))
	try(g.FailWithdrawal(t.Context(), by, w.ID, "REFUSED", "O banco recusou."))
	told(models.MailWithdrawalFailed)
	sound(t, g)
}
