package web_test

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

// walkSales sees products and links, those that sell and those that do not.
func walkSales(t *testing.T, w *walk) {
	s := webtest.New(t)
	success, back := "https://loja.example/obrigado?c={CHECKOUT_ID}", "https://loja.example/carrinho"
	sold := s.SaleIn(t, s.Test, func(p *merchants.ProductForm) { p.Picture = webtest.Photo(t, 640, 360) },
		payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	off := s.Sale(t, func(p *merchants.ProductForm) {
		p.Slug, p.Name, p.PaymentCycle = strings.Repeat("clube-da-ceramica-", 12)+
			"2026", strings.Repeat("Clube da Cerâmica ", 11), "MONTHLY"
	})
	paused := s.Sale(t, func(p *merchants.ProductForm) { p.Slug, p.Name = "xicara", "Xícara e pires" })
	modelstest.Exec(t, s.DB, `UPDATE products
		SET image_url = 'https://loja.example/' || repeat('xicara-e-pires-', 12) ||
		'.jpg' WHERE slug = 'xicara'`)
	if err := s.Merchants.SwitchPaymentLink(t.Context(), s.Owner, s.Test, off.Link, false); err != nil {
		t.Fatal(err)
	}
	paused.Update(t, func(p *merchants.ProductForm) { p.Active = false })
	for range 3 {
		place := sold.Buy(t, s.Client(t))
		if err := s.SimulatePayment(t.Context(), strings.TrimPrefix(place, "/pay/")); err != nil {
			t.Fatal(err)
		}
	}
	sold.Buy(t, s.Client(t))
	for range 12 {
		s.Service.VisitPaymentLink(sold.Link)
	}
	s.Service.VisitPaymentLink(paused.Link)
	if err := s.Service.SaveVisits(t.Context()); err != nil {
		t.Fatal(err)
	}

	page := w.enter(t, s)
	page.visits(map[string]string{
		"products": "/app/produtos", "product-new": "/app/produtos/novo", "product": "/app/produtos/vaso",
		"product-elsewhere": "/app/produtos/xicara", "product-long": "/app/produtos/" + off.Product.Slug,
		"links": "/app/links", "link-new": "/app/links/novo", "link-off": "/app/links/" + off.Link,
		"link-paused": "/app/links/" + paused.Link, "link": "/app/links/" + sold.Link,
		"analytics-links": "/app/analises",
	})
	page.refused("link-wrong-period", "/app/links/"+sold.Link+"?from=2026-03-02&until=2026-03-01",
		http.StatusUnprocessableEntity)
	page.Goto(s.URL + "/app/links/" + sold.Link)
	page.Click("button[commandfor=turn-off]")
	page.WaitVisible("dialog#turn-off[open]")
	page.look("link-turn-off")
	page.Goto(s.URL + "/app/produtos/novo")
	page.Type("#amount", "x")
	page.fails("product-new-wrong")
	page.Goto(s.URL + "/app/links/novo?product=vaso")
	page.Click("main details:last-of-type summary")
	page.Type("input[type=url]", "x")
	page.fails("link-new-wrong")
	soldFurther(t, s, page, sold, paused)
	keptForms(t, s, page)
}

// soldFurther sees a link with all its terms, changes it, makes one for the counter, prints both, and archives a
// product.
func soldFurther(t *testing.T, s *webtest.Site, page *walker, sold, paused *webtest.Sale) {
	t.Helper()
	ends := s.Now().Add(72 * time.Hour)
	err := s.Merchants.UpdatePaymentLink(t.Context(), s.Owner, s.Test, sold.Link, merchants.LinkForm{
		ExpiresIn: time.Hour, Left: new(4),
		LinkTerms: models.LinkTerms{BuyerData: models.BuyerDataRequired, MaxQuantity: 5, EndsAt: &ends}})
	if err == nil {
		err = s.Merchants.ArchiveProduct(t.Context(), s.Owner, s.Test, paused.Product.Slug, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, "UPDATE checkouts SET units = 1 WHERE status = 'PAID'")
	modelstest.Exec(t, s.DB, "UPDATE payment_links SET stock = 1 WHERE stock IS NOT NULL")
	page.visits(map[string]string{
		"link-oversold": "/app/links/" + sold.Link, "link-edit": "/app/links/" + sold.Link + "/editar",
		"link-poster":       "/app/links/" + sold.Link + "/cartaz",
		"products-archived": "/app/produtos?archived=1", "product-archived": "/app/produtos/" + paused.Product.Slug,
	})
	page.Goto(s.URL + "/app/links/" + sold.Link + "/editar")
	page.Type("#stock", "x")
	page.fails("link-edit-wrong")
	page.AllowConsole("beforeunload") // the form was not sent again
	page.Goto(s.URL + "/app/produtos/vaso")
	page.Click("button[commandfor=archive]")
	page.WaitVisible("dialog#archive[open]")
	page.look("product-archive")
	page.Goto(s.URL + "/app/links")
	page.Click("form[action='/app/links/balcao'] button")
	page.WaitVisible("#share")
	page.look("link-counter")
	page.visit("link-poster-small", strings.TrimPrefix(page.URL(), s.URL)+"/cartaz?size=a6")
	page.visit("links-terms", "/app/links")
}

// keptForms sees a form that is sent when another window has gone to live, and again when
// the session is over.
func keptForms(t *testing.T, s *webtest.Site, page *walker) {
	t.Helper()
	page.Goto(s.URL + "/app/produtos/novo")
	page.Type("#name", "Vaso")
	page.AllowConsole("(" + s.URL + "/app/produtos)")
	for _, held := range []struct{ picture, change, sign string }{
		{"kept-environment", "UPDATE sessions SET livemode = true", "main a[href='/app/produtos']"},
		{"kept-logged-out", "DELETE FROM sessions", "main a[href='/entrar']"},
	} {
		modelstest.Exec(t, s.DB, held.change)
		page.Click("main form button.min-h-12, main form button.btn-primary")
		page.WaitVisible(held.sign)
		page.WaitFocused("#result")
		page.look(held.picture)
	}
}
