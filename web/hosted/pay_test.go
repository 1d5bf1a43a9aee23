package hosted_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/static"
	"garoupa/web/webtest"
)

func TestPay(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	name, email, document, phone := "Carla Menezes", "carla@example.com", "52998224725", "+55 11 98765-4321"
	c := s.Checkout(t, payments.NewCheckout{
		Amount: 1234_56, Description: "<b>Café</b>",
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document, Phone: &phone},
	})
	visitor := s.Client(t)
	for lang, want := range map[string]string{"pt-BR,pt;q=0.9": "R$\u00a01.234,56", "en-US,en": "R$1,234.56",
		"ja": "R$\u00a01.234,56"} {
		visitor.Lang = lang
		a := visitor.Get("/pay/" + c.ID)
		if a.Status != http.StatusOK || !strings.Contains(a.Find("h1").Text(), want) ||
			a.Find("#code").AttrOr("value", "") != c.CopyPaste {
			t.Errorf("%s: %d %q", lang, a.Status, a.Find("h1").Text())
		}
		if !strings.Contains(a.Text(), "<b>Café</b>") {
			t.Errorf("%s: the description was not escaped", lang)
		}
		for _, private := range []string{"Carla", "carla@", document, "98765"} {
			if strings.Contains(webtest.WithoutRandom(a.Body), private) {
				t.Errorf("%s: the page tells who pays: %s", lang, private)
			}
		}
		for property, want := range map[string]string{
			"og:title": want + " · Ateliê Aurora", "og:image": "http://localhost" + static.URL("icon-512.png"),
		} {
			if got := a.Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want {
				t.Errorf("%s: %s is %q", lang, property, got)
			}
		}
		for header, value := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if a.Header.Get(header) != value {
				t.Errorf("%s is %q", header, a.Header.Get(header))
			}
		}
		if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q", policy)
		}
	}
	visitor.Lang = "pt-BR"
	if a := visitor.Get("/pay/" + c.ID + "?lang=en"); a.Find("html").AttrOr("lang", "") != "en" {
		t.Error("?lang=en is not English")
	}
	for path, contentType := range map[string]string{"/favicon.ico": "image/x-icon",
		static.URL("icon-512.png"): "image/png", static.URL("icon-180.png"): "image/png"} {
		if a := visitor.Get(path); a.Status != http.StatusOK || a.Header.Get("Content-Type") != contentType {
			t.Errorf("%s: %d %s", path, a.Status, a.Header.Get("Content-Type"))
		}
	}
}

// Whatever is not a checkout's address gets the same page, which says nothing.
func TestPay_NotFound(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{})
	for _, path := range []string{"/pay/chk_00000000000000000000", "/pay/chk_0", "/pay/x",
		"/pay/" + strings.ToUpper(c.ID), "/pay/%00%ff", "/pay/" + c.ID + "%20", "/pay/chk_0/events",
		"/pay/chk_0/qr.png", "/qr/chk_0.png"} {
		if a := s.Client(t).Get(path); a.Status != http.StatusNotFound ||
			!strings.Contains(a.Text(), "Não encontramos esta cobrança") {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/c/" + c.ID, "/c/", "/nope", "/qr/" + c.ID, "/static/nope.css", "/pay"} {
		if a := s.Client(t).Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// Simulation is for test: a live checkout has neither the panel nor the addresses.
func TestPay_Simulate(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	visitor := s.Client(t)
	for act, want := range map[string]models.CheckoutStatus{"simulate": models.CheckoutPaid,
		"expire": models.CheckoutExpired} {
		c := s.Checkout(t, payments.NewCheckout{})
		for range 2 { // a double click does no harm
			if a := visitor.Post("/pay/" + c.ID + "/" + act); a.Status != http.StatusSeeOther ||
				a.Header.Get("Location") != "/pay/"+c.ID {
				t.Errorf("%s: %d to %s", act, a.Status, a.Header.Get("Location"))
			}
		}
		if got, err := s.Service.Checkout(t.Context(), s.Test, c.ID); err != nil || got.Status != want {
			t.Errorf("%s: %s, %v", act, got.Status, err)
		}
	}
	c := s.Checkout(t, payments.NewCheckout{})
	modelstest.Exec(t, s.DB, "UPDATE checkouts SET livemode = true WHERE id = $1", c.ID)
	if a := visitor.Get("/pay/" + c.ID); a.Status != http.StatusOK || a.Find("form").Length() != 0 {
		t.Errorf("a live checkout: %d, %d forms", a.Status, a.Find("form").Length())
	}
	for _, act := range []string{"simulate", "expire"} {
		if a := visitor.Post("/pay/" + c.ID + "/" + act); a.Status != http.StatusNotFound {
			t.Errorf("%s of a live checkout: %d", act, a.Status)
		}
	}
}

// Where no bank account is known, the page names who receives as staff approved it, and does not
// tell buyers to mistrust another name.
func TestPay_RecipientUnknown(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	says := func(want string) {
		t.Helper()
		card := s.Client(t).Get("/pay/" + s.Checkout(t, payments.NewCheckout{}).ID).
			Find("section[aria-labelledby=recipient]").Text()
		if !strings.Contains(card, want) || !strings.Contains(card, "pode mostrar outro nome") ||
			strings.Contains(card, "não pague") {
			t.Errorf("the card says %q, want %q", card, want)
		}
	}
	says(s.Account.Name)
	modelstest.Exec(t, s.DB, `INSERT INTO access_requests (id, account_id, status, legal_name,
			document, sells, monthly_volume, contact_name, contact_email, contact_phone, submitted_by, submitted_at,
			updated_at)
		VALUES ('acr_00000000000000000001', $1, 'APPROVED', 'Livraria Maré Comércio Ltda', '45723174000110', 'Livros',
			100, 'Ana', 'ana@example.com', 'x', $2, now(), now())`, s.Account.ID, s.Owner.UserID)
	says("Livraria Maré Comércio Ltda")
}
