package server

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/gofiber/fiber/v2"
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
	} {
		app := fiber.New()
		app.Use(unproxied(tc.trusted))
		app.Get("/", func(c *fiber.Ctx) error { return c.SendString(c.IP()) })
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("X-Forwarded-For", tc.header)
		response, err := app.Test(request)
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
