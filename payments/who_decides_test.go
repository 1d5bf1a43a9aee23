package payments_test

import (
	"testing"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// joins makes a person a member of the merchant's account.
func joins(t testing.TB, g *paymentstest.Gateway, by models.Actor, role models.Role) {
	t.Helper()
	if err := g.DB.Create(&models.Member{
		AccountID: g.Account.ID, UserID: by.UserID, Role: role, CreatedAt: g.Clock.Now(),
	}).Error; err != nil {
		t.Fatal(err)
	}
}

// leaves ends the membership in the way the person would do it.
func leaves(t testing.TB, g *paymentstest.Gateway, by models.Actor) {
	t.Helper()
	actor := models.Actor{UserID: by.UserID, AccountID: g.Account.ID}
	if err := g.Merchants.RemoveMember(t.Context(), actor, by.UserID); err != nil {
		t.Fatal(err)
	}
}

// A person may not decide about a request that they made, that a key which they created made,
// or that was made while they were a member, whatever their role is now.
func TestDecide_WhoTookPart(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	before, asker, keyMaker, colleague := g.Staff(t), g.Staff(t), g.Staff(t), g.Staff(t)
	for _, by := range []models.Actor{before, asker, keyMaker, colleague} {
		joins(t, g, by, models.RoleAdmin)
	}
	leaves(t, g, before)
	k, _, err := g.Merchants.CreateKey(t.Context(), models.Actor{
		UserID: keyMaker.UserID, AccountID: g.Account.ID,
	}, g.Live,
		merchants.NewKey{Name: "Saques", Permissions: []models.Permission{models.PermissionWithdrawalCreate}})
	if err != nil {
		t.Fatal(err)
	}
	leaves(t, g, keyMaker)
	g.Clock.Advance(1e9)
	ask := func(by models.Actor) *models.Withdrawal {
		t.Helper()
		in := paymentstest.Withdrawal(models.RailPix, 50_00)
		in.By = by
		w, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	byPerson, byKey := ask(asker), ask(models.Actor{KeyID: k.ID})
	d, err := g.RequestDestination(t.Context(), asker, g.Account.ID, key)
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(1e9)
	leaves(t, g, asker)
	leaves(t, g, colleague)
	approve := func(by models.Actor, w *models.Withdrawal) error {
		_, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1)
		return err
	}
	refused(t, "by the person who requested it", approve(asker, byPerson), refusal.Forbidden)
	refused(t, "by a person who was a member then", approve(colleague, byPerson), refusal.Forbidden)
	refused(t, "by the person who created the key", approve(keyMaker, byKey), refusal.Forbidden)
	refused(t, "a destination by its requester", g.ApproveDestination(t.Context(), asker, d.ID, 1), refusal.Forbidden)
	refused(t, "a destination by a person who was a member then",
		g.RejectDestination(t.Context(), colleague, d.ID, 1, "OTHER", paymentstest.Reason), refusal.Forbidden)
	for name, err := range map[string]error{
		"by a person who left before": approve(before, byPerson), "by the creator of no key": approve(before, byKey),
		"a destination by a person who left before": g.ApproveDestination(t.Context(), before, d.ID, 1),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The first of two approvals is valid while the person who gave it could still give it. If it
// is not valid, the second becomes the first.
func TestApproveWithdrawal_FirstJudgedAgain(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(t *testing.T, g *paymentstest.Gateway, first models.Actor){
		"left the staff": func(t *testing.T, g *paymentstest.Gateway, first models.Actor) {
			modelstest.Exec(t, g.DB, "UPDATE users SET staff_role = NULL WHERE id = $1", first.UserID)
		},
		"joined the account": func(t *testing.T, g *paymentstest.Gateway, first models.Actor) {
			joins(t, g, first, models.RoleViewer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := live(t, 30_000_00)
			first, second, third := g.Staff(t), g.Staff(t), g.Staff(t)
			w := g.Withdraw(t, 20_000_00)
			approve := func(by models.Actor, seen int) *models.Withdrawal {
				t.Helper()
				now, err := g.ApproveWithdrawal(t.Context(), by, w.ID, seen)
				if err != nil {
					t.Fatal(err)
				}
				return now
			}
			stands := func(w *models.Withdrawal, want bool) {
				t.Helper()
				if got, err := g.FirstApprovalStands(t.Context(), w); err != nil || got != want {
					t.Errorf("FirstApprovalStands returned %v, %v", got, err)
				}
			}
			noted := approve(first, 1)
			stands(noted, true)
			ends(t, g, first)
			stands(noted, false)
			if now := approve(second, 2); now.Status != models.WithdrawalPendingReview ||
				*now.FirstApprovedBy != second.UserID {
				t.Errorf("after the second approval it is %s, first approved by %s", now.Status, *now.FirstApprovedBy)
			}
			if now := approve(third, 3); now.Status != models.WithdrawalApproved || *now.ApprovedBy != third.UserID {
				t.Errorf("after the third approval it is %s", now.Status)
			}
		})
	}
}

// A decision from an outdated page is refused, because the payout may have been sent
// meanwhile.
func TestWithdrawal_SeenBefore(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	by := g.Staff(t)
	w := g.Withdraw(t, 50_00)
	if _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := g.StartPayout(t.Context(), by, w.ID, 2); err != nil {
		t.Fatal(err)
	}
	_, err := g.FailWithdrawal(t.Context(), by, w.ID, 2, "OTHER", "Não foi enviado.")
	refused(t, "fail a version from before the payout", err, refusal.ChangedMeanwhile)
	_, err = g.CompleteWithdrawal(t.Context(), by, w.ID, 2, payments.Proof{EndToEndID: "E1"})
	refused(t, "complete", err, refusal.ChangedMeanwhile)
	if _, err := g.CompleteWithdrawal(t.Context(), by, w.ID, 3, payments.Proof{EndToEndID: "E1"}); err != nil {
		t.Fatal(err)
	}
	_, err = g.ReturnWithdrawal(t.Context(), by, w.ID, 3, "OTHER", paymentstest.Reason)
	refused(t, "return", err, refusal.ChangedMeanwhile)
	sound(t, g)
}
