//go:build large

package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"garoupa/web/webtest"
)

// question is something for which a person or a program waits.
type question struct {
	name   string
	before func(s *largeShop, t *testing.T) // what happens before each; nil for nothing
	ask    func(t *testing.T, s *largeShop)
}

// bounded reports whether the question is about words, which are also looked for in the descriptions of the latest
// charges: of all in the small shop, and of models.LookedThrough in each larger one.
func (q question) bounded() bool { return strings.Contains(q.name, "/app/cobrancas?q=") }

// questions are what the shop's owner, its buyers, its program and the staff ask.
func questions() (all []question) {
	// words in braces stand for what a shop has
	owner := []string{
		"/app", "/app/cobrancas", "/app/cobrancas?status=PAID", "/app/cobrancas?status=EXPIRED",
		"/app/cobrancas?from=2026-02-01&until=2026-02-28", "/app/cobrancas?from=2025-06-01&until=2025-06-02",
		"/app/cobrancas?q={externalID}", "/app/cobrancas?q={email}", "/app/cobrancas?q=carla",
		"/app/cobrancas?q=menezes", "/app/cobrancas?q=no-such-charge", "/app/cobrancas/{charge}",
		"/app/cobrancas/{charge}/comprovante",
		"/app/cobrancas/cobrancas.csv?from=2026-02-28&until=2026-02-28&status=CANCELLED",
		"/app/busca?q=carla", "/app/busca/lista?q=pedido", "/app/clientes", "/app/clientes?q={email}",
		"/app/clientes?q=carla", "/app/links", "/app/links/{link}", "/app/produtos", "/app/analises",
		"/app/analises?from=2025-03-02&until=2026-03-01", "/app/saldo", "/app/saldo?from=2026-02-01&until=2026-02-28",
		"/app/saldo/vendas?from=2026-03-01&until=2026-03-01", "/app/saques", "/app/eventos", "/app/eventos/{event}",
		"/app/webhooks", "/app/webhooks/{endpoint}", "/app/requisicoes", "/app/requisicoes?status=400",
		"/app/requisicoes?object={charge}", "/app/auditoria", "/app/equipe", "/app/disputas",
	}
	for _, path := range owner {
		all = append(all, askFor(path, func(s *largeShop) *webtest.Client { return s.owner }))
	}
	for _, path := range []string{
		"/ops", "/ops/contas", "/ops/cobrancas", "/ops/cobrancas?q={externalID}", "/ops/cobrancas/{charge}",
		"/ops/buscar?q={email}", "/ops/webhooks", "/ops/saude", "/ops/auditoria", "/ops/saques", "/ops/excecoes",
	} {
		all = append(all, askFor(path, func(s *largeShop) *webtest.Client { return s.staff }))
	}
	for _, path := range []string{"/pay/{charge}", "/l/{link}"} {
		all = append(all, askFor(path, func(s *largeShop) *webtest.Client { return s.buyer }))
	}
	for _, path := range []string{
		"/v1/checkouts/{charge}", "/v1/checkouts?limit=20", "/v1/checkouts?limit=20&status=PAID",
		"/v1/checkouts?externalId={externalID}", "/v1/balance", "/v1/events?limit=20",
		"/v1/events?limit=20&checkoutId={charge}", "/v1/events/{event}", "/v1/payment-links", "/v1/refunds",
	} {
		all = append(all, askFor(path, func(s *largeShop) *webtest.Client { return s.program }))
	}
	return append(all,
		question{name: "a charge is created, and paid", ask: func(t *testing.T, s *largeShop) { s.sell(t) }},
		question{name: "a link sells", ask: func(t *testing.T, s *largeShop) {
			t.Helper()
			if a := s.buyer.Post("/l/" + s.link); a.Status != http.StatusSeeOther {
				t.Fatalf("/l: %d", a.Status)
			}
		}})
}

// askFor asks for a page, or for an answer of the API.
func askFor(path string, by func(*largeShop) *webtest.Client) question {
	return question{name: "`" + path + "`", ask: func(t *testing.T, s *largeShop) {
		t.Helper()
		at := strings.NewReplacer("{charge}", s.charge, "{externalID}", url.QueryEscape(s.externalID),
			"{email}", url.QueryEscape(s.email), "{event}", s.event, "{endpoint}", s.endpoint,
			"{link}", s.link).Replace(path)
		if a := by(s).Get(at); a.Status != http.StatusOK {
			t.Fatalf("%s: %d %.300s", at, a.Status, a.Body)
		}
	}}
}
