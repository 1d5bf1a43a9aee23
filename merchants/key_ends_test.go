package merchants_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// endingKey creates a key that ends after a while.
func endingKey(t *testing.T, g *paymentstest.Gateway, after time.Duration) (*models.APIKey, string) {
	t.Helper()
	end := g.Clock.Now().Add(after)
	key, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test,
		merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration, EndsAt: &end})
	if err != nil {
		t.Fatal(err)
	}
	return key, secret
}

// A key is refused from its end on, by every process, also one that has cached it.
func TestAuthenticate_Ended(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	_, secret := endingKey(t, g, time.Hour)
	elsewhere := another(g)
	for _, step := range []struct {
		wait time.Duration
		ok   bool
	}{{0, true}, {time.Hour - time.Millisecond, true}, {time.Millisecond, false}, {time.Second, false}} {
		g.Clock.Advance(step.wait)
		for name, m := range map[string]*merchants.Service{"here": g.Merchants, "elsewhere": elsewhere} {
			_, err := m.Authenticate(t.Context(), secret, "203.0.113.9")
			if step.ok != (err == nil) || err != nil && refusal.Of(err).Code != refusal.Unauthorized {
				t.Errorf("%s, %s later: %v", name, step.wait, err)
			}
		}
	}
}

// A key ends in the future, and within ten years.
func TestCreateKey_End(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	now := g.Clock.Now()
	for _, tc := range []struct {
		end time.Time
		ok  bool
	}{
		{time.Time{}, false}, {now.Add(-time.Second), false}, {now, false}, {now.Add(time.Second), true},
		{now.AddDate(10, 0, -1), true}, {now.AddDate(10, 0, 1), false},
	} {
		key, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test,
			merchants.NewKey{Name: "x", Permissions: merchants.CheckoutIntegration, EndsAt: &tc.end})
		if !tc.ok {
			if diff := cmp.Diff(error(merchants.Invalid{"ends": merchants.Malformed}), err); diff != "" {
				t.Errorf("end %s (-want +got)\n%s", tc.end, diff)
			}
			continue
		}
		if err != nil {
			t.Errorf("end %s: %v", tc.end, err)
			continue
		}
		stored, err := models.APIKeyByID(t.Context(), g.DB.Pool, g.Test, key.ID)
		if err != nil || stored.EndsAt == nil || !stored.EndsAt.Equal(tc.end.Truncate(time.Millisecond)) {
			t.Errorf("stored %+v, %v", stored, err)
		}
	}
}

// Members who change keys get a mail 7 days and a day before the end of a key, once each, whichever processes
// look. Keys without an end, revoked and ended ones are not told of.
func TestWarnOfKeys(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	join(t, g, "ad@example.com", models.RoleAdmin)
	join(t, g, "de@example.com", models.RoleDeveloper)
	join(t, g, "fe@example.com", models.RoleFinance)
	join(t, g, "val@example.com", models.RoleViewer)
	key, _ := endingKey(t, g, 9*24*time.Hour)
	revoked, _ := endingKey(t, g, 8*24*time.Hour)
	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, revoked.ID); err != nil {
		t.Fatal(err)
	}
	g.Key(t, g.Live, models.PermissionCheckoutRead)
	elsewhere, told := another(g), 0
	for _, step := range []struct {
		wait  time.Duration
		mails int
	}{
		{0, 0}, {47 * time.Hour, 0}, {time.Hour, 3}, {5 * 24 * time.Hour, 0}, {23 * time.Hour, 0}, {time.Hour, 3},
		{23 * time.Hour, 0}, {time.Hour, 0}, {48 * time.Hour, 0},
	} {
		g.Clock.Advance(step.wait)
		var group sync.WaitGroup
		for _, m := range []*merchants.Service{g.Merchants, elsewhere, g.Merchants} {
			group.Go(func() {
				if err := m.WarnOfKeys(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		told += step.mails
		if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM mails WHERE kind = 'api_key_ends'"); n != told {
			t.Fatalf("after another %s there are %d mails, want %d", step.wait, n, told)
		}
	}
	mails := modelstest.Column[string](t, g.DB, `SELECT DISTINCT recipient || ' ' || (params->>'key') FROM mails
		WHERE kind = 'api_key_ends' ORDER BY 1`)
	shown := " svc_test_…" + key.Last4
	want := []string{"ad@example.com" + shown, g.Email + shown, "de@example.com" + shown}
	if diff := cmp.Diff(want, mails); diff != "" {
		t.Errorf("mails (-want +got)\n%s", diff)
	}
}

// A key that gets its end late is told of once, by the mail that is due last.
func TestWarnOfKeys_Late(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endingKey(t, g, 20*time.Hour)
	for range 3 {
		if err := g.Merchants.WarnOfKeys(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Hour)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM mails WHERE kind = 'api_key_ends'"); n != 1 {
		t.Errorf("%d mails", n)
	}
}
