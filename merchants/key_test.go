package merchants_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A key's secret has the shape of decisions, 1, and is stored as its SHA-256 and
// its last four characters alone.
func TestCreateKey(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, tc := range []struct {
		scope models.Scope
		shape string
	}{{g.Test, `^svc_test_[0-9A-Za-z]{32}$`}, {g.Live, `^svc_live_[0-9A-Za-z]{32}$`}} {
		key, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, tc.scope, merchants.NewKey{Name: " Loja ", Permissions: merchants.CheckoutIntegration})
		if err != nil || !regexp.MustCompile(tc.shape).MatchString(secret) {
			t.Fatalf("the secret is %q, %v", secret, err)
		}
		stored, err := models.APIKeyByID(t.Context(), g.DB.Pool, tc.scope, key.ID)
		hash := sha256.Sum256([]byte(secret))
		if err != nil || !bytes.Equal(stored.SecretHash, hash[:]) || stored.Last4 != secret[len(secret)-4:] || stored.Name != "Loja" || stored.CreatedBy != g.Owner.UserID {
			t.Errorf("stored %+v, %v", stored, err)
		}
		var row string
		g.DB.Raw("SELECT k::text FROM api_keys k WHERE id = ?", key.ID).Row().Scan(&row)
		if random := secret[len("svc_test_"):]; strings.Contains(row, random) {
			t.Errorf("the row %s holds the secret", row)
		}
		holder, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9")
		if err != nil || holder.Key.ID != key.ID || holder.Scope() != tc.scope || holder.Account.ID != g.Account.ID {
			t.Errorf("the secret opens %+v, %v", holder, err)
		}
		if diff := cmp.Diff(merchants.CheckoutIntegration, holder.Key.Permissions); diff != "" {
			t.Errorf("permissions (-want +got)\n%s", diff)
		}
	}
}

// Two hundred secrets use all of base62 and repeat nothing.
func TestCreateKey_Random(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	seen, letters := map[string]bool{}, map[rune]int{}
	for range 200 {
		secret := strings.TrimPrefix(g.Key(t, g.Test, models.PermissionCheckoutRead), merchants.PrefixTest)
		if seen[secret] {
			t.Fatalf("%s twice", secret)
		}
		seen[secret] = true
		for _, r := range secret {
			letters[r]++
		}
	}
	for r, n := range letters { // 6400 draws of 62: about 103 each
		if len(letters) != 62 || n < 40 || n > 200 {
			t.Errorf("%c came %d times, of %d letters", r, n, len(letters))
		}
	}
}

// What a new key of the contract may do, and may not unless it is ticked (5.5).
func TestCheckoutIntegration(t *testing.T) {
	t.Parallel()
	want := []models.Permission{"CHECKOUT:CREATE", "CHECKOUT:READ", "BALANCE:READ", "PAYMENT_LINK:CREATE", "PAYMENT_LINK:READ"}
	if diff := cmp.Diff(want, merchants.CheckoutIntegration); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCreateKey_Invalid(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	read := []models.Permission{models.PermissionCheckoutRead}
	for name, tc := range map[string]struct {
		in   merchants.NewKey
		want merchants.Invalid
	}{
		"nothing said":       {merchants.NewKey{}, merchants.Invalid{"name": merchants.Missing, "permissions": merchants.Missing}},
		"a blank name":       {merchants.NewKey{Name: " ", Permissions: read}, merchants.Invalid{"name": merchants.Missing}},
		"a long name":        {merchants.NewKey{Name: strings.Repeat("ã", 101), Permissions: read}, merchants.Invalid{"name": merchants.TooLong}},
		"another permission": {merchants.NewKey{Name: "x", Permissions: append(read, "CHECKOUT:*")}, merchants.Invalid{"permissions": merchants.Unknown}},
	} {
		_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, tc.in)
		if diff := cmp.Diff(error(tc.want), err); diff != "" || secret != "" {
			t.Errorf("%s: %q (-want +got)\n%s", name, secret, diff)
		}
	}
}

// A revoked key is refused at once where it was revoked, and within a second by
// every other instance (decisions, 1).
func TestRevokeKey(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	elsewhere := another(g)
	secret := g.Key(t, g.Test, models.PermissionCheckoutRead)
	var id string
	for name, m := range map[string]*merchants.Service{"here": g.Merchants, "elsewhere": elsewhere} {
		h, err := m.Authenticate(t.Context(), secret, "203.0.113.9")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id = h.Key.ID
	}

	for name, scope := range map[string]models.Scope{"live": g.Live, "another project": {ProjectID: models.NewProjectID()}} {
		if err := g.Merchants.RevokeKey(t.Context(), g.Owner, scope, id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("revoked from %s: %v", name, err)
		}
	}
	for _, unknown := range []string{"", "key_", models.NewAPIKeyID(), "key_\x00", "key_" + strings.Repeat("\xff", 20)} {
		if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, unknown); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("revoked %q: %v", unknown, err)
		}
	}
	g.Clock.Advance(time.Second)
	if _, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
		t.Fatalf("revoked by nobody who may: %v", err)
	}
	if _, err := elsewhere.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
		t.Fatal(err)
	}

	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, id); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9"); fault.Of(err).Code != fault.Unauthorized {
		t.Errorf("right after, here: %v", err)
	}
	g.Clock.Advance(time.Second)
	if _, err := elsewhere.Authenticate(t.Context(), secret, "203.0.113.9"); fault.Of(err).Code != fault.Unauthorized {
		t.Errorf("a second later, elsewhere: %v", err)
	}
	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, id); err != nil {
		t.Errorf("revoked twice: %v", err)
	}
}

// An answer is not asked of the database again for a moment, and a switch of the
// account shows within a second.
func TestAuthenticate_Cache(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	secret := g.Key(t, g.Live, models.PermissionCheckoutRead)
	suspended := func() bool {
		h, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9")
		if err != nil {
			t.Fatal(err)
		}
		return h.Account.Suspended
	}
	if suspended() {
		t.Fatal("suspended from the start")
	}
	if err := g.DB.Exec("UPDATE accounts SET suspended = true").Error; err != nil {
		t.Fatal(err)
	}
	if suspended() {
		t.Error("the database is asked at every call")
	}
	if g.Clock.Advance(time.Second); !suspended() {
		t.Error("a second later the switch does not show")
	}
}

// When a key was last used is kept to the minute.
func TestAuthenticate_LastUsed(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	secret := g.Key(t, g.Test, models.PermissionCheckoutRead)
	start := g.Clock.Now()
	for _, step := range []struct{ wait, want time.Duration }{
		{0, 0},
		{10 * time.Second, 0},
		{49 * time.Second, 0},
		{2 * time.Second, 61 * time.Second},
		{30 * time.Second, 61 * time.Second},
		{time.Hour, time.Hour + 91*time.Second},
	} {
		g.Clock.Advance(step.wait)
		if _, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
			t.Fatal(err)
		}
		keys, err := models.APIKeys(t.Context(), g.DB.Pool, g.Test)
		if err != nil || len(keys) != 1 || keys[0].LastUsedAt == nil || !keys[0].LastUsedAt.Equal(start.Add(step.want)) || keys[0].LastUsedIP != "203.0.113.9" {
			t.Errorf("after %s: %+v, %v; want %s", g.Clock.Now().Sub(start), keys, err, step.want)
		}
	}
	if _, err := g.Merchants.Authenticate(t.Context(), secret[:len(secret)-1]+"!", ""); fault.Of(err).Code != fault.Unauthorized {
		t.Errorf("a wrong secret: %v", err)
	}
}
