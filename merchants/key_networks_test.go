package merchants_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/payments/paymentstest"
)

func TestParseNetworks(t *testing.T) {
	t.Parallel()
	many := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("203.0.113.%d\n", i)
		}
		return text
	}
	for text, want := range map[string]string{
		"": "", " \n": "",
		"203.0.113.9":                          "203.0.113.9",
		"203.0.113.9/32, 2001:db8::1/128":      "203.0.113.9, 2001:db8::1",
		"203.0.113.9/24\r\n2001:DB8:0::5/48\n": "203.0.113.0/24, 2001:db8::/48",
		"10.0.0.1;10.0.0.1 ::ffff:10.0.0.1":    "10.0.0.1",
		"::ffff:10.1.0.0/112":                  "10.1.0.0/16",
		"0.0.0.0/0 ::/0":                       "0.0.0.0/0, ::/0",
	} {
		networks, problem := merchants.ParseNetworks(text)
		if got := merchants.FormatNetworks(networks); problem != "" || got != want {
			t.Errorf("%q is %q, %q; want %q", text, got, problem, want)
		}
	}
	for text, want := range map[string]merchants.Problem{
		"203.0.113": merchants.Malformed, "203.0.113.9/33": merchants.Malformed, "fe80::1%eth0": merchants.Malformed,
		"loja.example": merchants.Malformed, "10.0.0.1-9": merchants.Malformed, "010.0.0.1": merchants.Malformed,
		many(21): merchants.TooLong, "\x00": merchants.Malformed,
	} {
		if networks, problem := merchants.ParseNetworks(text); problem != want || networks != nil {
			t.Errorf("%q is %v, %q; want %q", text, networks, problem, want)
		}
	}
	if networks, problem := merchants.ParseNetworks(many(20) + many(20)); len(networks) != 20 || problem != "" {
		t.Errorf("20 networks, each twice, are %d, %q", len(networks), problem)
	}
}

// A key with networks is refused from everywhere else, also while it is cached, with the answer to an unknown key,
// and such a call is no use of the key (docs/rules.md, "API keys").
func TestAuthenticate_Networks(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "Loja",
		Permissions: merchants.CheckoutIntegration, Networks: "198.51.100.0/24 2001:db8::/48"})
	if err != nil {
		t.Fatal(err)
	}
	line := audited(t, g, 1)[0]
	if line.Action != "api_key.created" || !strings.Contains(line.After, "198.51.100.0/24, 2001:db8::/48") {
		t.Errorf("the audit log says %+v", line)
	}
	_, unknown := g.Merchants.Authenticate(t.Context(), merchants.PrefixTest+strings.Repeat("0", 32), "198.51.100.1")
	for range 2 {
		for ip, admitted := range map[string]bool{
			"198.51.100.1": true, "::ffff:198.51.100.255": true, "2001:db8::7": true, "2001:db8:0:ffff::1": true,
			"198.51.101.1": false, "2001:db8:1::1": false, "127.0.0.1": false, "": false, "x": false,
		} {
			_, err := g.Merchants.Authenticate(t.Context(), secret, ip)
			if admitted != (err == nil) || err != nil && *refusal.Of(err) != *refusal.Of(unknown) {
				t.Errorf("from %q: %v", ip, err)
			}
		}
		g.Clock.Advance(time.Second)
	}
}

// A refused call is no use of the key.
func TestAuthenticate_NetworksUse(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "Loja",
		Permissions: merchants.CheckoutIntegration, Networks: "203.0.113.9"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merchants.Authenticate(t.Context(), secret, "127.0.0.1"); err == nil {
		t.Error("used from another network")
	}
	g.Clock.Advance(time.Second)
	if _, err := g.Merchants.Authenticate(t.Context(), secret, "203.0.113.9"); err != nil {
		t.Fatal(err)
	}
	awaitUse(t, g, g.Clock.Now()) // a use that was recorded a second ago would keep this one out
}

// A key is not made with networks that cannot be read.
func TestCreateKey_Networks(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	_, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "x",
		Permissions: merchants.CheckoutIntegration, Networks: "10.0.0.0/8, 10.0.0"})
	if diff := cmp.Diff(error(merchants.Invalid{"networks": merchants.Malformed}), err); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
