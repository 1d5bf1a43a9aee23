package server

import (
	"cmp"
	"io"
	"net/http"
	"net/netip"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/web/browsertest"
)

// peer is the address from which the tests' requests connect.
const peer = "127.0.0.1"

var proxies = []netip.Prefix{netip.MustParsePrefix(peer + "/32"), netip.MustParsePrefix("10.0.0.0/8")}

// ask sends a request with header lines to an app behind the trusted proxies, and returns
// the result of seen.
func ask(t *testing.T, trusted []netip.Prefix, seen func(c *fiber.Ctx) string, lines ...[2]string) string {
	t.Helper()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Use(unproxied(trusted))
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString(seen(c)) })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, browsertest.Serve(t, app), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "pix.example"
	for _, line := range lines {
		request.Header.Add(line[0], line[1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestUnproxied(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		lines   []string
		want    string
		trusted []netip.Prefix
	}{
		{"nobody is trusted", []string{"203.0.113.7"}, peer, nil},
		{"a client behind the proxy", []string{"203.0.113.7"}, "203.0.113.7", proxies},
		{"a client that makes up hops", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7", proxies},
		{"two proxies", []string{"203.0.113.7, 10.1.2.3"}, "203.0.113.7", proxies},
		{"IPv6", []string{"2001:db8::7"}, "2001:db8::7", proxies},
		{"no header", nil, peer, proxies},
		{"nothing said", []string{""}, peer, proxies},
		{"nonsense", []string{"unknown"}, peer, proxies},
		{"nonsense before a proxy", []string{"unknown, 10.1.2.3"}, "10.1.2.3", proxies},
		{"what a client made up before nonsense", []string{"203.0.113.7, unknown, 10.1.2.3"}, "10.1.2.3", proxies},
		// HAProxy's "option forwardfor" adds a line of its own, after the client's.
		{"a line of the proxy's own", []string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7", proxies},
		{"many lines of the client's",
			[]string{"198.51.100.1", "10.9.9.9", "198.51.100.2, 198.51.100.3", "203.0.113.7"}, "203.0.113.7", proxies},
		{"two proxies with a line each", []string{"198.51.100.1", "203.0.113.7", "10.1.2.3"}, "203.0.113.7", proxies},
		{"a line and a value", []string{"198.51.100.1", "203.0.113.7, 10.1.2.3"}, "203.0.113.7", proxies},
		{"an empty line last", []string{"198.51.100.1", ""}, peer, proxies},
		{"several lines from a stranger", []string{"198.51.100.1", "203.0.113.7"}, peer, nil},
	} {
		var lines [][2]string
		for _, line := range tc.lines {
			lines = append(lines, [2]string{"X-Forwarded-For", line})
		}
		if got := ask(t, tc.trusted, (*fiber.Ctx).IP, lines...); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// Only a trusted proxy may say which host the client asked for.
func TestUnproxied_Host(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		lines   []string
		want    string
		trusted []netip.Prefix
	}{
		{"a stranger", []string{"evil.example"}, "pix.example", nil},
		{"a stranger with two lines", []string{"evil.example", "worse.example"}, "pix.example", nil},
		{"a proxy that says nothing", nil, "pix.example", proxies},
		{"a proxy", []string{"loja.example"}, "loja.example", proxies},
		{"a proxy that adds to the client's value", []string{"evil.example, loja.example"}, "loja.example", proxies},
		{"a proxy that adds a line to the client's", []string{"evil.example", "loja.example"}, "loja.example", proxies},
	} {
		var lines [][2]string
		for _, line := range tc.lines {
			lines = append(lines, [2]string{"X-Forwarded-Host", line})
		}
		if got := ask(t, tc.trusted, (*fiber.Ctx).Hostname, lines...); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// Only a trusted proxy may say that the client came by TLS.
func TestUnproxied_Proto(t *testing.T) {
	t.Parallel()
	for _, header := range ofProxies[1:] {
		said := "https"
		if header == fiber.HeaderXForwardedSsl {
			said = "on"
		}
		for _, tc := range []struct {
			name    string
			lines   []string
			want    string
			trusted []netip.Prefix
		}{
			{"a stranger", []string{said}, "http", nil},
			{"a stranger with two lines", []string{said, said}, "http", nil},
			{"a proxy that says nothing", nil, "http", proxies},
			{"a proxy", []string{said}, "https", proxies},
			{"a proxy that adds a line to the client's", []string{"http", said}, "https", proxies},
		} {
			var lines [][2]string
			for _, line := range tc.lines {
				lines = append(lines, [2]string{header, line})
			}
			if got := ask(t, tc.trusted, (*fiber.Ctx).Protocol, lines...); got != tc.want {
				t.Errorf("%s, %s: %s, want %s", header, tc.name, got, tc.want)
			}
		}
	}
}

// A proxy sends the requests of many clients over one connection; each request gets its own
// client's address.
func TestUnproxied_KeptConnection(t *testing.T) {
	t.Parallel()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Use(unproxied([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}))
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString(c.IP()) })
	base := browsertest.Serve(t, app)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	for _, from := range []string{"203.0.113.7", "198.51.100.1", "2001:db8::7", ""} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-For", from)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if want := cmp.Or(from, "127.0.0.1"); err != nil || string(body) != want {
			t.Errorf("%s, want %s (%v)", body, want, err)
		}
	}
}
