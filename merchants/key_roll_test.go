package merchants_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The new key has all that the old one has except its secret and its end, and the old one works beside it for the
// chosen time.
func TestRollKey(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ctx, m, elsewhere := t.Context(), g.Merchants, another(g)
	for _, overlap := range merchants.Overlaps {
		old, before, err := m.CreateKey(ctx, g.Owner, g.Test, merchants.NewKey{Name: "Loja",
			Permissions: models.Permissions, Networks: "198.51.100.0/24, 2001:db8::1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(m.SetKeySwitch(ctx, g.Owner, g.Test, old.ID, models.KeyRefunds, true),
			m.SetKeySwitch(ctx, g.Owner, g.Test, old.ID, models.KeyEvents, true)); err != nil {
			t.Fatal(err)
		}
		works := func(secret string) bool {
			_, here := m.Authenticate(ctx, secret, "198.51.100.7")
			_, there := elsewhere.Authenticate(ctx, secret, "198.51.100.7")
			if (here == nil) != (there == nil) {
				t.Errorf("overlap %s: %v here, %v elsewhere", overlap, here, there)
			}
			return here == nil
		}
		if !works(before) {
			t.Fatal("the old key does not work")
		}
		end := g.Clock.Now().AddDate(1, 0, 0).Truncate(time.Millisecond)
		made, after, err := m.RollKey(ctx, g.Owner, g.Test, old.ID,
			merchants.KeyRoll{Overlap: overlap, EndsAt: &end})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := models.APIKeyByID(ctx, g.DB.Pool, g.Test, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		old, err = models.APIKeyByID(ctx, g.DB.Pool, g.Test, old.ID)
		if err != nil {
			t.Fatal(err)
		}
		own := cmpopts.IgnoreFields(models.APIKey{}, "ID", "SecretHash", "Last4", "CreatedAt", "LastUsedAt",
			"LastUsedIP", "RevokedAt", "EndsAt")
		if diff := cmp.Diff(old, stored, own, cmpopts.EquateComparable(old.Networks[0])); diff != "" {
			t.Errorf("(-old +new)\n%s", diff)
		}
		if !stored.EndsAt.Equal(end) || before == after || !merchants.HasChecksum(after) {
			t.Errorf("the new key ends at %s, its secret is %s", stored.EndsAt, after)
		}
		lines := audited(t, g, 2)
		if lines[0].Action != "api_key.created" || lines[0].Object != made.ID ||
			!strings.Contains(lines[0].Detail, old.ID) || lines[1].Action != "api_key.rolled" ||
			lines[1].Object != old.ID ||
			!strings.Contains(lines[1].Detail, made.ID) ||
			!strings.Contains(lines[1].After, g.Clock.Now().Add(overlap).UTC().Format(time.RFC3339)) {
			t.Errorf("the audit log says %+v", lines)
		}
		if overlap == 0 {
			if _, err := m.Authenticate(ctx, before, "198.51.100.7"); err == nil || old.RevokedAt == nil {
				t.Errorf("without an overlap the old key works on, and was revoked at %v", old.RevokedAt)
			}
		} else {
			g.Clock.Advance(overlap - time.Second)
			if !works(before) {
				t.Errorf("a second before the end of %s the old key does not work", overlap)
			}
		}
		if g.Clock.Advance(time.Second); works(before) || !works(after) {
			t.Errorf("after %s the old key works: %t, the new one: %t", overlap, works(before), works(after))
		}
	}
}

// An overlap does not make a key live longer.
func TestRollKey_OwnEnd(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	old, _ := endingKey(t, g, time.Hour)
	made, _, err := g.Merchants.RollKey(t.Context(), g.Owner, g.Test, old.ID,
		merchants.KeyRoll{Overlap: 24 * time.Hour})
	if err != nil || made.EndsAt != nil {
		t.Fatalf("%+v, %v", made, err)
	}
	stored, err := models.APIKeyByID(t.Context(), g.DB.Pool, g.Test, old.ID)
	if err != nil || !stored.EndsAt.Equal(*old.EndsAt) || stored.RevokedAt != nil {
		t.Errorf("the replaced key is %+v, %v", stored, err)
	}
}

// A form replaces a key once, however often it is sent and by however many processes.
func TestRollKey_Once(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, overlap := range []time.Duration{0, time.Hour} {
		old, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test,
			merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration})
		if err != nil {
			t.Fatal(err)
		}
		before := modelstest.One[int](t, g.DB, "SELECT count(*) FROM api_keys")
		var group sync.WaitGroup
		results := make([]error, 6)
		for i := range results {
			group.Go(func() {
				m := g.Merchants
				if i%2 == 1 {
					m = another(g)
				}
				_, _, results[i] = m.RollKey(t.Context(), g.Owner, g.Test, old.ID,
					merchants.KeyRoll{Overlap: overlap, Form: "form" + old.ID})
			})
		}
		group.Wait()
		made := 0
		for _, err := range results {
			if err == nil {
				made++
			} else if !errors.Is(err, merchants.ErrMade) {
				t.Error(err)
			}
		}
		if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM api_keys"); made != 1 || n != before+1 {
			t.Errorf("overlap %s: %d answers with a key, %d new keys", overlap, made, n-before)
		}
	}
}

// A key that was revoked or has ended cannot be replaced, nor can one of another project or environment, and an
// overlap is one of those offered.
func TestRollKey_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ended, _ := endingKey(t, g, time.Hour)
	revoked, _ := endingKey(t, g, 3*time.Hour)
	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, revoked.ID); err != nil {
		t.Fatal(err)
	}
	used, _ := endingKey(t, g, 3*time.Hour)
	g.Clock.Advance(2 * time.Hour)
	past := g.Clock.Now()
	for name, tc := range map[string]struct {
		scope models.Scope
		id    string
		in    merchants.KeyRoll
		want  error
	}{
		"an ended key":      {g.Test, ended.ID, merchants.KeyRoll{}, merchants.ErrKeyOver},
		"a revoked key":     {g.Test, revoked.ID, merchants.KeyRoll{}, merchants.ErrKeyOver},
		"from live":         {g.Live, used.ID, merchants.KeyRoll{}, models.ErrNotFound},
		"unknown":           {g.Test, models.NewAPIKeyID(), merchants.KeyRoll{}, models.ErrNotFound},
		"malformed":         {g.Test, "key_\x00", merchants.KeyRoll{}, models.ErrNotFound},
		"another overlap":   {g.Test, used.ID, merchants.KeyRoll{Overlap: time.Minute}, merchants.Invalid{}},
		"a negative one":    {g.Test, used.ID, merchants.KeyRoll{Overlap: -1}, merchants.Invalid{}},
		"an end in no time": {g.Test, used.ID, merchants.KeyRoll{EndsAt: &past}, merchants.Invalid{}},
	} {
		before := modelstest.One[int](t, g.DB, "SELECT count(*) FROM api_keys")
		_, secret, err := g.Merchants.RollKey(t.Context(), g.Owner, tc.scope, tc.id, tc.in)
		_, invalid := errors.AsType[merchants.Invalid](err)
		_, want := tc.want.(merchants.Invalid)
		if secret != "" || invalid != want || !want && !errors.Is(err, tc.want) {
			t.Errorf("%s: %q, %v", name, secret, err)
		}
		if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM api_keys"); n != before {
			t.Errorf("%s: a key was made", name)
		}
	}
}

// Who replaces a key gets a secret with its rights, so the role must be able to give each of them: else a DEVELOPER
// would read the balance with the owner's key.
func TestRollKey_Rights(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ctx, m := t.Context(), g.Merchants
	create := func(scope models.Scope, of models.KeySwitch, permissions []models.Permission) string {
		key, _, err := m.CreateKey(ctx, g.Owner, scope, merchants.NewKey{Name: "x", Permissions: permissions})
		if err == nil && of != "" {
			err = m.SetKeySwitch(ctx, g.Owner, scope, key.ID, of, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		return key.ID
	}
	by := map[models.Role]models.Actor{models.RoleOwner: g.Owner}
	for role, email := range map[models.Role]string{models.RoleAdmin: "ad@example.com",
		models.RoleDeveloper: "de@example.com", models.RoleFinance: "fe@example.com",
		models.RoleViewer: "v@example.com"} {
		by[role] = join(t, g, email, role)
	}
	read := []models.Permission{models.PermissionCheckoutRead}
	for name, tc := range map[string]struct {
		scope       models.Scope
		of          models.KeySwitch
		permissions []models.Permission
		lowest      models.Role // of OWNER, ADMIN and DEVELOPER
	}{
		"of checkouts":         {g.Test, "", read, models.RoleDeveloper},
		"of live checkouts":    {g.Live, "", read, models.RoleDeveloper},
		"of test events":       {g.Test, models.KeyEvents, read, models.RoleDeveloper},
		"of live events":       {g.Live, models.KeyEvents, read, models.RoleAdmin},
		"that refunds":         {g.Test, models.KeyRefunds, read, models.RoleAdmin},
		"of the audit log":     {g.Live, models.KeyAudit, read, models.RoleOwner},
		"that withdraws":       {g.Live, "", []models.Permission{"WITHDRAWAL:CREATE"}, models.RoleAdmin},
		"that reads the money": {g.Test, "", []models.Permission{"CHECKOUT:READ", "BALANCE:READ"}, models.RoleAdmin},
	} {
		for role, actor := range by {
			order := []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleDeveloper}
			may := slices.Contains(order[:slices.Index(order, tc.lowest)+1], role)
			id := create(tc.scope, tc.of, tc.permissions)
			_, secret, err := m.RollKey(ctx, actor, tc.scope, id, merchants.KeyRoll{Overlap: time.Hour})
			if may != (err == nil) || err != nil && (!forbidden(err) || secret != "") {
				t.Errorf("a key %s by %s: %v", name, role, err)
			}
		}
	}
}
