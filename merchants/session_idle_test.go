package merchants_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A session ends after a time without a visit, which is shorter for staff; each visit puts that off, but
// not beyond the lifetime.
func TestSession_Idle(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	newStaff(t, g, "rita@staff.example", models.StaffReviewer)
	for email, idle := range map[string]time.Duration{g.Email: 72 * time.Hour, "rita@staff.example": 24 * time.Hour} {
		token, err := g.Merchants.LogIn(t.Context(), email, paymentstest.Password, merchants.Browser{})
		if err != nil {
			t.Fatal(err)
		}
		began := g.Clock.Now()
		visits := func(want bool, why string) {
			t.Helper()
			v, err := g.Merchants.Visitor(t.Context(), token)
			if (err == nil) != want || err != nil && !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s, %s: %v", email, why, err)
			}
			if err != nil {
				return
			}
			// The visit is recorded beside the request.
			for ends := (time.Time{}); !ends.Equal(v.ExpiresAt); {
				ends = modelstest.One[time.Time](t, g.DB, "SELECT expires_at FROM sessions WHERE id = $1", v.ID)
			}
		}
		for g.Clock.Now().Sub(began) < merchants.SessionLifetime-idle {
			g.Clock.Advance(idle - time.Second)
			visits(true, "before the idle time is over")
		}
		g.Clock.Advance(began.Add(merchants.SessionLifetime).Sub(g.Clock.Now()) - time.Second)
		visits(true, "at the end of the lifetime")
		g.Clock.Advance(time.Second)
		visits(false, "after the lifetime")

		if token, err = g.Merchants.LogIn(t.Context(), email, paymentstest.Password, merchants.Browser{}); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(idle)
		visits(false, "after the idle time")
	}
}
