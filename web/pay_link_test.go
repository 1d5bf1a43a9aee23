package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/payments"
)

// returns is where the page leads back to the store, "" if it does not.
func returns(a answer) string { return a.Find("main a[rel=noreferrer]").AttrOr("href", "") }

// The way back to the store depends on how the checkout stands, and leads to
// addresses for browsers alone.
func TestPay_Return(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	success, back := "https://loja.example/ok?c={CHECKOUT_ID}#{CHECKOUT_ID}", "https://loja.example/carrinho?{CHECKOUT_ID}"
	sold := s.saleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	visit := func(end func(id string) error) (answer, string) {
		place := sold.buy(t, s.client(t))
		id := strings.TrimPrefix(place, "/pay/")
		if err := end(id); err != nil {
			t.Fatal(err)
		}
		return s.client(t).get(place), id
	}
	if a, _ := visit(func(string) error { return nil }); returns(a) != back || a.Find("form[action$=renew]").Length() != 0 {
		t.Errorf("pending: leads to %q", returns(a))
	}
	if a, id := visit(func(id string) error { return s.SimulatePayment(t.Context(), id) }); returns(a) != "https://loja.example/ok?c="+id+"#"+id || strings.Contains(a.body, sold.link) {
		t.Errorf("paid: leads to %q, or takes the link for an order", returns(a))
	}
	if a, _ := visit(func(id string) error { return s.SimulateExpiry(t.Context(), id) }); returns(a) != back || a.Find("form[action$=renew]").Length() != 1 {
		t.Errorf("expired: leads to %q", returns(a))
	}
	if a, _ := visit(func(id string) error { return s.CancelCheckout(t.Context(), s.Test, id) }); returns(a) != back || a.Find("form[action$=renew]").Length() != 0 {
		t.Errorf("cancelled: leads to %q", returns(a))
	}
	for _, odd := range []string{"javascript:alert(1)", "data:text/html,x", "//evil.example", "https:", "ftp://loja.example", "http://[::1", "\x01https://x"} {
		s.DB.Exec("UPDATE payment_links SET return_url = ?", odd)
		if a, _ := visit(func(string) error { return nil }); returns(a) != "" {
			t.Errorf("%q is led to as %q", odd, returns(a))
		}
	}
	s.DB.Exec("UPDATE payment_links SET return_url = NULL, success_url = NULL")
	if a, _ := visit(func(id string) error { return s.SimulatePayment(t.Context(), id) }); returns(a) != "" {
		t.Errorf("leads to %q without an address", returns(a))
	}
	api := s.Checkout(t, payments.NewCheckout{})
	if a := s.client(t).get("/pay/" + api.ID); returns(a) != "" {
		t.Errorf("a checkout of the API leads to %q", returns(a))
	}
}

// An expired checkout of a link leads to one new checkout, at the price of now,
// which the link's page then knows.
func TestPay_Renew(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	buyer := s.client(t)
	first := s.buy(t, buyer, "name", "Carla", "email", "carla@example.com")
	if a := buyer.post(first + "/renew"); a.header.Get("Location") != first || len(s.checkouts(t)) != 1 {
		t.Errorf("a pending one renewed: %s", a.header.Get("Location"))
	}
	s.Clock.Advance(30 * time.Minute)
	if _, err := s.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.update(t, func(p *merchants.ProductForm) { p.Amount = 999_00 })
	second := buyer.post(first + "/renew").header.Get("Location")
	if second == first || !strings.HasPrefix(second, "/pay/chk_") {
		t.Fatalf("renewed to %q", second)
	}
	made, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(second, "/pay/"))
	if err != nil || made.Amount != 999_00 || *made.CustomerName != "Carla" {
		t.Errorf("made %+v, %v", made, err)
	}
	if again := buyer.post(first + "/renew").header.Get("Location"); again != second {
		t.Errorf("the second press leads to %s", again)
	}
	if open := s.buy(t, buyer); open != second {
		t.Errorf("the link leads to %s", open)
	}
	if a := buyer.get(first + "/renew?lang=en"); a.status != http.StatusSeeOther || a.header.Get("Location") != first+"?lang=en" {
		t.Errorf("asked for by address: %d to %s", a.status, a.header.Get("Location"))
	}
	if err := s.SimulateExpiry(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if third := buyer.post(first + "/renew").header.Get("Location"); third == second || third == first || third == "" {
		t.Errorf("renewed once more from the first: %s", third)
	}
	if made := s.checkouts(t); len(made) != 3 {
		t.Errorf("%d checkouts", len(made))
	}
}

func TestPay_RenewRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	buyer := s.client(t)
	expired := s.buy(t, buyer)
	if err := s.SimulateExpiry(t.Context(), strings.TrimPrefix(expired, "/pay/")); err != nil {
		t.Fatal(err)
	}
	s.update(t, func(p *merchants.ProductForm) { p.Amount = 10_37 }) // the amount that is refused in test
	a := buyer.post(expired + "/renew")
	if a.status != http.StatusServiceUnavailable || !strings.Contains(a.Find("[role=alert]").Text(), "Não foi possível gerar o Pix agora") || !strings.Contains(a.Text(), a.header.Get("Request-Id")) || a.Find("form[action$=renew]").Length() != 1 {
		t.Errorf("without the institution: %d", a.status)
	}
	s.update(t, func(p *merchants.ProductForm) { p.Amount, p.Active = 10_00, false })
	if a := buyer.post(expired + "/renew"); a.status != http.StatusNotFound || !strings.Contains(a.Text(), "Fale com Ateliê Aurora") {
		t.Errorf("of a link that is off: %d", a.status)
	}

	api := s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulateExpiry(t.Context(), api.ID); err != nil {
		t.Fatal(err)
	}
	if a := buyer.post("/pay/" + api.ID + "/renew"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/pay/"+api.ID {
		t.Errorf("of the API: %d to %s", a.status, a.header.Get("Location"))
	}
	for _, id := range []string{"chk_00000000000000000000", "x", "%00"} {
		if a := buyer.post("/pay/" + id + "/renew"); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", id, a.status)
		}
	}
	if made := s.checkouts(t); len(made) != 2 {
		t.Errorf("%d checkouts", len(made))
	}
}
