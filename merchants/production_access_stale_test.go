package merchants_test

import (
	"errors"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// lastDecision returns the id of the last decision about the merchant's access.
func lastDecision(t *testing.T, g *paymentstest.Gateway) int64 {
	t.Helper()
	id, err := models.LastAccessDecision(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A page from before access was revoked and given again cannot revoke it once more. A person
// who requested access as a member cannot decide about it later.
func TestProductionAccess_Stale(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	supervisor := staff(t, g, "sup@example.com", models.StaffSupervisor)
	approve := func() {
		t.Helper()
		r := request(t, g)
		if err := m.DecideAccess(t.Context(), supervisor, r.ID, merchants.AccessDecision{
			Version: 1, Outcome: models.AccessRequestApproved,
		}); err != nil {
			t.Fatal(err)
		}
	}
	approve()
	open := lastDecision(t, g)
	if err := m.RevokeAccess(t.Context(), supervisor, g.Account.ID, open, why); err != nil {
		t.Fatal(err)
	}
	approve()
	if err := m.RevokeAccess(t.Context(), supervisor, g.Account.ID, open, why); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("RevokeAccess from an outdated page: %v", err)
	}
	if err := m.RevokeAccess(t.Context(), supervisor, g.Account.ID, lastDecision(t, g), why); err != nil {
		t.Fatal(err)
	}
	r := request(t, g)
	g.GiveRole(t, "")
	modelstest.Exec(t, g.DB, "UPDATE users SET staff_role = 'REVIEWER' WHERE id = $1", g.Owner.UserID)
	decision := merchants.AccessDecision{Version: r.Version, Outcome: models.AccessRequestApproved}
	if err := m.DecideAccess(t.Context(), g.Owner, r.ID, decision); !errors.Is(err, merchants.ErrOwnAccount) {
		t.Errorf("approval by the person who requested it: %v", err)
	}
}
