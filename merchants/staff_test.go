package merchants_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

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
	refusals := make([]error, 2)
	var both sync.WaitGroup
	for i := range ids {
		both.Go(func() {
			by := merchants.Actor{UserID: ids[i]}
			refusals[i] = g.Merchants.SetStaffRole(context.WithoutCancel(t.Context()), by, ids[1-i], models.StaffSupervisor, models.StaffReviewer)
		})
	}
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
