package webhook_test

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"garoupa/webhook"
)

// hostileAddresses are addresses that a merchant's name server may return.
var hostileAddresses = []string{
	"127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
	"192.168.255.255", "100.64.0.1", "100.127.255.255", "169.254.169.254", "169.254.0.1", "100.100.100.200",
	"168.63.129.16", "192.0.0.192", "0.0.0.0", "0.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1",
	"198.18.0.1", "198.19.255.255", "192.88.99.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "::127.0.0.1",
	"::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1",
	"fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "fdff:ffff::1", "ff02::1", "ff0e::1",
	"2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "100::1", "5f00::1", "4000::1",
}

// Each address is the answer for a harmless name, so only the check at the connection can
// refuse it.
func TestPostRefusesResolvedAddresses(t *testing.T) {
	t.Parallel()
	if len(hostileAddresses) < 40 {
		t.Fatalf("only %d addresses", len(hostileAddresses))
	}
	for _, address := range hostileAddresses {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			client := clientWith(webhook.Options{})
			client.UseResolver(resolver(t, always("hooks.merchant.example", netip.MustParseAddr(address))))
			outcome := client.Post(t.Context(), attempt("https://hooks.merchant.example"))
			if outcome.Class != webhook.ClassBlocked || outcome.OK {
				t.Errorf("outcome %+v, want blocked", outcome)
			}
			if strings.Contains(outcome.Detail, address) {
				t.Errorf("detail %q contains the address of the name", outcome.Detail)
			}
		})
	}
}

// Post checks a URL again that was stored before the form had its check, or under another
// setting.
func TestPostRefusesHostileHosts(t *testing.T) {
	t.Parallel()
	client := clientWith(webhook.Options{})
	for _, host := range hostileHosts {
		outcome := client.Post(t.Context(), attempt("http://"+host))
		if outcome.Class != webhook.ClassBlocked || outcome.StatusCode != 0 {
			t.Errorf("%s: outcome %+v, want blocked", host, outcome)
		}
	}
}

// The name resolves to a public address when it is registered and looked up, and to an
// internal one when the attempt is made.
func TestPostRefusesRebinding(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	const name = "rebind.merchant.example"
	var lookups atomic.Int32
	r := resolver(t, func(asked string, questions dnsmessage.Type) []netip.Addr {
		if asked != name {
			return nil
		}
		if questions == dnsmessage.TypeA && lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	url := "http://" + name + ":" + port(t, inside.URL)

	if err := webhook.CheckURL(url, false, false); err != nil {
		t.Fatal(err)
	}
	first, err := r.LookupNetIP(t.Context(), "ip4", name)
	if err != nil || webhook.RefusedAddress(first[0], false) {
		t.Fatalf("the first look-up should be public: %v %v", first, err)
	}
	client := clientWith(webhook.Options{})
	client.UseResolver(r)
	if outcome := client.Post(t.Context(), attempt(url)); outcome.Class != webhook.ClassBlocked {
		t.Errorf("outcome %+v, want blocked", outcome)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	if lookups.Load() < 2 {
		t.Error("the name was not looked up again")
	}
}

// One public address among several answers does not permit the others.
func TestPostRefusesEveryAnswer(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	client := clientWith(webhook.Options{})
	client.UseResolver(resolver(t, always("many.merchant.example",
		netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"))))
	outcome := client.Post(t.Context(), attempt("http://many.merchant.example:"+port(t, inside.URL)))
	if outcome.Class != webhook.ClassBlocked || hits.Load() != 0 {
		t.Errorf("outcome %+v after %d requests, want blocked", outcome, hits.Load())
	}
}

// In live, plain http reaches only a developer's own machine.
func TestPostRefusesPlainHTTPInLive(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for _, test := range []struct {
		url          string
		allowPrivate bool
		refused      bool
	}{
		{server.URL, true, false},
		{server.URL, false, true},
		{"http://hooks.merchant.example", true, true},
		{"http://8.8.8.8", true, true},
	} {
		live := attempt(test.url)
		live.Live = true
		hits.Store(0)
		outcome := clientWith(webhook.Options{AllowPrivate: test.allowPrivate}).Post(t.Context(), live)
		if refused := outcome.Class == webhook.ClassBlocked &&
			outcome.Detail == "URL refused: insecure"; refused != test.refused || refused != (hits.Load() == 0) {
			t.Errorf("%s, private %t: outcome %+v after %d requests", test.url, test.allowPrivate, outcome, hits.Load())
		}
	}
}

func TestRefusedAddressLetsPublicIn(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"8.8.8.8", "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255",
		"198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
		"64:ff9b::8.8.8.8",
	} {
		if webhook.RefusedAddress(netip.MustParseAddr(address), false) {
			t.Errorf("%s is refused", address)
		}
	}
}

func TestRefusedAddressWhenPrivateIsAllowed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1": false, "::1": false, "10.1.2.3": false, "192.168.1.2": false, "fd12::1": false,
		"100.64.0.1":       false,
		"::ffff:127.0.0.1": false, "8.8.8.8": false,
		"169.254.169.254": true, "fe80::1": true, "fd00:ec2::254": true, "fd20:ce::254": true, "100.100.100.200": true,
		"0.0.0.0": true, "ff02::1": true,
	} {
		if got := webhook.RefusedAddress(netip.MustParseAddr(address), true); got != want {
			t.Errorf("%s: refused %t, want %t", address, got, want)
		}
	}
}

func TestPostRefusesOwnAddresses(t *testing.T) {
	t.Parallel()
	own := func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("::ffff:8.8.4.4")} }
	client := clientWith(webhook.Options{Own: own})
	for _, host := range []string{"8.8.4.4", "[::ffff:8.8.4.4]", "[64:ff9b::8.8.4.4]"} {
		if outcome := client.Post(t.Context(), attempt("https://"+host)); outcome.Class != webhook.ClassBlocked {
			t.Errorf("%s: outcome %+v, want blocked", host, outcome)
		}
	}
	if err := webhook.RefuseOwn(own, netip.MustParseAddr("8.8.8.8")); err != nil {
		t.Errorf("another address: %v", err)
	}
}

// The loopback address stands for any address of an interface: every machine has it.
func TestInterfaceAddressesAreOwn(t *testing.T) {
	t.Parallel()
	if err := webhook.RefuseOwn(nil, netip.MustParseAddr("127.0.0.1")); err == nil {
		t.Error("an interface's address is allowed")
	}
	if err := webhook.RefuseOwn(nil, netip.MustParseAddr("8.8.8.8")); err != nil {
		t.Errorf("another address: %v", err)
	}
}
