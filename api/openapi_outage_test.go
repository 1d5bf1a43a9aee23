package api_test

import (
	"strconv"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/payments/paymentstest"
)

// While the database refuses connections, every operation with a key answers 503 as
// described, with how long to wait: if the key cannot be read, and if it is known and the
// operation fails. Afterwards they work.
func TestOpenAPI_Outage(t *testing.T) {
	t.Parallel()
	g, network := paymentstest.NewBehind(t)
	d := newDescribedOver(t, g, &institution{Provider: g.Simulator}, api.Limits{})
	d.product(t)
	made := d.call(t, "POST", "/v1/checkouts", with(), as(d.key)...).id(t)
	out := func(method, path, body string) {
		t.Helper()
		a := d.call(t, method, path, body, as(d.key, "Idempotency-Key", "a")...)
		wait, err := strconv.Atoi(a.header.Get("Retry-After"))
		if !a.refused(t, 503, "internal_error") || err != nil || wait < 1 {
			t.Errorf("%s %s: %d %s, Retry-After %q", method, path, a.status, a.body, a.header.Get("Retry-After"))
		}
	}
	network.Refuse()
	out("POST", "/v1/checkouts", with())
	out("POST", "/v1/payment-links", goodLink)
	out("POST", "/v1/test/checkouts/"+made+"/pay", "")
	for _, path := range []string{"/v1/checkouts", "/v1/checkouts/" + made, "/v1/payment-links", "/v1/balance"} {
		out("GET", path, "")
	}
	g.Clock.Advance(time.Second) // longer than a key is cached
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Responses.Value("401") != nil {
				out(method, idInPath.ReplaceAllString(path, "x"), "")
			}
		}
	}
	d.call(t, "GET", "/v1/health", "")
	network.Restore()
	if a := d.call(t, "GET", "/v1/checkouts/"+made, "", as(d.key)...); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}
