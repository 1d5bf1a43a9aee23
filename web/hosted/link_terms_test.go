package hosted_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// sells makes a link of a product of its own with these terms.
func sells(t *testing.T, s *webtest.Site, slug string, terms models.LinkTerms) *webtest.Sale {
	t.Helper()
	return s.SaleIn(t, s.Test, func(p *merchants.ProductForm) { p.Slug, p.Amount = slug, 10_00 },
		payments.NewPaymentLink{LinkTerms: terms})
}

// The page asks for what the merchant chose, and for nothing else.
func TestLink_BuyerData(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	off := sells(t, s, "off", models.LinkTerms{BuyerData: models.BuyerDataOff})
	needed := sells(t, s, "needed", models.LinkTerms{BuyerData: models.BuyerDataRequired})
	buyer := s.Client(t)
	if a := buyer.Get(off.Path()); a.Find("#name, #email, details").Length() != 0 {
		t.Error("a page that asks for nothing asks")
	}
	off.Buy(t, buyer, "name", "Carla", "email", "carla@")
	if a := buyer.Get(needed.Path()); a.Find("#name, #email").Length() != 2 || a.Find("details").Length() != 0 {
		t.Error("what the merchant needs is not in sight")
	}
	for missing, form := range map[string][]string{
		"name":  {"email", "carla@example.com"},
		"email": {"name", "Carla"},
	} {
		a := buyer.Post(needed.Path(), form...)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#"+missing+"-error").Length() != 1 ||
			a.Find("#errors li").Length() != 1 {
			t.Errorf("without %s: %d %q", missing, a.Status, a.Find("#errors").Text())
		}
	}
	needed.Buy(t, buyer, "name", "Carla", "email", "carla@example.com")
}

// Without a script the buttons change the quantity and the total, keep what was typed, and create nothing.
func TestLink_Quantity(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	s := sells(t, site, "many", models.LinkTerms{MaxQuantity: 3})
	buyer := s.Client(t)
	if one := sells(t, site, "one", models.LinkTerms{}); buyer.Get(one.Path()).Find("#quantity").Length() != 0 {
		t.Error("a link that sells one unit asks how many")
	}
	const less, more, number = "button[value=less]", "button[value=more]", "#quantity"
	for _, step := range []struct{ quantity, step, becomes, total, focus string }{
		{"1", "more", "2", "R$\u00a020,00", more}, {"2", "more", "3", "R$\u00a030,00", number},
		{"3", "more", "3", "R$\u00a030,00", number}, {"3", "less", "2", "R$\u00a020,00", less},
		{"2", "less", "1", "R$\u00a010,00", number}, {"1", "less", "1", "R$\u00a010,00", number},
		{"70", "less", "3", "R$\u00a030,00", less}, {"x", "more", "2", "R$\u00a020,00", more},
		{"2", "odd", "2", "R$\u00a020,00", ""},
	} {
		a := buyer.Post(s.Path(), "token", "t", "quantity", step.quantity, "step", step.step, "name", "Carla")
		if a.Status != http.StatusOK || a.Find("#quantity").AttrOr("value", "") != step.becomes ||
			!strings.Contains(a.Find(".sticky").Text(), step.total) || a.Find("#name").AttrOr("value", "") != "Carla" ||
			a.Find("input[name=token]").AttrOr("value", "") != "t" {
			t.Errorf("%+v: %d %q %q", step, a.Status, a.Find("#quantity").AttrOr("value", ""), a.Find(".sticky").Text())
		}
		focus := a.Find("[autofocus]")
		if focus.Length() != min(len(step.focus), 1) || step.focus != "" && !focus.Is(step.focus+":not([disabled])") {
			t.Errorf("%+v: the focus is on %s of %d", step, focus.AttrOr("value", "nothing"), focus.Length())
		}
	}
	for _, wrong := range []string{"0", "4", "-1", "x", "99999999999999999999"} {
		a := buyer.Post(s.Path(), "token", "t", "quantity", wrong)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), "1 a 3 unidades") {
			t.Errorf("%s units: %d %q", wrong, a.Status, a.Find("#errors").Text())
		}
		said := a.Find("#" + a.Find("#quantity[aria-invalid=true]").AttrOr("aria-describedby", "none"))
		if !strings.Contains(said.Text(), "1 a 3 unidades") {
			t.Errorf("%s units: the field is described by %q", wrong, said.Text())
		}
	}
	if made := s.CheckoutIDs(t); len(made) != 0 {
		t.Errorf("it made %v", made)
	}
	two := s.Buy(t, buyer, "quantity", "2")
	if a := buyer.Get(two); !strings.Contains(a.Text(), "2 × Vaso Lua Nova") ||
		!strings.Contains(a.Text(), "R$\u00a020,00") {
		t.Error("the charge does not say what it is for")
	}
	if again := s.Buy(t, buyer, "quantity", "2"); again != two {
		t.Errorf("pressed again, it leads to %s", again)
	}
	if three := s.Buy(t, buyer, "quantity", "3"); three == two {
		t.Error("another quantity leads to the same charge")
	}
}

// The buyer chooses an amount as people type it, between the merchant's bounds.
func TestLink_OpenAmount(t *testing.T) {
	t.Parallel()
	s := sells(t, webtest.New(t), "open", models.LinkTerms{OpenAmount: &models.Range{Min: 5_00, Max: 1500_00}})
	buyer := s.Client(t)
	a := buyer.Get(s.Path())
	if a.Find("#amount").AttrOr("value", "x") != "" || strings.Contains(a.Text(), "R$\u00a010,00") ||
		!strings.Contains(a.Text(), "De R$\u00a05,00 a R$\u00a01.500,00") ||
		a.Find(`meta[property="og:title"]`).AttrOr("content", "") != "Vaso Lua Nova · Quanto quiser" {
		t.Error("the page does not ask how much, or shows a price")
	}
	for _, wrong := range []string{"", "0", "4,99", "1500,01", "abc", "-10", "1e3"} {
		a := buyer.Post(s.Path(), "token", "t", "amount", wrong)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#amount").AttrOr("value", "x") != wrong ||
			!strings.Contains(a.Find("#amount-error").Text(), "de R$\u00a05,00 a R$\u00a01.500,00") {
			t.Errorf("%q: %d %q", wrong, a.Status, a.Find("#amount-error").Text())
		}
	}
	paid := s.Buy(t, buyer, "amount", " 1.234,5 ")
	if !strings.Contains(buyer.Get(paid).Text(), "R$\u00a01.234,50") {
		t.Error("the charge has another amount")
	}
	modelstest.Exec(t, s.DB, `UPDATE checkouts SET status = 'EXPIRED', closed_at = now()`)
	if renewed := buyer.Post(paid + "/renew").Header.Get("Location"); renewed == paid ||
		!strings.Contains(buyer.Get(renewed).Text(), "R$\u00a01.234,50") {
		t.Errorf("renewed as %s", renewed)
	}
	modelstest.Exec(t, s.DB, `UPDATE checkouts SET status = 'EXPIRED', closed_at = now()`)
	modelstest.Exec(t, s.DB, `UPDATE payment_links SET max_amount = 10000`)
	if back := buyer.Post(paid + "/renew").Header.Get("Location"); back != s.Path() {
		t.Errorf("an amount that is not allowed any more leads to %s", back)
	}
}

// A link that is sold out or has ended says so, and leads the buyer who has an open charge back to it.
func TestLink_SoldOut(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	s := sells(t, site, "last", models.LinkTerms{Stock: new(1)})
	buyer, other := s.Client(t), s.Client(t)
	if a := other.Get(s.Path()); !strings.Contains(a.Text(), "Resta 1 unidade") {
		t.Error("the page does not say that one is left")
	}
	open := s.Buy(t, buyer)
	if again := buyer.Post(s.Path(), "token", "x").Header.Get("Location"); again != open {
		t.Errorf("the buyer of the last unit is led to %s", again)
	}
	says := func(title string) {
		t.Helper()
		for _, a := range []webtest.Answer{other.Get(s.Path()), other.Post(s.Path(), "token", "o")} {
			if a.Status != http.StatusNotFound || !strings.Contains(a.Find("h1").Text(), title) ||
				a.Find("main form, main a.btn-primary").Length() != 0 {
				t.Errorf("%d %q", a.Status, a.Find("h1").Text())
			}
		}
	}
	says("esgotado por enquanto")
	if a := buyer.Get(s.Path()); a.Find("main a.btn-primary").AttrOr("href", "") != open {
		t.Error("the buyer does not find the open charge")
	}
	if err := s.SimulatePayment(t.Context(), strings.TrimPrefix(open, "/pay/")); err != nil {
		t.Fatal(err)
	}
	says("Vaso Lua Nova: esgotado")
	if strings.Contains(other.Get(s.Path()).Text(), "por enquanto") {
		t.Error("what is paid may come back")
	}

	ends := s.Now().Add(time.Hour)
	s = sells(t, site, "ends", models.LinkTerms{EndsAt: &ends})
	if a := other.Get(s.Path()); a.Status != http.StatusOK || !strings.Contains(a.Text(), "À venda até") {
		t.Errorf("before the end: %d", a.Status)
	}
	modelstest.Exec(t, s.DB, "UPDATE payment_links SET ends_at = created_at")
	says("venda encerrada")
}
