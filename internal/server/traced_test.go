package server_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/server"
	"garoupa/internal/tracing/tracingtest"
	"garoupa/payments/paymentstest"
)

// A span names the pattern of a route, whatever the request asks for, and has nothing else of the request.
func TestTraced(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	tracer, sent := tracingtest.Start(t)
	o := optionsOf(t, g.DB, g.Service, g.Merchants, g, together)
	o.Tracer = tracer
	app := server.New(o)
	app.Get("/v1/broken", func(*fiber.Ctx) error { panic("secret") })
	const trace = "7bf92f3577b34da6a3ce929d0e0e4736"
	for _, request := range [][2]string{
		{"GET", "/v1/checkouts/chk_secret"}, {"GET", "/l/secret"}, {"GET", "/secret/secret"}, {"POST", "/v1/secret"},
		{"GET", "/v1/broken"}, {"SECRET", "/v1/checkouts"}, {"GET", "/livez"}, {"GET", "/static/secret.js"},
		{"GET", "/entrar?secret=secret"}, {"POST", "/entrar"}, {"GET", "/secret%00"},
	} {
		r := httptest.NewRequest(request[0], together.base+request[1], strings.NewReader("secret=secret"))
		send(t, app, r, "traceparent", "00-"+trace+"-00f067aa0ba902b7-01", "Request-Id", "req_1",
			"User-Agent", "secret", "Authorization", "Bearer secret", "Cookie", "session=secret",
			"tracestate", "a=secret",
			"baggage", "a=secret", "X-Forwarded-For", "198.51.100.7")
	}
	var names []string
	for _, span := range sent(trace) {
		if span.Parent != "00f067aa0ba902b7" {
			continue // a statement
		}
		names = append(names, span.Name)
		if span.Failed != (span.Name == "GET /v1/broken") || span.Texts["garoupa.request_id"] != "req_1" ||
			!strings.HasSuffix(span.Name, " "+span.Texts["http.route"]) {
			t.Errorf("%+v", span)
		}
	}
	slices.Sort(names)
	for _, name := range []string{"GET /v1/checkouts/:id", "GET /v1/broken", "GET /entrar", "POST /entrar"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %q", name, names)
		}
	}
	if len(names) != 9 {
		t.Errorf("%q", names)
	}
	for _, secret := range []string{"secret", "SECRET", "198.51"} {
		if text := fmt.Sprintf("%+v", sent(trace)); strings.Contains(text, secret) {
			t.Errorf("the spans contain %s: %s", secret, text)
		}
	}
}
