package merchants_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A decision needs a reason that is neither too short nor too long.
func TestDecideAccess_Reason(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r, by := request(t, g), staff(t, g, "rev@example.com", models.StaffReviewer)
	for _, tc := range []struct {
		d    merchants.AccessDecision
		want merchants.Invalid
	}{
		{merchants.AccessDecision{Outcome: "REVOKED", Reason: why}, merchants.Invalid{"outcome": merchants.Unknown}},
		{merchants.AccessDecision{Outcome: "REJECTED"},
			merchants.Invalid{"reasonCode": merchants.Unknown, "reason": merchants.Malformed}},
		{merchants.AccessDecision{Outcome: "RETURNED", Reason: merchants.Reason{Code: "RISK", Text: "  no \r\n "}},
			merchants.Invalid{"reason": merchants.Malformed}},
		{merchants.AccessDecision{Outcome: "REJECTED",
			Reason: merchants.Reason{Code: "RISK", Text: strings.Repeat("x", 501)}},
			merchants.Invalid{"reason": merchants.Malformed}},
	} {
		tc.d.Version = r.Version
		err := g.Merchants.DecideAccess(t.Context(), by, r.ID, tc.d)
		if diff := cmp.Diff(error(tc.want), err); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tc.d, diff)
		}
	}
	for _, id := range []string{"acr_00000000000000000000", "x", "acr_\x00"} {
		if err := g.Merchants.DecideAccess(t.Context(), by, id,
			merchants.AccessDecision{Outcome: "APPROVED"}); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Of people who decide at the same moment, one succeeds and the others get ErrChanged. This
// includes a merchant who withdraws the request.
func TestDecideAccess_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, rui := staff(t, g, "eva@example.com", models.StaffReviewer), staff(t, g, "rui@example.com",
		models.StaffSupervisor)
	for range 8 {
		g.Clock.Advance(1e9)
		r := request(t, g)
		acts := []func() error{
			func() error {
				return g.Merchants.DecideAccess(t.Context(), eva, r.ID,
					merchants.AccessDecision{Version: 1, Outcome: models.AccessRequestReturned, Reason: why})
			},
			func() error {
				return another(g).DecideAccess(t.Context(), rui, r.ID,
					merchants.AccessDecision{Version: 1, Outcome: models.AccessRequestRejected, Reason: why})
			},
			func() error { return g.Merchants.WithdrawAccessRequest(t.Context(), g.Owner) },
		}
		refusals := make([]error, len(acts))
		var group sync.WaitGroup
		for i, act := range acts {
			group.Go(func() { refusals[i] = act() })
		}
		group.Wait()
		won := 0
		for _, err := range refusals {
			if err == nil {
				won++
			} else if !errors.Is(err, merchants.ErrChanged) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d decisions succeeded: %v", won, refusals)
		}
		state, status := access(t, g)
		if want := map[models.AccessStatus]models.ProductionAccess{"WITHDRAWN": "NOT_REQUESTED", "RETURNED": "REJECTED",
			"REJECTED": "REJECTED"}[status]; state != want {
			t.Errorf("the request is %s and the account %s", status, state)
		}
	}
	if lines := audited(t, g, 100); len(lines) != 1+2+8*2 {
		t.Errorf("%d lines in the audit log", len(lines))
	}
}
