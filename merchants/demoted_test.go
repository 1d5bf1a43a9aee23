package merchants_test

import (
	"errors"
	"fmt"
	"testing"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A member who is removed during an operation is refused. A member whose role changes during
// an operation loses the role after it.
func TestMemberActs_Demoted(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	people := 0
	admin := func() models.Actor {
		people++
		return join(t, g, fmt.Sprintf("admin%d@example.com", people), models.RoleAdmin)
	}
	for name, act := range memberActs(t, g, "") {
		if act.needs == models.Own { // an owner cannot be removed and keeps the role
			continue
		}
		removed, demoted := admin(), admin()
		left, acted := g.Race(t,
			func() error { return g.Merchants.RemoveMember(t.Context(), g.Owner, removed.UserID) },
			func() error { return act.do(removed) })
		if left != nil || !forbidden(acted) {
			t.Errorf("%s by a removed member: %v, %v", name, acted, left)
		}
		acted, left = g.Race(t,
			func() error { return act.do(demoted) },
			func() error {
				return g.Merchants.ChangeRole(t.Context(), g.Owner, demoted.UserID, models.RoleViewer)
			})
		if left != nil || acted != nil {
			t.Errorf("%s before losing the role: %v, then %v", name, acted, left)
		}
	}
}

// staffAct is a decision by staff.
type staffAct struct {
	name string
	do   func(by models.Actor) error
}

// staffActs creates the objects about which supervisors decide, and returns the decisions in
// an order in which all of them succeed.
func staffActs(t *testing.T, g *paymentstest.Gateway) []staffAct {
	t.Helper()
	ctx, m, account := t.Context(), g.Merchants, g.Account.ID
	asked, checkout := request(t, g), g.Checkout(t, payments.NewCheckout{})
	fee := money.Fee{BasisPoints: 149}
	proposal := propose(t, g, newStaff(t, g, "proposer@staff.example", models.StaffReviewer), &fee, 0)
	named := models.NameProposal{ID: models.NewNameProposalID(), AccountID: account, Before: g.Account.Name,
		Name: "Ateliê Lua", ProposedBy: g.Owner.UserID, ProposedAt: g.Clock.Now()}
	if err := g.DB.InTx(ctx, func(tx *models.Tx) error { return models.InsertNameProposal(tx, named) }); err != nil {
		t.Fatal(err)
	}
	return []staffAct{
		{"approve a name", func(by models.Actor) error { return m.ApproveName(ctx, by, named.ID) }},
		{"approve production access", func(by models.Actor) error {
			return m.DecideAccess(ctx, by, asked.ID, merchants.AccessDecision{
				Version: asked.Version, Outcome: models.AccessRequestApproved,
			})
		}},
		{"revoke production access", func(by models.Actor) error {
			last, err := models.LastAccessDecision(ctx, g.DB.Pool, account)
			return errors.Join(err, m.RevokeAccess(ctx, by, account, last, why))
		}},
		{"turn a switch", func(by models.Actor) error {
			return m.SetSwitch(ctx, by, account, merchants.SwitchTurn{
				Switch: models.SwitchSuspended, On: true, Reason: "Pedido da Justiça.",
			})
		}},
		{"note", func(by models.Actor) error {
			return m.NoteAccount(ctx, by, merchants.NewNote{AccountID: account, Text: "Ligou hoje."})
		}},
		{"approve a fee", func(by models.Actor) error { return m.ApproveFee(ctx, by, proposal) }},
		{"propose a fee", func(by models.Actor) error {
			_, err := m.ProposeFee(ctx, by, account, merchants.NewFeeProposal{Fee: &fee, Reason: feeReason, Seen: 1})
			return err
		}},
		{"set limits", func(by models.Actor) error {
			most := money.Cents(5_000_00)
			return m.SetLimits(ctx, by, account, merchants.NewLimits{
				Limits: models.Limits{MaxAmount: &most}, Reason: feeReason,
				Told: merchants.ToldLimits{MinAmount: 1, MaxAmount: most},
			})
		}},
		{"save a reason", func(by models.Actor) error {
			return m.SaveReason(ctx, by, models.ReasonFee, "Um motivo de "+by.UserID)
		}},
		{"see a buyer", func(by models.Actor) error { return m.ShowBuyer(ctx, by, checkout.ID) }},
	}
}

// demote returns a function that removes a person from the staff.
func demote(t *testing.T, g *paymentstest.Gateway, manager, person models.Actor, from models.StaffRole) func() error {
	return func() error { return g.Merchants.SetStaffRole(t.Context(), manager, person.UserID, from, "") }
}

// A person who is removed from the staff during a decision is refused, or decides before the
// removal.
func TestStaffActs_Demoted(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	manager := newStaff(t, g, "manager@staff.example", models.StaffSupervisor)
	for i, act := range staffActs(t, g) {
		before := newStaff(t, g, fmt.Sprintf("before%d@staff.example", i), models.StaffSupervisor)
		after := newStaff(t, g, fmt.Sprintf("after%d@staff.example", i), models.StaffSupervisor)
		left, acted := g.Race(t, demote(t, g, manager, before, models.StaffSupervisor),
			func() error { return act.do(before) })
		if left != nil || !forbidden(acted) {
			t.Errorf("%s by a person who leaves the staff: %v, %v", act.name, acted, left)
		}
		acted, left = g.Race(t, func() error { return act.do(after) },
			demote(t, g, manager, after, models.StaffSupervisor))
		if left != nil || acted != nil {
			t.Errorf("%s before leaving the staff: %v, then %v", act.name, acted, left)
		}
	}
}

// A fee is not approved if the person who proposed it is removed from the staff at the same
// time.
func TestApproveFee_ProposerDemoted(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	manager := newStaff(t, g, "manager@staff.example", models.StaffSupervisor)
	proposer := newStaff(t, g, "proposer@staff.example", models.StaffReviewer)
	id := propose(t, g, proposer, &money.Fee{BasisPoints: 149}, 0)
	left, acted := g.Race(t, demote(t, g, manager, proposer, models.StaffReviewer),
		func() error { return g.Merchants.ApproveFee(t.Context(), manager, id) })
	if left != nil || refusal.Of(acted).Code != refusal.ProposerGone {
		t.Errorf("%v, %v", acted, left)
	}
}

// A member of staff who joins an account during a decision about it is refused.
func TestStaffActs_Joined(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const email = "eva@staff.example"
	by := newStaff(t, g, email, models.StaffReviewer)
	if _, err := g.Merchants.Invite(t.Context(), g.Owner, merchants.NewInvite{
		Email: email, Role: models.RoleViewer,
	}); err != nil {
		t.Fatal(err)
	}
	token, err := g.Merchants.LogIn(t.Context(), email, password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	link := g.Link(t, models.MailInvite, email)
	joined, acted := g.Race(t,
		func() error { return g.Merchants.AcceptInvite(t.Context(), v, by, link) },
		func() error {
			return g.Merchants.SetSwitch(t.Context(), by, g.Account.ID, merchants.SwitchTurn{
				Switch: models.SwitchSuspended, On: true, Reason: "Pedido da Justiça.",
			})
		})
	if joined != nil || !errors.Is(acted, merchants.ErrOwnAccount) {
		t.Errorf("%v, %v", acted, joined)
	}
}
