package webhook_test

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"garoupa/webhook"
)

// hostileForms are tricks that the form refuses before any look-up, each with the reason.
// hostileHosts has the plain spellings.
var hostileForms = []struct {
	url  string
	want webhook.Reason
}{
	// Parsers disagree about where the host is.
	{`https://example.com\@127.0.0.1/`, webhook.ReasonMalformed},
	{`https://127.0.0.1\.example.com/`, webhook.ReasonMalformed},
	{`https:\\127.0.0.1\hook`, webhook.ReasonMalformed},
	{"https://127.0.0.1%00.example.com/", webhook.ReasonMalformed},
	{"https://127.0.0.1%2eexample.com/", webhook.ReasonMalformed},
	{"https://127.0.0.1%0d%0a.example.com/", webhook.ReasonMalformed},
	{"https://example.com%40127.0.0.1/", webhook.ReasonMalformed},
	{"https://%6c%6f%63alhost/", webhook.ReasonMalformed},
	{"https://127.0.0.1\t/", webhook.ReasonMalformed},
	{"https://127.0.0.1\u00a0/", webhook.ReasonMalformed},
	{"//127.0.0.1/", webhook.ReasonMalformed},
	{"http:127.0.0.1", webhook.ReasonMalformed},
	{"http:/127.0.0.1/", webhook.ReasonHost},
	{"http:///127.0.0.1/", webhook.ReasonHost},
	{"http://?@127.0.0.1/", webhook.ReasonHost},
	{"https://127.0.0.1,example.com/", webhook.ReasonHost},
	{"https://127.0.0.1;example.com/", webhook.ReasonHost},
	{"https://127.0.0.1#@example.com/", webhook.ReasonFragment},

	// Schemes other than HTTP.
	{"dict://127.0.0.1:11211/", webhook.ReasonScheme},
	{"unix:///var/run/docker.sock", webhook.ReasonScheme},
	{"ws://example.com/", webhook.ReasonScheme},
	{"jar:https://example.com!/", webhook.ReasonScheme},
	{"http+unix://%2Fvar%2Frun%2Fdocker.sock/", webhook.ReasonMalformed},

	// Credentials, which also hide the host.
	{"https://example.com@127.0.0.1/", webhook.ReasonCredentials},
	{"https://example.com:80@127.0.0.1/", webhook.ReasonCredentials},
	{"https://example.com%2f@127.0.0.1/", webhook.ReasonCredentials},
	{"https://@127.0.0.1/", webhook.ReasonCredentials},
	{"https://:@example.com/", webhook.ReasonCredentials},
	{"https://user:password@[::1]/", webhook.ReasonCredentials},

	// Ports.
	{"https://example.com:0/", webhook.ReasonHost},
	{"https://example.com:65536/", webhook.ReasonHost},
	{"https://[::1]:65536/", webhook.ReasonHost},
	{"https://example.com:-1/", webhook.ReasonMalformed},
	{"https://example.com:0x50/", webhook.ReasonMalformed},
	{"https://example.com:80a/", webhook.ReasonMalformed},
	{"https://127.0.0.1:80:443/", webhook.ReasonMalformed},
	{"https://10.0.0.1:5432/", webhook.ReasonPrivate},
	{"https://localhost:6379/", webhook.ReasonPrivate},

	// Brackets that hold no IPv6 address, and IPv6 without them.
	{"https://[127.0.0.1]/", webhook.ReasonMalformed},
	{"https://[8.8.8.8]/", webhook.ReasonMalformed},
	{"https://[localhost]/", webhook.ReasonMalformed},
	{"https://[v1.127.0.0.1]/", webhook.ReasonMalformed},
	{"https://[::1/", webhook.ReasonMalformed},
	{"https://[::1]extra/", webhook.ReasonMalformed},
	{"https://[::1]:x/", webhook.ReasonMalformed},
	{"https://::1/", webhook.ReasonMalformed},
	{"https://2606:4700:4700::1111/", webhook.ReasonMalformed},

	// IPv6 that wraps IPv4: mapped, translated, NAT64, 6to4, Teredo.
	{"https://[::FFFF:7F00:1]/", webhook.ReasonPrivate},
	{"https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/", webhook.ReasonPrivate},
	{"https://[::ffff:10.0.0.1%25eth0]/", webhook.ReasonPrivate},
	{"https://[::ffff:0:a00:1]/", webhook.ReasonPrivate},
	{"https://[::a00:1]/", webhook.ReasonPrivate},
	{"https://[64:ff9b::169.254.169.254]/", webhook.ReasonPrivate},
	{"https://[64:ff9b:1:7f00:1::]/", webhook.ReasonPrivate},
	{"https://[2002:a00:1::1]/", webhook.ReasonPrivate},
	{"https://[2002:a9fe:a9fe::]/", webhook.ReasonPrivate},
	{"https://[2001:0:7f00:1::]/", webhook.ReasonPrivate},

	// IPv4 in numbers of every base, of every count, and too large.
	{"https://3232235777/", webhook.ReasonPrivate},
	{"https://0xc0a80101/", webhook.ReasonPrivate},
	{"https://0300.0250.0.1/", webhook.ReasonPrivate},
	{"https://192.11010305/", webhook.ReasonPrivate},
	{"https://127.0x0.0.01/", webhook.ReasonPrivate},
	{"https://127.0.0.0x1/", webhook.ReasonPrivate},
	{"https://00/", webhook.ReasonPrivate},
	{"https://127.0.0.1.:8443/", webhook.ReasonPrivate},
	{"https://127.0.0.1../", webhook.ReasonHost},
	{"https://127.0.0.1.1/", webhook.ReasonHost},
	{"https://127..1/", webhook.ReasonHost},
	{"https://127.0.0.256/", webhook.ReasonHost},
	{"https://4294967296/", webhook.ReasonHost},
	{"https://08.0.0.1/", webhook.ReasonHost},
	{"https://0x/", webhook.ReasonHost},
	{"https://0b1111111.1/", webhook.ReasonHost},

	// Internal names: with a final dot, and in letters that look the same or are mapped.
	{"https://metadata.google.internal./", webhook.ReasonPrivate},
	{"https://instance-data/", webhook.ReasonPrivate},
	{"https://LOCALHOST。/", webhook.ReasonPrivate},
	{"https://127.0.0.1。/", webhook.ReasonPrivate},
	{"https://127%E3%80%820%E3%80%820%E3%80%821/", webhook.ReasonPrivate},
	{"https://%e2%93%9bocalhost/", webhook.ReasonPrivate},
	{"https://ⅼocalhost/", webhook.ReasonPrivate},
	{"https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", webhook.ReasonPrivate},
	{"https://local\u200bhost/", webhook.ReasonPrivate},
	{"https://local\u200dhost/", webhook.ReasonHost},
	{"https://printer.ｌｏｃａｌ/", webhook.ReasonPrivate},
	{"https://lоcalhost/", webhook.ReasonPrivate}, // with a Cyrillic о: another name, but still a single label
	{"https://١٢٧.٠.٠.١/", webhook.ReasonHost},
}

func TestHostileURLs_Form(t *testing.T) {
	t.Parallel()
	if len(hostileForms) < 40 {
		t.Fatalf("only %d addresses", len(hostileForms))
	}
	client := clientWith(webhook.Options{})
	client.UseResolver(resolver(t, func(name string, _ dnsmessage.Type) []netip.Addr {
		t.Errorf("the form looked up %s", name)
		return nil
	}))
	for _, tc := range hostileForms {
		if got := reasonOf(webhook.CheckURL(tc.url, false, false)); got != tc.want {
			t.Errorf("CheckURL(%q): reason %q, want %q", tc.url, got, tc.want)
		}
		stored := attempt("")
		stored.URL = tc.url // as if an older program had accepted it
		outcome := client.Post(t.Context(), stored)
		if outcome.OK || outcome.Class != webhook.ClassBlocked || outcome.Detail != "URL refused: "+string(tc.want) {
			t.Errorf("Post to %q: %+v", tc.url, outcome)
		}
	}
}

// hostileAnswers are harmless names with the addresses that they resolve to, one entry per
// look-up. Only the check at the connection can refuse them. The last entry is repeated.
var hostileAnswers = []struct {
	name    string
	answers []string
}{
	{"127.0.0.1.nip.example", []string{"127.0.0.1"}},
	{"0x7f000001.example.com", []string{"127.0.0.1"}},
	{"1.0.0.127.in-addr.arpa", []string{"127.0.0.1"}},
	{"kubernetes.default.svc", []string{"10.96.0.1"}},
	{"metadata.tencentyun.com", []string{"169.254.0.23"}},
	{"router.lan", []string{"192.168.1.1"}},
	{"trailing.example.com.", []string{"10.0.0.1"}},
	{"xn--lcalhost-n8g.example.com", []string{"127.0.0.1"}},
	{"açaí.com.br", []string{"172.16.0.1"}},
	{"cgnat.example.com", []string{"100.64.0.1"}},
	{"multicast.example.com", []string{"239.255.255.250"}},
	{"mapped.example.com", []string{"::ffff:169.254.169.254"}},
	{"nat64.example.com", []string{"64:ff9b::a9fe:a9fe"}},
	{"sixtofour.example.com", []string{"2002:7f00:1::1"}},
	{"unique-local.example.com", []string{"fd12:3456::1"}},
	{"several.example.com", []string{"127.0.0.1 ::1 10.0.0.1 169.254.169.254 fe80::1"}},
	{"changes.example.com", []string{"8.8.8.8", "127.0.0.1"}},
	{"changes-twice.example.com", []string{"8.8.8.8", "1.1.1.1", "169.254.169.254"}},
	{"changes-family.example.com", []string{"2606:4700:4700::1111", "::1"}},
	{"appears.example.com", []string{"", "10.0.0.1"}},
}

func TestHostileURLs_Connect(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for _, tc := range hostileAnswers {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			url := "http://" + tc.name + ":" + port(t, inside.URL)
			for _, live := range []bool{false, true} {
				if err := webhook.CheckURL(strings.Replace(url, "http:", "https:", 1), live, false); err != nil {
					t.Fatalf("the form refuses a harmless name: %v", err)
				}
			}
			r := scripted(t, tc.answers)
			for range len(tc.answers) - 1 { // what earlier checks would have resolved
				_, _ = r.LookupNetIP(t.Context(), "ip4", strings.TrimSuffix(asciiName(tc.name), ".")+".")
			}
			client := clientWith(webhook.Options{})
			client.UseResolver(r)
			outcome := client.Post(t.Context(), attempt(url))
			if outcome.OK || outcome.Class != webhook.ClassBlocked || outcome.Detail != "address is not public" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
	t.Cleanup(func() {
		if n := hits.Load(); n != 0 {
			t.Errorf("%d requests arrived", n)
		}
	})
}

// asciiName returns the name in the form that a resolver looks up.
func asciiName(name string) string {
	return strings.Replace(name, "açaí", "xn--aa-4iaz", 1)
}

// scripted returns a resolver that answers each look-up with the next set of addresses, and
// repeats the last. A question for A starts a look-up.
func scripted(t *testing.T, answers []string) *net.Resolver {
	t.Helper()
	var lookups atomic.Int32
	return resolver(t, func(_ string, question dnsmessage.Type) (addrs []netip.Addr) {
		n := int(lookups.Load())
		if question == dnsmessage.TypeA {
			n = int(lookups.Add(1)) - 1
		}
		for text := range strings.FieldsSeq(answers[min(n, len(answers)-1)]) {
			addrs = append(addrs, netip.MustParseAddr(text))
		}
		return addrs
	})
}
