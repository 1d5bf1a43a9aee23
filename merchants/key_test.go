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

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A key's secret has its documented shape, and only its SHA-256 and its last four
// characters are stored (docs/rules.md, "API keys").
func TestCreateKey(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, tc := range []struct {
		scope models.Scope
		shape string
	}{{g.Test, `^svc_test_[0-9A-Za-z]{32}$`}, {g.Live, `^svc_live_[0-9A-Za-z]{32}$`}} {
		key, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, tc.scope,
			merchants.NewKey{Name: " Loja ", Permissions: merchants.CheckoutIntegration})
		if err != nil || !regexp.MustCompile(tc.shape).MatchString(secret) {
			t.Fatalf("the secret is %q, %v", secret, err)
		}
		stored, err := models.APIKeyByID(t.Context(), g.DB.Pool, tc.scope, key.ID)
		hash := sha256.Sum256([]byte(secret))
		if err != nil || !bytes.Equal(stored.SecretHash, hash[:]) || stored.Last4 != secret[len(secret)-4:] ||
			stored.Name != "Loja" || stored.CreatedBy != g.Owner.UserID {
			t.Errorf("stored %+v, %v", stored, err)
		}
		row := modelstest.One[string](t, g.DB, "SELECT k::text FROM api_keys k WHERE id = $1", key.ID)
		if random := secret[len("svc_test_"):]; strings.Contains(row, random) {
			t.Errorf("the row %s contains the secret", row)
		}
		holder, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9")
		if err != nil || holder.Key.ID != key.ID || holder.Scope() != tc.scope || holder.Account.ID != g.Account.ID {
			t.Errorf("Authenticate returned %+v, %v", holder, err)
		}
		if diff := cmp.Diff(merchants.CheckoutIntegration, holder.Key.Permissions); diff != "" {
			t.Errorf("permissions (-want +got)\n%s", diff)
		}
	}
}

// Two hundred secrets use all characters of base62 and never repeat.
func TestCreateKey_Random(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	seen, letters := map[string]bool{}, map[rune]int{}
	for n := range 2 * merchants.MaxKeys {
		key := g.Key(t, []models.Scope{g.Test, g.Live}[n%2], models.PermissionCheckoutRead)
		secret := key[len(merchants.PrefixTest):]
		if seen[secret] {
			t.Fatalf("%s twice", secret)
		}
		seen[secret] = true
		for _, r := range secret {
			letters[r]++
		}
	}
	for r, n := range letters { // 6400 characters of 62: about 103 of each
		if len(letters) != 62 || n < 40 || n > 200 {
			t.Errorf("%c occurs %d times; there are %d different letters", r, n, len(letters))
		}
	}
}

// The permissions that a new key of the contract has by default (5.5).
func TestCheckoutIntegration(t *testing.T) {
	t.Parallel()
	want := []models.Permission{"CHECKOUT:CREATE", "CHECKOUT:READ", "BALANCE:READ", "PAYMENT_LINK:CREATE",
		"PAYMENT_LINK:READ"}
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
		"no fields": {merchants.NewKey{},
			merchants.Invalid{"name": merchants.Missing, "permissions": merchants.Missing}},
		"a blank name": {merchants.NewKey{Name: " ", Permissions: read},
			merchants.Invalid{"name": merchants.Missing}},
		"a long name": {merchants.NewKey{Name: strings.Repeat("ã", 101), Permissions: read},
			merchants.Invalid{"name": merchants.TooLong}},
		"another permission": {merchants.NewKey{Name: "x", Permissions: append(read, "CHECKOUT:*")},
			merchants.Invalid{"permissions": merchants.Unknown}},
	} {
		_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, tc.in)
		if diff := cmp.Diff(error(tc.want), err); diff != "" || secret != "" {
			t.Errorf("%s: %q (-want +got)\n%s", name, secret, diff)
		}
	}
}

// A revoked key is refused at once by the process that revoked it, and within a second by
// every other process (docs/rules.md, "API keys").
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

	for name, scope := range map[string]models.Scope{"live": g.Live,
		"another project": {ProjectID: models.NewProjectID()}} {
		if err := g.Merchants.RevokeKey(t.Context(), g.Owner, scope, id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("RevokeKey from %s: %v", name, err)
		}
	}
	for _, unknown := range []string{"", "key_", models.NewAPIKeyID(), "key_\x00",
		"key_" + strings.Repeat("\xff", 20)} {
		if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, unknown); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("revoked %q: %v", unknown, err)
		}
	}
	g.Clock.Advance(time.Second)
	if _, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
		t.Fatalf("RevokeKey by an actor without the right: %v", err)
	}
	if _, err := elsewhere.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
		t.Fatal(err)
	}

	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, id); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.Authenticate(t.Context(), secret,
		"203.0.113.9"); refusal.Of(err).Code != refusal.Unauthorized {
		t.Errorf("at once, in the same process: %v", err)
	}
	g.Clock.Advance(time.Second)
	if _, err := elsewhere.Authenticate(t.Context(), secret,
		"203.0.113.9"); refusal.Of(err).Code != refusal.Unauthorized {
		t.Errorf("a second later, in another process: %v", err)
	}
	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, id); err != nil {
		t.Errorf("RevokeKey for the second time: %v", err)
	}
}

// The account of a key is cached for a moment, and a switch of the account has effect within a
// second.
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
		t.Fatal("the account is suspended from the start")
	}
	modelstest.Exec(t, g.DB, "UPDATE accounts SET suspended = true")
	if suspended() {
		t.Error("the account is not cached")
	}
	if g.Clock.Advance(time.Second); !suspended() {
		t.Error("a second later the switch has no effect")
	}
}

// awaitUse waits until the last use of the only key is recorded with the time at.
func awaitUse(t *testing.T, g *paymentstest.Gateway, at time.Time) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		keys, err := models.APIKeys(t.Context(), g.DB.Pool, g.Test)
		if err != nil || len(keys) != 1 {
			t.Fatalf("keys are %v, %v", keys, err)
		}
		if key := keys[0]; key.LastUsedAt != nil && key.LastUsedAt.Equal(at) && key.LastUsedIP == "203.0.113.9" {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("the last use was at %v from %q, want %s", key.LastUsedAt, key.LastUsedIP, at)
		}
	}
}

// The time of a key's last use is recorded to the minute.
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
		awaitUse(t, g, start.Add(step.want))
	}
	if _, err := g.Merchants.Authenticate(t.Context(), secret[:len(secret)-1]+"!",
		""); refusal.Of(err).Code != refusal.Unauthorized {
		t.Errorf("Authenticate with a wrong secret: %v", err)
	}
}
