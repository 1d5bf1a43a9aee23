package webhook_test

import (
	"bytes"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"garoupa/webhook"
)

// looksLikeIPv4 matches what a C resolver may read as an IPv4 address. It is independent of
// the package's own parser.
var looksLikeIPv4 = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?$`)

func FuzzCheckURL(f *testing.F) {
	for _, host := range hostileHosts {
		f.Add("http://"+host+"/hook", false, false)
	}
	f.Add("https://example.com:8443/hook?a=b", true, false)
	f.Add("https://user:password@example.com/#x", true, true)
	f.Add("https://açaí.com.br/", true, false)
	f.Fuzz(func(t *testing.T, raw string, live, allowPrivate bool) {
		if webhook.CheckURL(raw, live, allowPrivate) != nil {
			return
		}
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatalf("accepted %q, which does not parse: %v", raw, err)
		}
		if u.Scheme != "https" && (live || u.Scheme != "http") || u.User != nil || u.Fragment != "" || u.Host == "" {
			t.Fatalf("accepted %q", raw)
		}
		if _, err := http.NewRequest(http.MethodPost, raw, nil); err != nil {
			t.Fatalf("accepted %q, which cannot be requested: %v", raw, err)
		}
		if !allowPrivate {
			requirePublicHost(t, raw, u.Hostname())
		}
	})
}

func requirePublicHost(t *testing.T, raw, host string) {
	t.Helper()
	addr, err := netip.ParseAddr(host)
	if err == nil {
		addr = addr.Unmap()
		if addr.IsPrivate() || !addr.IsGlobalUnicast() {
			t.Fatalf("accepted %q, an internal address", raw)
		}
		return
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case looksLikeIPv4.MatchString(host):
		t.Fatalf("accepted %q, another spelling of an address", raw)
	case !strings.Contains(name, ".") && !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }):
		t.Fatalf("accepted %q, a name of a single label", raw)
	case strings.HasSuffix(name, ".localhost"), strings.HasSuffix(name, ".local"), strings.HasSuffix(name, ".internal"):
		t.Fatalf("accepted %q, an internal name", raw)
	}
}

func FuzzReadSnippet(f *testing.F) {
	f.Add([]byte("ok"))
	f.Add([]byte("\x00\xff\xc3"))
	f.Add(append(bytes.Repeat([]byte("a"), webhook.SnippetLimit-1), "é"...))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := webhook.ReadSnippet(bytes.NewReader(body))
		if len(got) > webhook.SnippetLimit || !utf8.Valid(got) || bytes.IndexByte(got, 0) >= 0 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		if len(body) <= webhook.SnippetLimit && utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 &&
			!bytes.Equal(got, body) {
			t.Errorf("%q became %q", body, got)
		}
	})
}
