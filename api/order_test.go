package api_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// attempt is a request of the test below.
type attempt struct {
	method, path, media, key, idempotency, body string
}

// The checks have an order (docs/rules.md, "Order of checks"): the test corrects a request
// one fault at a time, and each answer reports the next fault.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	bank := &institution{}
	g := paymentstest.NewWith(t, bank)
	bank.Provider = g.Simulator
	s := newSiteOver(t, g, api.Limits{Live: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 1})})
	s.Approve(t)
	reader, creator := s.Key(t, s.Live, models.PermissionCheckoutRead), s.Key(t, s.Live,
		models.PermissionCheckoutCreate)

	r := attempt{method: "POST", path: "/v1/checkouts", media: "application/json", key: creator, idempotency: "used",
		body: with()}
	if a := s.try(t, r); a.status != 201 {
		t.Fatalf("the request that uses the key: %d %s", a.status, a.body)
	}
	account(t, s, "REJECTED")
	bank.unavailable = true

	r = attempt{
		method: "DELETE", path: "/v1/checkoutz", media: "text/plain", key: "svc_live_none",
		idempotency: strings.Repeat("k", 256),
		body:        strings.Repeat("{", 128<<10+1),
	}
	for _, step := range []struct {
		mended string
		mend   func()
		want   string
	}{
		{"nothing", func() {}, "404 not_found"},
		{"the path", func() { r.path = "/v1/checkouts" }, "405 method_not_allowed"},
		{"the method", func() { r.method = "POST" }, "413 request_too_large"},
		{"the size", func() { r.body = "{" }, "415 unsupported_media_type"},
		{"the media type", func() { r.media = "application/json" }, "401 unauthorized"},
		{"the key", func() { r.key = reader; s.try(t, r) }, "429 rate_limit_exceeded"},
		{"the haste", func() {}, "403 api_key_scope_forbidden"},
		{"the permission", func() { r.key = creator }, "400 invalid_request_body"},
		{"the Idempotency-Key", func() { r.idempotency = "used" }, "400 invalid_json"},
		{"the syntax", func() { r.body = with("amount", `"1"`, "expiresIn", "59") }, "400 invalid_request_body"},
		{"the types", func() { r.body = with("amount", "1", "expiresIn", "59") }, "422 invalid_expires_in"},
		{"the range", func() { r.body = with("amount", "1") }, "409 idempotency_conflict"},
		{"the conflict", func() { r.idempotency = "new" }, "403 forbidden"},
		{"the access", func() { account(t, s, "APPROVED") }, "503 provider_unavailable"},
		{"the institution", func() { bank.unavailable = false }, "201 "},
	} {
		s.Clock.Advance(time.Minute)
		step.mend()
		a := s.try(t, r)
		got := strconv.Itoa(a.status) + " "
		if a.status >= 400 {
			got += a.fault(t).Error.Code
		}
		if got != step.want {
			t.Errorf("with %s corrected: %s, want %s: %s", step.mended, got, step.want, a.body)
		}
	}
}

func (s *site) try(t *testing.T, r attempt) answer {
	t.Helper()
	return s.send(t, r.method, r.path, r.body, "Content-Type", r.media, "Authorization", "Bearer "+r.key,
		"Idempotency-Key", r.idempotency)
}

func account(t *testing.T, s *site, access string) {
	t.Helper()
	modelstest.Exec(t, s.DB, "UPDATE accounts SET production_access = $1", access)
}

// Calls are limited by key. Every authenticated answer says how full the bucket is,
// whether the call succeeded or not (docs/rules.md, "Order of checks").
func TestRateLimit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	s := newSiteOver(t, g, api.Limits{
		Test: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: 2 * time.Second, Burst: 3}),
		Live: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Second, Burst: 50}),
	})
	reader := s.Key(t, s.Test, models.PermissionCheckoutRead)
	for i, tc := range []struct {
		method, path, key     string
		wait                  time.Duration
		status                int
		limit, remaining      string
		reset, retryAfter, of string
	}{
		{"GET", "/v1/checkouts", reader, 0, 200, "3", "2", "2", "", "the first"},
		{"GET", "/v1/checkouts/x", reader, 0, 404, "3", "1", "4", "", "not found"},
		{"POST", "/v1/checkouts", reader, 0, 403, "3", "0", "6", "", "no permission"},
		{"GET", "/v1/checkouts", reader, 0, 429, "3", "0", "6", "2", "too many"},
		{"GET", "/v1/checkouts", reader, 1500 * time.Millisecond, 429, "3", "0", "5", "1", "still too many"},
		{"GET", "/v1/checkouts", s.key, 0, 200, "3", "2", "2", "", "another key"},
		{"GET", "/v1/checkouts", s.Key(t, s.Live, models.PermissionCheckoutRead), 0, 200, "50", "49", "1", "",
			"a live key"},
		{"GET", "/v1/checkouts", reader, 500 * time.Millisecond, 200, "3", "0", "6", "", "after the wait"},
	} {
		s.Clock.Advance(tc.wait)
		a := s.send(t, tc.method, tc.path, "{}", "Authorization", "Bearer "+tc.key)
		got := []string{strconv.Itoa(a.status), a.header.Get("RateLimit-Limit"), a.header.Get("RateLimit-Remaining"),
			a.header.Get("RateLimit-Reset"), a.header.Get("Retry-After")}
		want := []string{strconv.Itoa(tc.status), tc.limit, tc.remaining, tc.reset, tc.retryAfter}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%d, %s: %q, want %q", i, tc.of, got, want)
		}
		if tc.status == 429 && !a.refused(t, 429, "rate_limit_exceeded") {
			t.Errorf("%d, %s: %s", i, tc.of, a.body)
		}
	}
}

// Failed authentications are limited by address, and the limit does not affect valid keys.
func TestRateLimit_FailedAuthentication(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	s := newSiteOver(t, g, api.Limits{FailedAuth: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 2})})
	for i, status := range []int{401, 401, 429, 429} {
		a := s.send(t, "GET", "/v1/checkouts", "", "Authorization", "Bearer svc_test_"+strings.Repeat("0", 32))
		if a.status != status || status == 429 && (a.fault(t).Error.Code != "rate_limit_exceeded" ||
			a.header.Get("Retry-After") != "60") {
			t.Errorf("guess %d: %d %s, Retry-After %q; want %d", i, a.status, a.body,
				a.header.Get("Retry-After"), status)
		}
	}
	if a := s.send(t, "GET", "/v1/checkouts", "", "Authorization", "Bearer "+s.key); a.status != 200 {
		t.Errorf("the right key: %d %s", a.status, a.body)
	}
}
