package merchants_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// newStaff adds a member of staff.
func newStaff(t *testing.T, g *paymentstest.Gateway, email string, role models.StaffRole) models.Actor {
	t.Helper()
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva Reis", Email: email,
		Password: paymentstest.Password, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id, AccountID: g.Account.ID, IP: "198.51.100.9"}
}

// Only supervisors change roles of staff and end sessions. A person who is removed from the
// staff is logged out.
func TestSetStaffRole_Rights(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	supervisor, reviewer := newStaff(t, g, "a@staff.example", models.StaffSupervisor), newStaff(t, g, "b@staff.example",
		models.StaffReviewer)
	if _, err := g.Merchants.LogIn(t.Context(), "b@staff.example", paymentstest.Password,
		merchants.Browser{}); err != nil {
		t.Fatal(err)
	}
	sessions := func() int {
		t.Helper()
		left, err := models.UserSessions(t.Context(), g.DB, reviewer.UserID, g.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	written := len(audited(t, g, 1000))
	for _, by := range []models.Actor{reviewer, g.Owner, {}} {
		if err := g.Merchants.SetStaffRole(t.Context(), by, reviewer.UserID, models.StaffReviewer,
			models.StaffSupervisor); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("SetStaffRole by %s: %v", by.UserID, err)
		}
		if err := g.Merchants.SetStaffRole(t.Context(), by, supervisor.UserID, models.StaffSupervisor,
			""); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("removal of a supervisor by %s: %v", by.UserID, err)
		}
		if _, err := g.Merchants.EndStaffSessions(t.Context(), by,
			reviewer.UserID); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("EndStaffSessions by %s: %v", by.UserID, err)
		}
	}
	if _, err := g.Merchants.EndStaffSessions(t.Context(), supervisor, g.Owner.UserID); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("EndStaffSessions of a merchant: %v", err)
	}
	if n := len(audited(t, g, 1000)); n != written || sessions() != 1 {
		t.Errorf("refused operations left %d audit lines and %d sessions", n-written, sessions())
	}
	if err := g.Merchants.SetStaffRole(t.Context(), supervisor, reviewer.UserID, models.StaffReviewer,
		""); err != nil || sessions() != 0 {
		t.Errorf("after the removal the person has %d sessions: %v", sessions(), err)
	}
	if last := audited(t, g, 1)[0]; last.Action != "staff.removed" || last.Actor != supervisor.UserID ||
		last.Object != reviewer.UserID || last.Account != "" {
		t.Errorf("the audit log has %+v", last)
	}
}

// partial adds a supervisor who is also a member of the account.
func partial(t *testing.T, g *paymentstest.Gateway) models.Actor {
	t.Helper()
	by := newStaff(t, g, "b@staff.example", models.StaffSupervisor)
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMember(tx, &models.Member{AccountID: g.Account.ID, UserID: by.UserID,
			Role: models.RoleViewer, CreatedAt: g.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// Only staff can see buyers' data, even of an account of which they are members. Its owner can
// read in the audit log that they did.
func TestStaff_Buyers(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	checkout := g.Checkout(t, payments.NewCheckout{})
	reviewer, member := newStaff(t, g, "a@staff.example", models.StaffReviewer), partial(t, g)
	written := len(audited(t, g, 1000))
	for _, by := range []models.Actor{g.Owner, {}} {
		if err := g.Merchants.ShowBuyer(t.Context(), by, checkout.ID); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("ShowBuyer by %s: %v", by.UserID, err)
		}
	}
	err := g.Merchants.ShowBuyer(t.Context(), reviewer, models.NewCheckoutID())
	if !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ShowBuyer of an unknown charge: %v", err)
	}
	if n := len(audited(t, g, 1000)); n != written {
		t.Errorf("refused operations left %d audit lines", n-written)
	}
	for _, by := range []models.Actor{reviewer, member} {
		if err := g.Merchants.ShowBuyer(t.Context(), by, checkout.ID); err != nil {
			t.Fatal(err)
		}
		if last := audited(t, g, 1)[0]; last.Action != "buyer.shown" || last.Actor != by.UserID ||
			last.Object != checkout.ID || last.Account != g.Account.ID {
			t.Errorf("the audit log has %+v", last)
		}
	}
}

// Only staff can write notes about accounts, and not about one of which they are members.
func TestStaff_Notes(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	reviewer, member := newStaff(t, g, "a@staff.example", models.StaffReviewer), partial(t, g)
	note := func(by models.Actor, accountID, text string) error {
		return g.Merchants.NoteAccount(t.Context(), by, merchants.NewNote{AccountID: accountID, Text: text})
	}
	written := len(audited(t, g, 1000))
	for _, by := range []models.Actor{g.Owner, {}} {
		if err := note(by, g.Account.ID, "x"); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%s notes: %v", by.UserID, err)
		}
	}
	if err := note(member, g.Account.ID, "x"); !errors.Is(err, merchants.ErrOwnAccount) {
		t.Errorf("NoteAccount by a member of the account: %v", err)
	}
	for _, text := range []string{"", " \n", strings.Repeat("é", merchants.MaxNoteLength+1), "a\x00b", "\xff"} {
		if err := note(reviewer, g.Account.ID, text); !errors.As(err, &merchants.Invalid{}) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if err := note(reviewer, "acc_00000000000000000000", "x"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("NoteAccount of an unknown account: %v", err)
	}
	if n := len(audited(t, g, 1000)); n != written {
		t.Errorf("refused operations left %d audit lines", n-written)
	}

	if err := note(reviewer, g.Account.ID, strings.Repeat("é", merchants.MaxNoteLength)); err != nil {
		t.Fatal(err)
	}
	if last := audited(t, g, 1)[0]; last.Action != "staff.noted" || last.Actor != reviewer.UserID ||
		last.Object != g.Account.ID || last.Account != "" {
		t.Errorf("the audit log has %+v", last)
	}
	if notes, err := models.AccountNotes(t.Context(), g.DB.Pool, g.Account.ID); err != nil || len(notes) != 1 ||
		notes[0].WriterName != "Eva Reis" {
		t.Errorf("notes %+v, %v", notes, err)
	}
}

// A role that has changed since the actor saw it stays, and a role is not set again.
func TestSetStaffRole_Stale(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	eva := newStaff(t, g, "eva@staff.example", models.StaffReviewer)
	for _, to := range []models.StaffRole{models.StaffReviewer, models.StaffSupervisor, ""} {
		err := g.Merchants.SetStaffRole(t.Context(), by, eva.UserID, models.StaffSupervisor, to)
		if !errors.Is(err, merchants.ErrChanged) {
			t.Errorf("to %q by a form of before: %v", to, err)
		}
	}
	err := g.Merchants.SetStaffRole(t.Context(), by, eva.UserID, models.StaffReviewer, models.StaffReviewer)
	if !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("the role that the person has: %v", err)
	}
}

// If two supervisors remove each other's role at the same moment, one stays.
func TestSetStaffRole_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for _, email := range []string{"a@staff.example", "b@staff.example"} {
		id, err := g.Merchants.AddStaff(t.Context(),
			merchants.NewStaff{Name: "Eva Reis", Email: email, Password: paymentstest.Password,
				Role: models.StaffSupervisor})
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
			by := models.Actor{UserID: ids[i]}
			refusals[i] = g.Merchants.SetStaffRole(context.WithoutCancel(t.Context()), by, ids[1-i],
				models.StaffSupervisor, models.StaffReviewer)
		})
	}
	release(2)
	both.Wait()
	members, err := models.StaffMembers(t.Context(), g.DB.Pool, g.Clock.Now())
	if err != nil || len(members) != 2 || members[0].Role != models.StaffSupervisor ||
		members[1].Role != models.StaffReviewer {
		t.Errorf("the staff left are %+v, %v", members, err)
	}
	if (refusals[0] == nil) == (refusals[1] == nil) {
		t.Errorf("both calls returned %v", refusals)
	}
	if err := g.Merchants.SetStaffRole(t.Context(), models.Actor{UserID: members[0].ID}, g.Owner.UserID,
		models.StaffReviewer, ""); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a person who is not staff: %v", err)
	}
}

// A member of staff chooses the first password with a link, once and within 72 hours. No password
// logs the person in before.
func TestInviteStaff(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	invite := func(email string) (link string) {
		t.Helper()
		link, err := g.Merchants.InviteStaff(t.Context(), merchants.NewStaff{Name: "Rita", Email: email,
			Role: models.StaffReviewer})
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
	logsIn := func(email string, want error) {
		t.Helper()
		if _, err := g.Merchants.LogIn(t.Context(), email, password, merchants.Browser{}); !errors.Is(err, want) {
			t.Errorf("LogIn of %s: %v, want %v", email, err, want)
		}
	}
	link, late := invite("rita@staff.example"), invite("rui@staff.example")
	logsIn("rita@staff.example", merchants.ErrCredentials)
	g.Clock.Advance(71 * time.Hour)
	if err := g.Merchants.ResetPassword(t.Context(), link, password, ""); err != nil {
		t.Fatal(err)
	}
	logsIn("rita@staff.example", nil)
	if err := g.Merchants.ResetPassword(t.Context(), link, password, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the link for the second time: %v", err)
	}
	g.Clock.Advance(time.Hour)
	if err := g.Merchants.ResetPassword(t.Context(), late, password, ""); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the link after 72 hours: %v", err)
	}
	logsIn("rui@staff.example", merchants.ErrCredentials)
	if _, err := g.Merchants.InviteStaff(t.Context(), merchants.NewStaff{Name: "Rita", Email: "rita@staff.example",
		Role: models.StaffReviewer}); !errors.As(err, &merchants.Invalid{}) {
		t.Errorf("InviteStaff with a taken address: %v", err)
	}
}
