package server

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/web/browsertest"
)

func TestUnproxied(t *testing.T) {
	t.Parallel()
	const peer = "0.0.0.0" // what app.Test connects from
	proxies := []netip.Prefix{netip.MustParsePrefix(peer + "/32"), netip.MustParsePrefix("10.0.0.0/8")}
	for _, tc := range []struct {
		name, header, want string
		trusted            []netip.Prefix
	}{
		{"nobody is trusted", "203.0.113.7", peer, nil},
		{"a client behind the proxy", "203.0.113.7", "203.0.113.7", proxies},
		{"a client that makes up hops", "198.51.100.1, 203.0.113.7", "203.0.113.7", proxies},
		{"two proxies", "203.0.113.7, 10.1.2.3", "203.0.113.7", proxies},
		{"IPv6", "2001:db8::7", "2001:db8::7", proxies},
		{"nothing said", "", peer, proxies},
		{"nonsense", "unknown", peer, proxies},
		{"nonsense before a proxy", "unknown, 10.1.2.3", "10.1.2.3", proxies},
		{"what a client made up before nonsense", "203.0.113.7, unknown, 10.1.2.3", "10.1.2.3", proxies},
	} {
		app := fiber.New()
		app.Use(unproxied(tc.trusted))
		app.Get("/", func(c *fiber.Ctx) error { return c.SendString(c.IP()) })
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("X-Forwarded-For", tc.header)
		response, err := app.Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 64)
		n, _ := response.Body.Read(body)
		if got := string(body[:n]); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// A proxy sends the requests of many clients over one connection: each is its own
// client's.
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
