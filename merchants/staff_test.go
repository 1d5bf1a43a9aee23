package merchants_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// newStaff makes somebody of staff.
func newStaff(t *testing.T, g *paymentstest.Gateway, email string, role models.StaffRole) merchants.Actor {
	t.Helper()
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva Reis", Email: email, Password: paymentstest.Password, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return merchants.Actor{UserID: id, AccountID: g.Account.ID, IP: "198.51.100.9"}
}

// Only supervisors give roles and end sessions; who is taken off the staff is logged out.
func TestSetStaffRole_Rights(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	supervisor, reviewer := newStaff(t, g, "a@staff.example", models.StaffSupervisor), newStaff(t, g, "b@staff.example", models.StaffReviewer)
	if _, err := g.Merchants.LogIn(t.Context(), "b@staff.example", paymentstest.Password, merchants.Browser{}); err != nil {
		t.Fatal(err)
	}
	sessions := func() int {
		t.Helper()
		left, err := models.UserSessions(g.DB.DB, reviewer.UserID, g.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	written := len(audited(t, g, 1000))
	for _, by := range []merchants.Actor{reviewer, g.Owner, {}} {
		if err := g.Merchants.SetStaffRole(t.Context(), by, reviewer.UserID, models.StaffReviewer, models.StaffSupervisor); fault.Of(err).Code != fault.Forbidden {
			t.Errorf("%s gives a role: %v", by.UserID, err)
		}
		if err := g.Merchants.SetStaffRole(t.Context(), by, supervisor.UserID, models.StaffSupervisor, ""); fault.Of(err).Code != fault.Forbidden {
			t.Errorf("%s removes a supervisor: %v", by.UserID, err)
		}
		if _, err := g.Merchants.EndStaffSessions(t.Context(), by, reviewer.UserID); fault.Of(err).Code != fault.Forbidden {
			t.Errorf("%s ends sessions: %v", by.UserID, err)
		}
	}
	if _, err := g.Merchants.EndStaffSessions(t.Context(), supervisor, g.Owner.UserID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a supervisor ends a member's sessions: %v", err)
	}
	if n := len(audited(t, g, 1000)); n != written || sessions() != 1 {
		t.Errorf("what was refused left %d lines and %d sessions", n-written, sessions())
	}
	if err := g.Merchants.SetStaffRole(t.Context(), supervisor, reviewer.UserID, models.StaffReviewer, ""); err != nil || sessions() != 0 {
		t.Errorf("removed, they have %d sessions: %v", sessions(), err)
	}
	if last := audited(t, g, 1)[0]; last.Action != "staff.removed" || last.Actor != supervisor.UserID || last.Object != reviewer.UserID || last.Account != "" {
		t.Errorf("the log says %+v", last)
	}
}

// Staff alone see what a buyer told, and note about an account: of one that they are a
// member of they may do the first, which its owner reads, and not the second.
func TestStaff_BuyersAndNotes(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	checkout := g.Checkout(t, payments.NewCheckout{})
	reviewer, partial := newStaff(t, g, "a@staff.example", models.StaffReviewer), newStaff(t, g, "b@staff.example", models.StaffSupervisor)
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMember(tx, &models.Member{AccountID: g.Account.ID, UserID: partial.UserID, Role: models.RoleViewer, CreatedAt: g.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	written := len(audited(t, g, 1000))
	for _, by := range []merchants.Actor{g.Owner, {}} {
		if err := g.Merchants.ShowBuyer(t.Context(), by, checkout.ID); fault.Of(err).Code != fault.Forbidden {
			t.Errorf("%s sees the buyer: %v", by.UserID, err)
		}
		if err := g.Merchants.NoteAccount(t.Context(), by, g.Account.ID, "x"); fault.Of(err).Code != fault.Forbidden {
			t.Errorf("%s notes: %v", by.UserID, err)
		}
	}
	if err := g.Merchants.NoteAccount(t.Context(), partial, g.Account.ID, "x"); !errors.Is(err, merchants.ErrOwnAccount) {
		t.Errorf("a member notes about their own account: %v", err)
	}
	for _, text := range []string{"", " \n", strings.Repeat("é", merchants.MaxNoteLength+1), "a\x00b", "\xff"} {
		if err := g.Merchants.NoteAccount(t.Context(), reviewer, g.Account.ID, text); !errors.As(err, &merchants.Invalid{}) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	for _, wrong := range []error{
		g.Merchants.NoteAccount(t.Context(), reviewer, "acc_00000000000000000000", "x"), g.Merchants.ShowBuyer(t.Context(), reviewer, models.NewCheckoutID()),
	} {
		if !errors.Is(wrong, models.ErrNotFound) {
			t.Error(wrong)
		}
	}
	if n := len(audited(t, g, 1000)); n != written {
		t.Errorf("what was refused left %d lines", n-written)
	}

	for _, by := range []merchants.Actor{reviewer, partial} {
		if err := g.Merchants.ShowBuyer(t.Context(), by, checkout.ID); err != nil {
			t.Fatal(err)
		}
		if last := audited(t, g, 1)[0]; last.Action != "buyer.shown" || last.Actor != by.UserID || last.Object != checkout.ID || last.Account != g.Account.ID {
			t.Errorf("the log says %+v", last)
		}
	}
	if err := g.Merchants.NoteAccount(t.Context(), reviewer, g.Account.ID, strings.Repeat("é", merchants.MaxNoteLength)); err != nil {
		t.Fatal(err)
	}
	if last := audited(t, g, 1)[0]; last.Action != "staff.noted" || last.Actor != reviewer.UserID || last.Object != g.Account.ID || last.Account != "" {
		t.Errorf("the log says %+v", last)
	}
	if notes, err := models.AccountNotes(t.Context(), g.DB.Pool, g.Account.ID); err != nil || len(notes) != 1 || notes[0].WriterName != "Eva Reis" {
		t.Errorf("notes %+v, %v", notes, err)
	}
}

// Two supervisors who take each other's role at the same moment leave one.
func TestSetStaffRole_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for _, email := range []string{"a@staff.example", "b@staff.example"} {
		id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva Reis", Email: email, Password: paymentstest.Password, Role: models.StaffSupervisor})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	release := hold(t, g, "SELECT FROM users FOR UPDATE")
	refusals := make([]error, 2)
	var both sync.WaitGroup
	for i := range ids {
		both.Go(func() {
			by := merchants.Actor{UserID: ids[i]}
			refusals[i] = g.Merchants.SetStaffRole(context.WithoutCancel(t.Context()), by, ids[1-i], models.StaffSupervisor, models.StaffReviewer)
		})
	}
	release(2)
	both.Wait()
	members, err := models.StaffMembers(t.Context(), g.DB.Pool, g.Clock.Now())
	if err != nil || len(members) != 2 || members[0].Role != models.StaffSupervisor || members[1].Role != models.StaffReviewer {
		t.Errorf("left are %+v, %v", members, err)
	}
	if (refusals[0] == nil) == (refusals[1] == nil) {
		t.Errorf("both end in %v", refusals)
	}
	if err := g.Merchants.SetStaffRole(t.Context(), merchants.Actor{UserID: members[0].ID}, g.Owner.UserID, models.StaffReviewer, ""); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("somebody who is not of staff: %v", err)
	}
}
