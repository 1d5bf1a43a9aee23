package console_test

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
	"garoupa/web/webtest"
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
func told(a webtest.Answer) string {
	body := strings.ReplaceAll(a.Body, a.Header.Get("Request-Id"), "")
	return strings.Join(append(slices.Sorted(maps.Keys(a.Header)), http.StatusText(a.Status), body), "\n")
}

// Where the console is kept to a network, it is to staff elsewhere what it is to
// strangers, with a session that was begun inside, too: every path, every method.
func TestOps_Networks(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithAPI(t, within("10.0.0.0/8", "2001:db8::/32"), func(*api.Options) {}, loopback)
	email := "rita@staff.example"
	s.AddStaff(t, email, models.StaffSupervisor)
	c, stranger := s.Client(t), s.Client(t)
	c.From, stranger.From = "10.1.2.3", "10.1.2.3"
	c.Post("/entrar", "email", email, "password", paymentstest.Password)
	if s.Enroll(t, c, c.Get("/ops").Header.Get("Location")); c.Get("/ops").Status != http.StatusOK {
		t.Fatal("staff inside do not get in")
	}
	routes := opsRoutes(s)
	for _, nothing := range []string{"/ops/", "/ops/nada.css", "/ops/x/events"} {
		routes[nothing] = []string{"GET"}
	}
	routes["/ops/nada"] = []string{"GET", "PATCH"}
	for path, methods := range routes {
		for _, method := range append(methods, "OPTIONS") {
			c.From = "203.0.113.5"
			outside, nobody := c.Do(method, path, url.Values{}), stranger.Do(method, path, url.Values{})
			if outside.Status != http.StatusNotFound || told(outside) != told(nobody) {
				t.Errorf("%s %s from outside: %d, or something else than strangers get", method, path, outside.Status)
			}
		}
	}
	for from, want := range map[string]int{
		"10.1.2.3": 200, "2001:db8::5": 200, "::ffff:10.1.2.3": 200, "203.0.113.5, 10.1.2.3": 200,
		"203.0.113.5": 404, "10.1.2.3, 203.0.113.5": 404, "2001:db9::5": 404, "::ffff:203.0.113.5": 404, "": 404,
		"unknown": 404,
	} {
		c.From = from
		if a := c.Get("/ops"); a.Status != want {
			t.Errorf("from %q: %d, want %d", from, a.Status, want)
		}
	}

	c.From = "203.0.113.5"
	for _, path := range []string{"/app", "/app/configuracoes/seguranca", "/2fa/ativar", "/ops/seguranca"} {
		if a := c.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("staff outside at %s: %d to %q", path, a.Status, a.Header.Get("Location"))
		}
	}
}

// Only a trusted proxy's word counts: who writes the header themselves gains nothing by
// it, and loses nothing.
func TestOps_NetworksSpoofed(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]int{"10.0.0.0/8": http.StatusNotFound,
		loopback.String(): http.StatusSeeOther} {
		s := webtest.NewWith(t, within(network))
		email := "rita@staff.example"
		s.AddStaff(t, email, models.StaffSupervisor)
		c := s.Client(t)
		for _, from := range []string{"10.1.2.3", "203.0.113.5", ""} {
			c.From = from
			c.Post("/entrar", "email", email, "password", paymentstest.Password)
			if a := c.Get("/ops"); a.Status != want { // inside, they are asked for a second factor first
				t.Errorf("the console is for %s, and the header says %q: %d", network, from, a.Status)
			}
		}
	}
}
