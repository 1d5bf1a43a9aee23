package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// gone takes tables away.
func gone(t *testing.T, s *webtest.Site, tables ...string) {
	t.Helper()
	for _, table := range tables {
		modelstest.Exec(t, s.DB, "ALTER TABLE "+table+" RENAME TO gone_"+table)
	}
}

// lacking reports whether a page stands and says that the parts could not be read.
func lacking(c *webtest.Client, path string, parts ...string) webtest.Answer {
	c.T.Helper()
	a := c.Get(path)
	for _, part := range parts {
		if a.Status != http.StatusOK || !strings.Contains(a.Text(), "Não conseguimos carregar "+part+".") ||
			a.Find(`main a[href="`+path+`"]`).Length() == 0 {
			c.T.Errorf("%s says not that %s is missing, or offers no further try: %d", path, part, a.Status)
		}
	}
	return a
}

// What cannot be read of the money and of deliveries is never zero, and never empty.
func TestParts_MoneyAndDeliveries(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	s.Fund(t, models.Test, 49_90)
	if _, err := s.BlockAmount(t.Context(), s.Staff(t), payments.NewBlock{
		AccountID: s.Account.ID, Environment: models.Test, Amount: 1_00, Reason: "Contestação.",
	}); err != nil {
		t.Fatal(err)
	}
	c := s.Member(t)
	gone(t, s, "blocked_amounts", "webhook_deliveries")
	if a := lacking(c, "/app/saldo", "o motivo dos bloqueios"); !strings.Contains(a.Text(), "R$\u00a049,90") ||
		!strings.Contains(a.Text(), "Pagamento recebido") {
		t.Error("the rest of the balance does not stand")
	}
	for path, parts := range map[string][]string{"/app/webhooks": {"as entregas"},
		"/app/webhooks/" + e.ID: {"os últimos dias", "as entregas"}} {
		if a := lacking(c, path, parts...); !strings.Contains(a.Text(), e.URL) ||
			strings.Contains(a.Text(), "Nenhuma entrega") {
			t.Errorf("%s: %s", path, a.Find("main").Text())
		}
	}
	gone(t, s, "ledger_transfers")
	if a := lacking(c, "/app/saldo", "o saldo", "o extrato"); strings.Contains(a.Text(), "R$\u00a00,00") ||
		strings.Contains(a.Text(), "Nenhuma movimentação") {
		t.Errorf("it shows what it could not read: %s", a.Find("main").Text())
	}
}

// A part of a page that cannot be read is said to be missing, with a way to try again.
// It is never shown as empty or as zero, and the rest of the page stands.
func TestParts_Missing(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, sold := s.Member(t), s.Sale(t, nil)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 49_90})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"checkout_hours", "webhook_deliveries", "refunds", "webhook_endpoints",
		"payment_link_days"} {
		modelstest.Exec(t, s.DB, "ALTER TABLE "+table+" RENAME TO gone_"+table)
	}
	for path, says := range map[string][]string{
		"/app":                          {"a visão geral", "o estado dos webhooks"},
		"/app/cobrancas/" + checkout.ID: {"os eventos", "o pagamento"},
	} {
		a := c.Get(path)
		if a.Status != http.StatusOK || a.Find("main h1").Length() != 1 ||
			!strings.Contains(a.Text(), "R$\u00a049,90") {
			t.Errorf("%s: %d, or the rest is missing", path, a.Status)
		}
		for _, part := range says {
			if !strings.Contains(a.Text(), "Não conseguimos carregar "+part+".") ||
				a.Find(`main a[href="`+path+`"]`).Length() == 0 {
				t.Errorf("%s says not that %s is missing, or offers no further try", path, part)
			}
		}
		for _, empty := range []string{"Nenhum evento ainda", "Nenhuma cobrança ainda", "R$\u00a00,00"} {
			if strings.Contains(a.Text(), empty) {
				t.Errorf("%s says %q of what it could not read", path, empty)
			}
		}
	}
	lacking(c, "/app/links/"+sold.Link, "o uso do link")
}

// Members watch the charges of the environment that they look at, and no others.
func TestCheckoutEvents(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	checkout := s.Checkout(t, payments.NewCheckout{})
	stream := "/app/cobrancas/" + checkout.ID + "/events"
	if a := c.Get("/app/cobrancas/" + checkout.ID); a.Find(`#charge[data-version=PENDING][data-stream="`+stream+
		`"]`).Length() != 1 {
		t.Error("the page of a pending charge watches nothing")
	}
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	if a := c.Get(stream); a.Status != http.StatusOK || a.Body != "retry: 3000\n\nevent: status\ndata: PAID\n\n" {
		t.Errorf("a paid charge: %d %q", a.Status, a.Body)
	}
	if a := c.Get("/app/cobrancas/" + checkout.ID); a.Find("[data-stream]").Length() != 0 {
		t.Error("the page of a paid charge watches it still")
	}
	for range 20 { // as many buyers may watch, and keep no member out
		if _, leave, ok := s.Streams.Watch(checkout.ID, "pay/"+checkout.ID, 20); ok {
			defer leave()
		}
	}
	if a := s.Client(t).Get("/pay/" + checkout.ID + "/events"); a.Status != http.StatusTooManyRequests {
		t.Errorf("the 21st of the buyer's browsers: %d", a.Status)
	}
	if a := c.Get(stream); a.Status != http.StatusOK {
		t.Errorf("a member while buyers watch: %d", a.Status)
	}
	if a := s.Client(t).Get(stream); a.Status != http.StatusSeeOther {
		t.Errorf("a stranger: %d", a.Status)
	}
	s.ToLive(t, c)
	if a := c.Get(stream); a.Status != http.StatusNotFound {
		t.Errorf("from the other environment: %d", a.Status)
	}
}
