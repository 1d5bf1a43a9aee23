package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/payments"
)

// A part of a page that cannot be read is said to be missing, with a way to try again.
// It is never shown as empty or as zero, and the rest of the page stands.
func TestParts_Missing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c, sold := s.member(t), s.sale(t, nil)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 49_90})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"checkout_hours", "webhook_deliveries", "refunds", "webhook_endpoints"} {
		if err := s.DB.Exec("ALTER TABLE " + table + " RENAME TO gone_" + table).Error; err != nil {
			t.Fatal(err)
		}
	}
	for path, says := range map[string][]string{
		"/app":                          {"a visão geral", "o estado dos webhooks"},
		"/app/cobrancas/" + checkout.ID: {"os eventos", "o pagamento"},
	} {
		a := c.get(path)
		if a.status != http.StatusOK || a.Find("main h1").Length() != 1 || !strings.Contains(a.Text(), "R$\u00a049,90") {
			t.Errorf("%s: %d, or the rest is missing", path, a.status)
		}
		for _, part := range says {
			if !strings.Contains(a.Text(), "Não conseguimos carregar "+part+".") || a.Find(`main a[href="`+path+`"]`).Length() == 0 {
				t.Errorf("%s says not that %s is missing, or offers no further try", path, part)
			}
		}
		for _, empty := range []string{"Nenhum evento ainda", "Nenhuma cobrança ainda", "R$\u00a00,00"} {
			if strings.Contains(a.Text(), empty) {
				t.Errorf("%s says %q of what it could not read", path, empty)
			}
		}
	}
	if a := c.get("/app/links/" + sold.link); a.status != http.StatusOK {
		t.Errorf("a link: %d", a.status)
	}
}

// Members watch the charges of the environment that they look at, and no others.
func TestCheckoutEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	checkout := s.Checkout(t, payments.NewCheckout{})
	stream := "/app/cobrancas/" + checkout.ID + "/events"
	if a := c.get("/app/cobrancas/" + checkout.ID); a.Find(`#charge[data-version=PENDING][data-stream="`+stream+`"]`).Length() != 1 {
		t.Error("the page of a pending charge watches nothing")
	}
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	if a := c.get(stream); a.status != http.StatusOK || a.body != "retry: 3000\n\nevent: status\ndata: PAID\n\n" {
		t.Errorf("a paid charge: %d %q", a.status, a.body)
	}
	if a := c.get("/app/cobrancas/" + checkout.ID); a.Find("[data-stream]").Length() != 0 {
		t.Error("the page of a paid charge watches it still")
	}
	for range 20 { // so many browsers of buyers may watch, and keep no member out
		if _, leave, ok := s.live.Watch(checkout.ID, "pay/"+checkout.ID, 20); ok {
			defer leave()
		}
	}
	if a := s.client(t).get("/pay/" + checkout.ID + "/events"); a.status != http.StatusTooManyRequests {
		t.Errorf("the 21st of the buyer's browsers: %d", a.status)
	}
	if a := c.get(stream); a.status != http.StatusOK {
		t.Errorf("a member while buyers watch: %d", a.status)
	}
	if a := s.client(t).get(stream); a.status != http.StatusSeeOther {
		t.Errorf("a stranger: %d", a.status)
	}
	c.post("/app/ambiente", "env", "live")
	if a := c.get(stream); a.status != http.StatusNotFound {
		t.Errorf("from the other environment: %d", a.status)
	}
}
