package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/webtest"
)

// The switches of a key, which no permission includes.
const (
	refunds = string(models.KeyRefunds)
	events  = string(models.KeyEvents)
	audit   = string(models.KeyAudit)
)

// keyDoors says what a key needs for each route of the API that doors has for keys.
var keyDoors = map[string]string{
	"GET /v1/audit":                      audit,
	"GET /v1/balance":                    "BALANCE:READ",
	"GET /v1/checkouts":                  "CHECKOUT:READ",
	"POST /v1/checkouts":                 "CHECKOUT:CREATE",
	"GET /v1/checkouts/:id":              "CHECKOUT:READ",
	"GET /v1/events":                     events,
	"GET /v1/events/:id":                 events,
	"POST /v1/events/:id/resend":         events,
	"POST /v1/events/replay":             events,
	"GET /v1/payment-links":              "PAYMENT_LINK:READ",
	"POST /v1/payment-links":             "PAYMENT_LINK:CREATE",
	"GET /v1/payment-links/:id":          "PAYMENT_LINK:READ",
	"GET /v1/refunds":                    "CHECKOUT:READ",
	"POST /v1/refunds":                   refunds,
	"GET /v1/refunds/:id":                "CHECKOUT:READ",
	"POST /v1/test/checkouts/:id/cancel": "CHECKOUT:CREATE",
	"POST /v1/test/checkouts/:id/expire": "CHECKOUT:CREATE",
	"POST /v1/test/checkouts/:id/pay":    "CHECKOUT:CREATE",
	"GET /v1/test/events":                "CHECKOUT:READ",
	"GET /v1/withdrawals":                "WITHDRAWAL:READ",
	"POST /v1/withdrawals":               "WITHDRAWAL:CREATE",
	"GET /v1/withdrawals/:id":            "WITHDRAWAL:READ",
}

// A key gets into the routes of its permissions and switches, and is told at all others that it lacks the permission.
func TestDoors_Keys(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	for route, audience := range doors {
		if audience == "keys" && keyDoors[route] == "" || audience != "keys" && keyDoors[route] != "" {
			t.Errorf("doors has %s for %s, and a key needs %q for it", route, audience, keyDoors[route])
		}
	}
	for right, key := range oneRight(t, s) {
		for route, needed := range keyDoors {
			method, pattern, _ := strings.Cut(route, " ")
			// The endpoints for tests are 404 for a live key with the permission.
			status, code := callDoor(t, s, key, method, param.ReplaceAllString(pattern, "x"))
			has := needed == right || needed == "PAYMENT_LINK:READ" &&
				slices.Contains(models.KeySwitches, models.KeySwitch(right))
			refused := status == http.StatusForbidden && code == "api_key_scope_forbidden"
			if status == http.StatusUnauthorized || status >= 500 || refused == has {
				t.Errorf("a key with %s alone gets from %s: %d %s; it needs %s", right, route, status, code, needed)
			}
		}
	}
}

// oneRight returns live keys with one permission each. A key with a switch has a permission, too, as no key has none.
func oneRight(t *testing.T, s *webtest.Site) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for _, p := range models.Permissions {
		keys[string(p)] = s.Key(t, s.Gateway.Live, p)
	}
	for _, of := range models.KeySwitches {
		right := string(of)
		key, secret, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Gateway.Live, merchants.NewKey{
			Name: right, Permissions: []models.Permission{models.PermissionPaymentLinkRead}})
		if err == nil {
			err = s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Gateway.Live, key.ID, models.KeySwitch(right), true)
		}
		if err != nil {
			t.Fatal(err)
		}
		keys[right] = secret
	}
	return keys
}

// callDoor calls the API with an empty body, and returns the status and the code of an error.
func callDoor(t *testing.T, s *webtest.Site, key, method, path string) (status int, code string) {
	t.Helper()
	status, answer := s.Call(t, key, method, path, "")
	if problem, ok := answer["error"].(map[string]any); ok {
		code, _ = problem["code"].(string)
	}
	return status, code
}
