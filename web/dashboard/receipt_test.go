package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// paidCharge is a live charge of a customer that is paid.
func paidCharge(t *testing.T, s *webtest.Site) *models.Checkout {
	t.Helper()
	name, email, document := "Carla Menezes", "carla@example.com", "52998224725"
	c, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{
		Amount: 1234_56, Description: "Vaso azul", ExternalID: "pedido-7", Metadata: []byte(`{"cor":"azul"}`),
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document}}))
	if err == nil {
		err = s.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 1234_56, s.Clock.Now()))
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The page of a charge begins with who pays and for what, has its actions in one place and a button for each id, and
// names the receipt. A member sends it by mail.
func TestCheckout_Payer(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	sold := paidCharge(t, s)
	s.ToLive(t, c)
	path := "/app/cobrancas/" + sold.ID
	a := c.Get(path)
	if first := a.Find("main section").First(); first.AttrOr("aria-labelledby", "") != "payer" ||
		!strings.Contains(first.Text(), "Carla Menezes") || !strings.Contains(first.Text(), "Vaso azul") {
		t.Errorf("the page begins with %q", first.Text())
	}
	for _, id := range []string{"checkout-id", "txid", "external-id", "end-to-end-id", "checkout-url"} {
		if a.Find("#"+id).Length() != 1 || a.Find("[data-copy="+id+"]").Length() < 1 {
			t.Errorf("%s does not copy", id)
		}
	}
	if a.Find("#external-id").Text() != "pedido-7" || a.Find("#checkout-id").Text() != sold.ID {
		t.Errorf("it copies %q and %q", a.Find("#external-id").Text(), a.Find("#checkout-id").Text())
	}
	if !strings.Contains(a.Find("#share").Parent().Text(), "Abrir o comprovante") {
		t.Error("the page does not name the receipt")
	}
	form := c.Get(path + "/comprovante")
	key := form.Find("input[name=key]").AttrOr("value", "")
	if form.Find("#email").AttrOr("value", "") != "carla@example.com" || key == "" {
		t.Errorf("the form: %d", form.Status)
	}
	if a := c.Post(path+"/comprovante", "key", key, "email", "carla@"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#email").AttrOr("value", "") != "carla@" {
		t.Errorf("a wrong address: %d", a.Status)
	}
	for range 2 {
		if a := c.Post(path+"/comprovante", "key", key, "email", "carla@example.com"); a.Status != http.StatusSeeOther {
			t.Errorf("%d %s", a.Status, a.Text())
		}
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = 'receipt'"); n != 1 {
		t.Errorf("%d mails", n)
	}
	if a := c.Get(path); !strings.Contains(a.Text(), "Para c***@…, enviado pela equipe") {
		t.Errorf("the page does not tell of the receipt")
	}
}

// A charge like another one is filled in with what the other was made with, except the order number. Those of other
// projects and environments are not found.
func TestNewCheckout_Like(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	sold := paidCharge(t, s)
	if a := c.Get("/app/cobrancas/nova?like=" + sold.ID); a.Status != http.StatusNotFound {
		t.Errorf("a live charge in test: %d", a.Status)
	}
	stranger := s.Merchant(t, "bia@example.com").Checkout(t, payments.NewCheckout{})
	for _, id := range []string{stranger.ID, "chk_0", "x"} {
		if a := c.Get("/app/cobrancas/nova?like=" + id); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", id, a.Status)
		}
	}
	s.ToLive(t, c)
	a := c.Get("/app/cobrancas/nova?like=" + sold.ID)
	for field, want := range map[string]string{"amount": "1.234,56", "customer_name": "Carla Menezes",
		"customer_email": "carla@example.com", "customer_document": "52998224725", "customer_phone": "",
		"metadata_key_0": "cor", "metadata_value_0": "azul"} {
		if got := a.Find("#"+field).AttrOr("value", ""); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	order := a.Find("#externalId").AttrOr("value", "")
	if a.Find("#description").Text() != "Vaso azul" || order == "" || order == "pedido-7" {
		t.Errorf("%q of the order %q", a.Find("#description").Text(), order)
	}
	if src := a.Find("iframe").AttrOr("src", ""); !strings.Contains(src, "description=Vaso+azul") ||
		strings.Contains(src, "carla") {
		t.Errorf("the preview is %s", src)
	}
	made := c.Post("/app/cobrancas", "key", "k", "amount", "10", "description", "Vaso", "externalId", "1", "expiry",
		"1800", "send", "1")
	place := made.Header.Get("Location")
	if !strings.HasSuffix(place, "?send=1") || c.Get(place).Find("a[data-send]").Length() != 1 ||
		c.Get(strings.TrimSuffix(place, "?send=1")).Find("a[data-send]").Length() != 0 {
		t.Errorf("created to be sent: %s", place)
	}
}

// The previews show what is typed if it is valid, as text, and only ours may frame them.
func TestPreviews(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	sale := s.Sale(t, func(p *merchants.ProductForm) { p.Name = "Vaso Lua" })
	const preview = webtest.CheckoutPage + "/previa"
	for path, want := range map[string][]string{
		preview + "?amount=10,50&description=%3Cb%3EVaso": {"10,50", "<b>Vaso"},
		preview + "?amount=x&description=":                {"249,00"},
		preview + "?paid=1&thanks=Chega+logo&thanksLabel=Ver&thanksUrl=https://loja.example/p": {"Chega logo", "Ver",
			"loja.example"},
		preview + "/link?name=Caneca&amount=30": {"Caneca", "30,00"},
		preview + "/link?productId=" + sale.Product.Slug + "&maxQuantity=1&open=on&openMin=5&openMax=50": {"Vaso Lua",
			"5,00"},
		preview + "/link?productId=nope": {"249,00"},
	} {
		a := c.Get(path)
		if a.Status != http.StatusOK || a.Find("[inert]").Length() != 1 ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "frame-ancestors 'self'") {
			t.Errorf("%s: %d, %s", path, a.Status, a.Header.Get("Content-Security-Policy"))
		}
		for _, part := range want {
			if !strings.Contains(a.Find("main").Text(), part) {
				t.Errorf("%s lacks %q: %s", path, part, a.Find("main").Text())
			}
		}
	}
	if a := c.Get(preview + "?paid=1&thanks=x&thanksLabel=Ver&thanksUrl=javascript:alert(1)"); strings.Contains(
		a.Body, "javascript:") {
		t.Error("a preview leads to a script")
	}
	for _, path := range []string{"/app/cobrancas/nova", "/app/produtos/novo", "/app/produtos/" + sale.Product.Slug,
		"/app/links/novo", "/app/links/" + sale.Link + "/editar"} {
		a := c.Get(path)
		src, is := a.Find("iframe#preview").Attr("src")
		if !is || a.Find("form[data-preview]").Length() != 1 || c.Get(src).Status != http.StatusOK ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "frame-src 'self'") {
			t.Errorf("%s has the preview %q", path, src)
		}
	}
}

// What buyers see after a payment is changed by those who change the look, and a wrong answer keeps what was typed.
func TestThanks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	const path = webtest.CheckoutPage + "/agradecimento"
	a := c.Post(path, "thanks", "Veja golpe.com", "thanksLabel", "Ver", "thanksUrl", "http://loja.example")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#thanks").Text() != "Veja golpe.com" ||
		a.Find("#thanks-error").Length() != 1 || a.Find("#thanksUrl-error").Length() != 1 {
		t.Errorf("wrong: %d, %s", a.Status, a.Find("#errors").Text())
	}
	if a := c.Post(path, "thanks", "Obrigado!\r\nAté logo", "thanksLabel", "Ver", "thanksUrl",
		"https://loja.example"); a.Status != http.StatusSeeOther {
		t.Errorf("%d", a.Status)
	}
	if a := c.Get(webtest.CheckoutPage); a.Find("#thanks").Text() != "Obrigado!\nAté logo" {
		t.Errorf("saved %q", a.Find("#thanks").Text())
	}
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.Post(path, "thanks", "x"); a.Status != http.StatusForbidden {
		t.Errorf("a developer: %d", a.Status)
	}
}
