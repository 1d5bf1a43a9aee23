package merchants_test

import (
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A place is known of a person once a session there gives access, and for a time. It is stored
// as a digest.
func TestKnows(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	other := e.Merchant(t, "bruno@example.com")
	here := merchants.Browser{IP: "2001:db8::7", Mark: "the mark of a browser"}
	knows := func(email, ip, mark string) bool {
		t.Helper()
		known, err := e.Merchants.Knows(t.Context(), email, merchants.Browser{IP: ip, Mark: mark})
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	token := e.pending(t)
	for _, known := range []bool{false, true} {
		if err := e.Merchants.Remember(t.Context(), token, here); err != nil {
			t.Fatal(err)
		}
		if got := knows(e.Email, here.IP, here.Mark); got != known {
			t.Errorf("known is %t, want %t", got, known)
		}
		if !known {
			var err error
			if token, err = e.Merchants.LogInWithCode(t.Context(), token, e.code(), here); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tc := range map[string]struct {
		email, ip, mark string
		want            bool
	}{
		"the browser elsewhere":     {strings.ToUpper(e.Email), "203.0.113.7", here.Mark, true},
		"the network":               {e.Email, "2001:db8::ffff", "another mark", true},
		"the next network":          {e.Email, "2001:db8:0:1::7", "", false},
		"an address as a mark":      {e.Email, "", "2001:db8::/64", false},
		"another person":            {other.Email, here.IP, here.Mark, false},
		"nobody":                    {"x@example.com", here.IP, here.Mark, false},
		"a text that is no address": {"\x00\xff", here.IP, here.Mark, false},
		"no place":                  {e.Email, "", "", false},
	} {
		if got := knows(tc.email, tc.ip, tc.mark); got != tc.want {
			t.Errorf("%s: known is %t", name, got)
		}
	}
	if n := modelstest.One[int](t, e.DB, "SELECT count(*) FROM log_in_places WHERE position($1 in place) > 0",
		[]byte("2001:db8")); n != 0 {
		t.Error("an address is stored in plain")
	}
	e.Clock.Advance(merchants.PlaceLifetime)
	if knows(e.Email, here.IP, here.Mark) {
		t.Error("a place is known for ever")
	}
}
