package web_test

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"garoupa/api"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

// loopback is where the clients of these tests are, as the server sees them.
var loopback = netip.MustParsePrefix("127.0.0.0/8")

func within(networks ...string) func(*web.Options) {
	return func(o *web.Options) {
		for _, network := range networks {
			o.OpsNetworks = append(o.OpsNetworks, netip.MustParsePrefix(network))
		}
	}
}

// told is all that an answer tells: its status, the names of its headers and its page.
func told(a answer) string {
	body := strings.ReplaceAll(a.body, a.header.Get("Request-Id"), "")
	return strings.Join(append(slices.Sorted(maps.Keys(a.header)), http.StatusText(a.status), body), "\n")
}

// Where the console is kept to a network, it is to staff elsewhere what it is to
// strangers, with a session that was begun inside, too: every path, every method.
func TestOps_Networks(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, within("10.0.0.0/8", "2001:db8::/32"), func(*api.Options) {}, loopback)
	email := "rita@staff.example"
	s.reviewer(t, email, models.StaffSupervisor)
	c, stranger := s.client(t), s.client(t)
	c.from, stranger.from = "10.1.2.3", "10.1.2.3"
	c.post("/entrar", "email", email, "password", paymentstest.Password)
	if s.enrol(t, c, c.get("/ops").header.Get("Location")); c.get("/ops").status != http.StatusOK {
		t.Fatal("staff inside do not get in")
	}
	routes := s.opsRoutes()
	routes["/ops/"], routes["/ops/nada"], routes["/ops/nada.css"], routes["/ops/x/events"] = []string{"GET"}, []string{"GET", "PATCH"}, []string{"GET"}, []string{"GET"}
	for path, methods := range routes {
		for _, method := range append(methods, "OPTIONS") {
			c.from = "203.0.113.5"
			outside, nobody := c.do(method, path, url.Values{}), stranger.do(method, path, url.Values{})
			if outside.status != http.StatusNotFound || told(outside) != told(nobody) {
				t.Errorf("%s %s from outside: %d, or something else than strangers get", method, path, outside.status)
			}
		}
	}
	for from, want := range map[string]int{
		"10.1.2.3": 200, "2001:db8::5": 200, "::ffff:10.1.2.3": 200, "203.0.113.5, 10.1.2.3": 200,
		"203.0.113.5": 404, "10.1.2.3, 203.0.113.5": 404, "2001:db9::5": 404, "::ffff:203.0.113.5": 404, "": 404, "unknown": 404,
	} {
		c.from = from
		if a := c.get("/ops"); a.status != want {
			t.Errorf("from %q: %d, want %d", from, a.status, want)
		}
	}

	c.from = "203.0.113.5"
	for _, path := range []string{"/app", "/app/configuracoes/seguranca", "/2fa/ativar", "/ops/seguranca"} {
		if a := c.get(path); a.status != http.StatusNotFound {
			t.Errorf("staff outside at %s: %d to %q", path, a.status, a.header.Get("Location"))
		}
	}
}

// Only a trusted proxy's word counts: who writes the header themselves gains nothing by
// it, and loses nothing.
func TestOps_NetworksSpoofed(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]int{"10.0.0.0/8": http.StatusNotFound, loopback.String(): http.StatusSeeOther} {
		s := newSiteWith(t, within(network))
		email := "rita@staff.example"
		s.reviewer(t, email, models.StaffSupervisor)
		c := s.client(t)
		for _, from := range []string{"10.1.2.3", "203.0.113.5", ""} {
			c.from = from
			c.post("/entrar", "email", email, "password", paymentstest.Password)
			if a := c.get("/ops"); a.status != want { // inside, they are asked for a second factor first
				t.Errorf("the console is for %s, and the header says %q: %d", network, from, a.status)
			}
		}
	}
}
