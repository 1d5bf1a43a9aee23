package payments_test

import (
	"context"
	"testing"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
)

// newMember adds an administrator of the merchant's account.
func newMember(t *testing.T, g *paymentstest.Gateway) models.Actor {
	t.Helper()
	by := g.Staff(t)
	joins(t, g, by, models.RoleAdmin)
	return models.Actor{UserID: by.UserID, AccountID: g.Account.ID}
}

// A member who is removed during an operation is refused. A member whose role changes during
// an operation loses the role after it.
func TestMemberActs_Demoted(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	for _, act := range memberActs(t, g) {
		removed, demoted := newMember(t, g), newMember(t, g)
		left, acted := g.Race(t,
			func() error { return g.Merchants.RemoveMember(t.Context(), g.Owner, removed.UserID) },
			func() error { return act.do(t.Context(), removed) })
		if left != nil {
			t.Errorf("removing the member before “%s”: %v", act.name, left)
		}
		refused(t, act.name, acted, refusal.Forbidden)
		acted, left = g.Race(t,
			func() error { return act.do(t.Context(), demoted) },
			func() error {
				return g.Merchants.ChangeRole(t.Context(), g.Owner, demoted.UserID, models.RoleViewer)
			})
		if left != nil || acted != nil {
			t.Errorf("%s before losing the role: %v, then %v", act.name, acted, left)
		}
	}
}

// asked is an institution that runs a function while a code is requested from it.
type asked struct {
	psp.Provider
	meanwhile func()
}

func (a asked) PutCharge(ctx context.Context, c psp.Charge) (psp.Issued, error) {
	a.meanwhile()
	return a.Provider.PutCharge(ctx, c)
}

// If a member is removed while the institution creates the code, no charge is created.
func TestCreateCheckout_RemovedMeanwhile(t *testing.T) {
	t.Parallel()
	g := live(t, 0)
	by := newMember(t, g)
	g.Service.Live = asked{g.Simulator, func() { leaves(t, g, by) }}
	_, _, err := g.CreateCheckout(t.Context(), g.Live, g.Account, paymentstest.Filled(payments.NewCheckout{By: &by}))
	refused(t, "created by a removed member", err, refusal.Forbidden)
	page, err := g.Checkouts(t.Context(), g.Live, models.CheckoutFilter{Limit: 1})
	if err != nil || len(page.Rows) != 0 {
		t.Errorf("the project has the checkouts %v, %v", page.Rows, err)
	}
}

// staffActs creates the objects about which staff decide, and returns decisions by name.
func staffActs(t *testing.T, g *paymentstest.Gateway) map[string]func(by models.Actor) error {
	t.Helper()
	ctx := t.Context()
	w := g.Withdraw(t, 10_00)
	extra := twice(t, g, 10_00)
	block, err := g.BlockAmount(ctx, g.Staff(t), payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Live, Amount: 1_00, Reason: "Contestação.",
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := g.RequestDestination(ctx, g.Owner, g.Account.ID, payments.NewDestination{
		Rail: models.RailUSDT, Type: "TRON", Address: "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", HolderName: "Ana",
	})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := g.Endpoint(t, "https://loja.example/pix")
	return map[string]func(by models.Actor) error{
		"approve a withdrawal": func(by models.Actor) error {
			_, err := g.ApproveWithdrawal(ctx, by, w.ID, 1)
			return err
		},
		"approve a destination": func(by models.Actor) error { return g.ApproveDestination(ctx, by, d.ID, 1) },
		"accept an exception": func(by models.Actor) error {
			_, err := g.AcceptException(ctx, by, extra, "O comprador confirmou.")
			return err
		},
		"block an amount": func(by models.Actor) error {
			_, err := g.BlockAmount(ctx, by, payments.NewBlock{
				AccountID: g.Account.ID, Environment: models.Live, Amount: 1_00, Reason: "Contestação.", Seen: 1,
			})
			return err
		},
		"unblock an amount": func(by models.Actor) error {
			_, err := g.UnblockAmount(ctx, by, block.ID, "Resolvido.")
			return err
		},
		"replay deliveries": func(by models.Actor) error {
			_, err := g.ReplayAsStaff(ctx, by, g.Test, models.Replay{
				EndpointID: e.ID, Since: g.Clock.Now().Add(-1e9), Until: g.Clock.Now()})
			return err
		},
	}
}

// supervisor adds a supervisor to the staff.
func supervisor(t *testing.T, g *paymentstest.Gateway) models.Actor {
	t.Helper()
	by := g.Staff(t)
	if err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.SetStaffRole(tx, by.UserID, models.StaffSupervisor)
	}); err != nil {
		t.Fatal(err)
	}
	return by
}

// A person who is removed from the staff during a decision is refused, or decides before the
// removal.
func TestStaffActs_Demoted(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	manager := supervisor(t, g)
	demote := func(by models.Actor) func() error {
		return func() error {
			return g.Merchants.SetStaffRole(t.Context(), manager, by.UserID, models.StaffReviewer, "")
		}
	}
	for name, act := range staffActs(t, g) {
		before, after := g.Staff(t), g.Staff(t)
		left, acted := g.Race(t, demote(before), func() error { return act(before) })
		if left != nil {
			t.Errorf("removing the person before “%s”: %v", name, left)
		}
		refused(t, name, acted, refusal.Forbidden)
		acted, left = g.Race(t, func() error { return act(after) }, demote(after))
		if left != nil || acted != nil {
			t.Errorf("%s before leaving the staff: %v, then %v", name, acted, left)
		}
	}
}

// The first of two people who approve a withdrawal cannot be removed from the staff while the
// second approves.
func TestApproveWithdrawal_FirstDemoted(t *testing.T) {
	t.Parallel()
	g := live(t, 30_000_00)
	manager, first, second := supervisor(t, g), g.Staff(t), g.Staff(t)
	w := g.Withdraw(t, 20_000_00)
	if _, err := g.ApproveWithdrawal(t.Context(), first, w.ID, 1); err != nil {
		t.Fatal(err)
	}
	var now *models.Withdrawal
	left, acted := g.Race(t, func() error {
		return g.Merchants.SetStaffRole(t.Context(), manager, first.UserID, models.StaffReviewer, "")
	}, func() (err error) {
		now, err = g.ApproveWithdrawal(t.Context(), second, w.ID, 2)
		return err
	})
	if left != nil || acted != nil {
		t.Fatal(left, acted)
	}
	if now.Status != models.WithdrawalPendingReview || *now.FirstApprovedBy != second.UserID {
		t.Errorf("the withdrawal is %s, first approved by %s", now.Status, *now.FirstApprovedBy)
	}
}
