package hosted_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// returns is where the page leads back to the store, "" if it does not.
func returns(a webtest.Answer) string { return a.Find("main a[rel=noreferrer]").AttrOr("href", "") }

// The way back to the store depends on how the checkout stands, and leads to
// addresses for browsers alone.
func TestPay_Return(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	success := "https://loja.example/ok?c={CHECKOUT_ID}#{CHECKOUT_ID}"
	back := "https://loja.example/carrinho?{CHECKOUT_ID}"
	sold := s.SaleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	visit := func(end func(id string) error) (webtest.Answer, string) {
		place := sold.Buy(t, s.Client(t))
		id := strings.TrimPrefix(place, "/pay/")
		if err := end(id); err != nil {
			t.Fatal(err)
		}
		return s.Client(t).Get(place), id
	}
	if a, _ := visit(func(string) error { return nil }); returns(a) != back ||
		a.Find("form[action$=renew]").Length() != 0 {
		t.Errorf("pending: leads to %q", returns(a))
	}
	if a, id := visit(func(id string) error {
		return s.SimulatePayment(t.Context(),
			id)
	}); returns(a) != "https://loja.example/ok?c="+id+"#"+id || strings.Contains(a.Body, sold.Link) {
		t.Errorf("paid: leads to %q, or takes the link for an order", returns(a))
	}
	if a, _ := visit(func(id string) error { return s.SimulateExpiry(t.Context(), id) }); returns(a) != back ||
		a.Find("form[action$=renew]").Length() != 1 {
		t.Errorf("expired: leads to %q", returns(a))
	}
	if a, _ := visit(func(id string) error {
		return s.CancelCheckout(t.Context(), s.Owner, s.Test,
			id)
	}); returns(a) != back || a.Find("form[action$=renew]").Length() != 0 {
		t.Errorf("cancelled: leads to %q", returns(a))
	}
	for _, odd := range []string{"javascript:alert(1)", "data:text/html,x", "//evil.example", "https:",
		"ftp://loja.example", "http://[::1", "\x01https://x"} {
		modelstest.Exec(t, s.DB, "UPDATE payment_links SET return_url = $1", odd)
		if a, _ := visit(func(string) error { return nil }); returns(a) != "" {
			t.Errorf("%q is led to as %q", odd, returns(a))
		}
	}
	modelstest.Exec(t, s.DB, "UPDATE payment_links SET return_url = NULL, success_url = NULL")
	if a, _ := visit(func(id string) error { return s.SimulatePayment(t.Context(), id) }); returns(a) != "" {
		t.Errorf("leads to %q without an address", returns(a))
	}
	api := s.Checkout(t, payments.NewCheckout{})
	if a := s.Client(t).Get("/pay/" + api.ID); returns(a) != "" {
		t.Errorf("a checkout of the API leads to %q", returns(a))
	}
}

// An expired checkout of a link leads to one new checkout, at the price of now,
// which the link's page then knows.
func TestPay_Renew(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	buyer := s.Client(t)
	first := s.Buy(t, buyer, "name", "Carla", "email", "carla@example.com")
	if a := buyer.Post(first + "/renew"); a.Header.Get("Location") != first || len(s.CheckoutIDs(t)) != 1 {
		t.Errorf("a pending one renewed: %s", a.Header.Get("Location"))
	}
	s.Clock.Advance(30 * time.Minute)
	if _, err := s.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Update(t, func(p *merchants.ProductForm) { p.Amount = 999_00 })
	second := buyer.Post(first + "/renew").Header.Get("Location")
	if second == first || !strings.HasPrefix(second, "/pay/chk_") {
		t.Fatalf("renewed to %q", second)
	}
	made, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(second, "/pay/"))
	if err != nil || made.Amount != 999_00 || *made.CustomerName != "Carla" {
		t.Errorf("made %+v, %v", made, err)
	}
	if again := buyer.Post(first + "/renew").Header.Get("Location"); again != second {
		t.Errorf("the second press leads to %s", again)
	}
	if open := s.Buy(t, buyer); open != second {
		t.Errorf("the link leads to %s", open)
	}
	if a := buyer.Get(first + "/renew?lang=en"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != first+"?lang=en" {
		t.Errorf("asked for by address: %d to %s", a.Status, a.Header.Get("Location"))
	}
	if err := s.SimulateExpiry(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if third := buyer.Post(first + "/renew").Header.Get("Location"); third == second || third == first || third == "" {
		t.Errorf("renewed once more from the first: %s", third)
	}
	if made := s.CheckoutIDs(t); len(made) != 3 {
		t.Errorf("%d checkouts", len(made))
	}
}

func TestPay_RenewRefused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	buyer := s.Client(t)
	expired := s.Buy(t, buyer)
	if err := s.SimulateExpiry(t.Context(), strings.TrimPrefix(expired, "/pay/")); err != nil {
		t.Fatal(err)
	}
	s.Update(t, func(p *merchants.ProductForm) { p.Amount = 10_37 }) // the amount that is refused in test
	a := buyer.Post(expired + "/renew")
	if a.Status != http.StatusServiceUnavailable ||
		!strings.Contains(a.Find("[role=alert]").Text(), "Não foi possível gerar o Pix agora") ||
		!strings.Contains(a.Text(), a.Header.Get("Request-Id")) || a.Find("form[action$=renew]").Length() != 1 {
		t.Errorf("without the institution: %d", a.Status)
	}
	s.Update(t, func(p *merchants.ProductForm) { p.Amount, p.Active = 10_00, false })
	if a := buyer.Post(expired + "/renew"); a.Status != http.StatusNotFound ||
		!strings.Contains(a.Text(), "Fale com Ateliê Aurora") {
		t.Errorf("of a link that is off: %d", a.Status)
	}

	api := s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulateExpiry(t.Context(), api.ID); err != nil {
		t.Fatal(err)
	}
	if a := buyer.Post("/pay/" + api.ID + "/renew"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/pay/"+api.ID {
		t.Errorf("of the API: %d to %s", a.Status, a.Header.Get("Location"))
	}
	for _, id := range []string{"chk_00000000000000000000", "x", "%00"} {
		if a := buyer.Post("/pay/" + id + "/renew"); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", id, a.Status)
		}
	}
	if made := s.CheckoutIDs(t); len(made) != 2 {
		t.Errorf("%d checkouts", len(made))
	}
}
