package ratelimit_test

import (
	"testing"

	"garoupa/internal/ratelimit"
)

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.7":                    "203.0.113.7",
		"::ffff:203.0.113.7":             "203.0.113.7",
		"2001:db8::":                     "2001:db8::/64",
		"2001:db8::7":                    "2001:db8::/64",
		"2001:db8:0:0:ffff:ffff:ffff:1":  "2001:db8::/64",
		"2001:db8:0:1::7":                "2001:db8:0:1::/64",
		"2001:0DB8:0000:0001:0:0:0:0007": "2001:db8:0:1::/64",
		"fe80::1%eth0":                   "fe80::/64",
		"":                               "",
		"unknown":                        "unknown",
	} {
		if got := ratelimit.AddressKey(address); got != want {
			t.Errorf("AddressKey(%q) = %q, want %q", address, got, want)
		}
	}
}
