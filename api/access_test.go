package api_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// stranger returns the test key of another merchant.
func (s *site) stranger(t testing.TB) string {
	t.Helper()
	m, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Rui Sá", Business: "Padaria Sol", Email: "rui@example.com", Password: "correct horse battery",
	}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	by := models.Actor{UserID: m.UserID, AccountID: m.AccountID}
	_, secret, err := s.Merchants.CreateKey(t.Context(), by, models.Scope{ProjectID: m.ProjectID},
		merchants.NewKey{Name: "x", Permissions: models.Permissions})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Everything other than a valid key is 401, always with the same message (contract 7).
func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	random := strings.TrimPrefix(s.key, merchants.PrefixTest)
	revoked := s.Key(t, s.Test, models.Permissions...)
	keys, err := models.APIKeys(t.Context(), s.DB.Pool, s.Test)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if strings.HasSuffix(revoked, key.Last4) {
			if err := s.Merchants.RevokeKey(t.Context(), s.Owner, s.Test, key.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	messages := map[string]bool{}
	for name, authorization := range map[string]string{
		"absent":                  "",
		"no scheme":               s.key,
		"Basic":                   "Basic " + s.key,
		"Bearer alone":            "Bearer",
		"Bearer and space":        "Bearer ",
		"no space":                "Bearer" + s.key,
		"another prefix":          "Bearer sk_test_" + random,
		"the other environment":   "Bearer " + merchants.PrefixLive + random,
		"the prefix in capitals":  "Bearer " + strings.ToUpper(merchants.PrefixTest) + random,
		"the prefix alone":        "Bearer " + merchants.PrefixTest,
		"a character less":        "Bearer " + s.key[:len(s.key)-1],
		"a character more":        "Bearer " + s.key + "0",
		"two keys":                "Bearer " + s.key + " " + s.key,
		"unknown":                 "Bearer " + merchants.PrefixTest + strings.Repeat("0", 32),
		"not base62":              "Bearer " + merchants.PrefixTest + strings.Repeat("\xff", 32),
		"very long":               "Bearer " + merchants.PrefixTest + strings.Repeat("0", 8000),
		"revoked":                 "Bearer " + revoked,
		"quoted":                  `Bearer "` + s.key + `"`,
		"the hash, not the key":   "Bearer " + merchants.PrefixTest + strings.Repeat("a", 64),
		"a parameter, not a text": "Bearer token=" + s.key,
	} {
		a := s.send(t, "GET", "/v1/checkouts/chk_00000000000000000000", "", "Authorization", authorization)
		if !a.refused(t, 401, "unauthorized") || a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %d %s, WWW-Authenticate %q", name, a.status, a.body, a.header.Get("WWW-Authenticate"))
			continue
		}
		messages[a.fault(t).Error.Message] = true
		if strings.Contains(a.body, random) {
			t.Errorf("%s: the answer %s contains a secret", name, a.body)
		}
	}
	if len(messages) != 1 {
		t.Errorf("the messages distinguish cases: %v", messages)
	}
	for name, authorization := range map[string]string{
		"as documented": "Bearer " + s.key, "scheme in lower case": "bearer " + s.key, "two spaces": "Bearer  " + s.key,
	} {
		if a := s.send(t, "GET", "/v1/checkouts/chk_00000000000000000000", "", "Authorization",
			authorization); a.status != 404 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for _, elsewhere := range []string{"/v1/checkouts/chk_00000000000000000000?api_key=" + s.key,
		"/v1/checkouts/x?access_token=" + s.key} {
		if a := s.send(t, "GET", elsewhere, ""); a.status != 401 {
			t.Errorf("a key in the query: %d", a.status)
		}
	}
}

// Each endpoint requires its own permission, and no other (contract 5.4).
func TestPermissions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.pending(t).ID
	for _, tc := range []struct {
		method, path string
		needs        models.Permission
	}{
		{"POST", "/v1/checkouts", models.PermissionCheckoutCreate},
		{"GET", "/v1/checkouts", models.PermissionCheckoutRead},
		{"GET", "/v1/checkouts/" + id, models.PermissionCheckoutRead},
		{"POST", "/v1/payment-links", models.PermissionPaymentLinkCreate},
		{"GET", "/v1/payment-links", models.PermissionPaymentLinkRead},
		{"GET", "/v1/payment-links/plink_0", models.PermissionPaymentLinkRead},
		{"POST", "/v1/test/checkouts/" + id + "/pay", models.PermissionCheckoutCreate},
		{"POST", "/v1/test/checkouts/" + id + "/expire", models.PermissionCheckoutCreate},
		{"POST", "/v1/test/checkouts/" + id + "/cancel", models.PermissionCheckoutCreate},
	} {
		var others []models.Permission
		for _, p := range models.Permissions {
			if p != tc.needs {
				others = append(others, p)
			}
		}
		a := s.send(t, tc.method, tc.path, `{}`, "Authorization", "Bearer "+s.Key(t, s.Test, others...))
		if !a.refused(t, 403, "api_key_scope_forbidden") ||
			!strings.Contains(a.fault(t).Error.Message, string(tc.needs)) {
			t.Errorf("%s %s with all but %s: %d %s", tc.method, tc.path, tc.needs, a.status, a.body)
		}
		a = s.send(t, tc.method, tc.path, `{}`, "Authorization", "Bearer "+s.Key(t, s.Test, tc.needs))
		if a.status == 401 || a.status == 403 {
			t.Errorf("%s %s with %s: %d %s", tc.method, tc.path, tc.needs, a.status, a.body)
		}
	}
}

// Live charges need production access and an institution; reading needs neither (contract
// 4.1, 4.3, 5.3).
func TestLiveGates(t *testing.T) {
	t.Parallel()
	s := newSite(t) // without an institution
	key := s.Key(t, s.Live, models.Permissions...)
	for _, step := range []struct {
		change string // SQL on the account
		status int
		code   string
	}{
		{"", 403, "forbidden"},
		{"production_access = 'PENDING_REVIEW'", 403, "forbidden"},
		{"production_access = 'REJECTED', suspended = true", 403, "forbidden"},
		{"production_access = 'APPROVED', suspended = true, live_blocked = true", 403, "account_suspended"},
		{"suspended = false", 403, "live_operations_blocked"},
		{"live_blocked = false", 503, "provider_unavailable"},
	} {
		if step.change != "" {
			modelstest.Exec(t, s.DB, "UPDATE accounts SET "+step.change)
		}
		s.Clock.Advance(time.Second) // the longest time until a switch takes effect
		a := s.send(t, "POST", "/v1/checkouts", with(), "Authorization", "Bearer "+key)
		if !a.refused(t, step.status, step.code) {
			t.Errorf("with %s: %d %s, want %d %s", step.change, a.status, a.body, step.status, step.code)
		}
		for path, want := range map[string]string{"/v1/checkouts/chk_00000000000000000000": "404",
			"/v1/checkouts": "200"} {
			if a := s.send(t, "GET", path, "", "Authorization", "Bearer "+key); want == "200" && a.status != 200 ||
				want == "404" && !a.refused(t, 404, "checkout_not_found") {
				t.Errorf("GET %s with %s: %d %s", path, step.change, a.status, a.body)
			}
		}
		if a := s.create(t, with()); a.status != 201 {
			t.Errorf("test with %s: %d %s", step.change, a.status, a.body)
		}
	}
}

// A retry gets its answer even if the account was blocked meanwhile. A retry with
// another body gets the conflict first (docs/rules.md, "Idempotency").
func TestLiveGates_Repetition(t *testing.T) {
	t.Parallel()
	bank := &institution{}
	s := newSiteWith(t, bank)
	bank.Provider = s.Simulator
	s.Approve(t)
	live := []string{"Authorization", "Bearer " + s.Key(t, s.Live, models.Permissions...), "Idempotency-Key", "k"}
	made := s.send(t, "POST", "/v1/checkouts", with(), live...)
	if made.status != 201 {
		t.Fatalf("first: %d %s", made.status, made.body)
	}
	modelstest.Exec(t, s.DB, "UPDATE accounts SET suspended = true")
	s.Clock.Advance(time.Second)
	if a := s.send(t, "POST", "/v1/checkouts", with(), live...); a.status != 200 || a.id(t) != made.id(t) {
		t.Errorf("the same body: %d %s", a.status, a.body)
	}
	if a := s.send(t, "POST", "/v1/checkouts", with("amount", "1"), live...); !a.refused(t, 409,
		"idempotency_conflict") {
		t.Errorf("another body: %d %s", a.status, a.body)
	}
	if a := s.send(t, "POST", "/v1/checkouts", with(), live[0], live[1], "Idempotency-Key", "l"); !a.refused(t, 403,
		"account_suspended") {
		t.Errorf("another key: %d %s", a.status, a.body)
	}
}

// After a 503 the key is bound to its body (docs/rules.md, "Idempotency").
func TestCreateCheckout_Unavailable(t *testing.T) {
	t.Parallel()
	bank := &institution{unavailable: true}
	s := newSiteWith(t, bank)
	bank.Provider = s.Simulator
	s.Approve(t)
	live := []string{"Authorization", "Bearer " + s.Key(t, s.Live, models.Permissions...), "Idempotency-Key", "k"}
	if a := s.send(t, "POST", "/v1/checkouts", with(), live...); !a.refused(t, 503, "provider_unavailable") {
		t.Fatalf("first: %d %s", a.status, a.body)
	}
	if a := s.send(t, "POST", "/v1/checkouts", with("amount", "1"), live...); !a.refused(t, 409,
		"idempotency_conflict") {
		t.Errorf("another body: %d %s", a.status, a.body)
	}
	bank.unavailable = false
	made := s.send(t, "POST", "/v1/checkouts", with(), live...)
	if made.status != 201 || bank.asked[len(bank.asked)-1] != bank.asked[0] {
		t.Errorf("resumed: %d %s, with the charges %v", made.status, made.body, bank.asked)
	}
	if a := s.send(t, "POST", "/v1/checkouts", with(), live...); a.status != 200 || a.id(t) != made.id(t) ||
		s.checkouts(t) != 1 {
		t.Errorf("repeated: %d %s, %d checkouts", a.status, a.body, s.checkouts(t))
	}
}
