package webhook_test

import (
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"garoupa/webhook"
)

// The addresses of the installation's hosts are refused, also those of a name that led there a
// short time ago or that cannot be looked up now.
func TestOwnHosts(t *testing.T) {
	t.Parallel()
	first, second := netip.MustParseAddr("8.8.4.4"), netip.MustParseAddr("2001:4860:4860::8844")
	var answer atomic.Pointer[netip.Addr]
	own, err := webhook.NewOwnHosts("https://pay.garoupa.example:8443", "https://1.1.1.1")
	if err != nil {
		t.Fatal(err)
	}
	own.UseResolver(resolver(t, func(name string, _ dnsmessage.Type) []netip.Addr {
		if addr := answer.Load(); addr != nil && name == "pay.garoupa.example" {
			return []netip.Addr{*addr}
		}
		return nil
	}))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		name   string
		answer *netip.Addr // nil: the look-up fails
		after  time.Duration
		want   []string
	}{
		{"look-up fails at first", nil, 0, []string{"1.1.1.1"}},
		{"found", &first, time.Minute, []string{"1.1.1.1", "8.8.4.4"}},
		{"moved", &second, time.Minute, []string{"1.1.1.1", "2001:4860:4860::8844", "8.8.4.4"}},
		{"look-up fails for long", nil, 2 * webhook.OwnKept, []string{"1.1.1.1", "2001:4860:4860::8844", "8.8.4.4"}},
		{"found again", &second, time.Minute, []string{"1.1.1.1", "2001:4860:4860::8844"}},
	} {
		answer.Store(step.answer)
		now = now.Add(step.after)
		if err := own.Refresh(t.Context(), now); (err != nil) != (step.answer == nil) {
			t.Errorf("%s: error %v", step.name, err)
		}
		var got []string
		for _, addr := range own.Addrs() {
			got = append(got, addr.Unmap().String())
		}
		if slices.Sort(got); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
	client := clientWith(webhook.Options{Own: own.Addrs})
	client.UseResolver(resolver(t, always("hooks.merchant.example", second)))
	if outcome := client.Post(t.Context(), attempt("https://hooks.merchant.example")); outcome.Class !=
		webhook.ClassBlocked {
		t.Errorf("a merchant's name that leads to the installation: %+v", outcome)
	}
}

// Forbidden networks are refused even where private addresses are allowed.
func TestPostRefusesForbiddenNetworks(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	forbidden := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("127.0.0.0/8")}
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]"} {
		outcome := clientWith(webhook.Options{AllowPrivate: true, Forbidden: forbidden}).Post(t.Context(),
			attempt("http://"+host+":"+port(t, server.URL)))
		if outcome.Class != webhook.ClassBlocked || hits.Load() != 0 {
			t.Errorf("%s: outcome %+v, want blocked", host, outcome)
		}
	}
}
