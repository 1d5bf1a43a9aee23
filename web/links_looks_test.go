package web_test

import (
	"os"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// looks are ways in which a page is seen. Two of them cover both widths, themes and
// languages; whoever wants pictures gets the other two as well.
var looks = func() map[string]browsertest.Options {
	some := map[string]browsertest.Options{
		"phone-light-pt":  {},
		"desktop-dark-en": {Viewport: browsertest.Desktop, Dark: true, Lang: "en-US"},
	}
	if os.Getenv(browsertest.ScreenshotVariable) != "" {
		some["phone-dark-en"] = browsertest.Options{Dark: true, Lang: "en-US"}
		some["desktop-light-pt"] = browsertest.Options{Viewport: browsertest.Desktop}
	}
	return some
}()

// see checks the page as it stands and keeps a picture of it.
func see(page *browsertest.Page, picture string) {
	page.NoSidewaysScroll()
	page.Axe()
	page.Screenshot(picture)
}

// The hosted pages of a link, in every state, for every eye.
func TestLink_BrowserLooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	plain := s.sale(t, func(p *merchants.ProductForm) {
		p.Description = "Cerâmica de alta temperatura, esmalte azul cobalto. 24 cm de altura.\nEnvio em até 3 dias úteis."
	})
	long := s.sale(t, func(p *merchants.ProductForm) {
		p.Slug, p.Name, p.PaymentCycle = "clube", strings.Repeat("Clube da Cerâmica ", 11), "MONTHLY"
		p.Description, p.Amount = strings.Repeat("Semprejuntosemcadaforneada", 10), 999_999_999_999
	})
	broken := s.sale(t, func(p *merchants.ProductForm) { p.Slug, p.Amount = "caro", 10_37 }) // the amount that is refused in test
	off := s.sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.update(t, func(p *merchants.ProductForm) { p.Active = false })
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Open(t, s.url+plain.path(), look)
			for _, expected := range []string{"422", "503", "404"} {
				page.AllowConsole(expected)
			}
			see(page, "link-"+name)
			page.Type("#email", "carla@")
			page.Click("main form button")
			page.WaitFocused("#errors")
			see(page, "link-wrong-"+name)
			page.Goto(s.url + long.path())
			see(page, "link-long-"+name)
			page.Goto(s.url + broken.path())
			page.Click("main form button")
			page.WaitVisible("[role=alert]")
			see(page, "link-unavailable-"+name)
			page.Goto(s.url + off.path())
			see(page, "link-inactive-"+name)
		})
	}
}

// The checkout of a link, with the ways back to the store and to another code; then one
// that was cancelled, and none.
func TestPay_BrowserLooksOfLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	success, back := "https://loja.example/obrigado", "https://loja.example/carrinho"
	sold := s.saleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	cancelled := s.Checkout(t, payments.NewCheckout{})
	if err := s.CancelCheckout(t.Context(), s.Test, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Open(t, s.url+sold.path(), look)
			checkout := func() string { return strings.TrimPrefix(page.URL(), s.url+"/pay/") }
			page.Click("main form button")
			page.WaitVisible("main a[rel=noreferrer]")
			see(page, "pay-link-pending-"+name)
			if err := s.SimulateExpiry(t.Context(), checkout()); err != nil {
				t.Fatal(err)
			}
			page.WaitVisible("form[action$=renew] button")
			see(page, "pay-link-expired-"+name)
			page.Click("form[action$=renew] button")
			page.WaitVisible("#code")
			if err := s.SimulatePayment(t.Context(), checkout()); err != nil {
				t.Fatal(err)
			}
			page.WaitVisible("#receipt")
			see(page, "pay-link-paid-"+name)
			page.Goto(s.url + "/pay/" + cancelled.ID)
			see(page, "pay-cancelled-"+name)
			page.AllowConsole("404")
			page.Goto(s.url + "/pay/chk_0")
			see(page, "pay-not-found-"+name)
		})
	}
}

// The dashboard's pages of products and links, as TestDashboard_Browser does.
func TestSales_BrowserLooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	success, back := "https://loja.example/obrigado?c={CHECKOUT_ID}", "https://loja.example/carrinho"
	sold := s.saleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	off := s.sale(t, func(p *merchants.ProductForm) {
		p.Slug, p.Name, p.PaymentCycle = strings.Repeat("clube-da-ceramica-", 12)+"2026", strings.Repeat("Clube da Cerâmica ", 11), "MONTHLY"
	})
	paused := s.sale(t, func(p *merchants.ProductForm) { p.Slug, p.Name = "xicara", "Xícara e pires" })
	if err := s.Merchants.SwitchPaymentLink(t.Context(), s.Owner, s.Test, off.link, false); err != nil {
		t.Fatal(err)
	}
	paused.update(t, func(p *merchants.ProductForm) { p.Active = false })
	for range 3 {
		place := sold.buy(t, s.client(t))
		if err := s.SimulatePayment(t.Context(), strings.TrimPrefix(place, "/pay/")); err != nil {
			t.Fatal(err)
		}
	}
	sold.buy(t, s.client(t))
	paths := map[string]string{
		"products": "/app/produtos", "product-new": "/app/produtos/novo", "product": "/app/produtos/vaso", "product-long": "/app/produtos/" + off.product.Slug,
		"links": "/app/links", "link-new": "/app/links/novo", "link-detail": "/app/links/" + sold.link, "link-off": "/app/links/" + off.link, "link-paused": "/app/links/" + paused.link,
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := logIn(t, s, look)
			for picture, path := range paths {
				page.Goto(s.url + path)
				see(page, picture+"-"+name)
			}
			page.AllowConsole("422")
			for picture, path := range map[string]string{"product-wrong": "/app/produtos/novo", "link-new-wrong": "/app/links/novo?produto=vaso"} {
				page.Goto(s.url + path)
				page.Type("input[type=url]", "x")
				page.Click("main form button.btn-primary")
				page.WaitFocused("#errors")
				see(page, picture+"-"+name)
			}
		})
	}
}

// The same pages before there is anything, and in live without access.
func TestSales_BrowserEmpty(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	page := logIn(t, s, browsertest.Options{})
	for picture, path := range map[string]string{"products-empty": "/app/produtos", "links-empty": "/app/links", "link-new-empty": "/app/links/novo"} {
		page.Goto(s.url + path)
		see(page, picture+"-phone")
	}
	page.Goto(s.url + "/app/links")
	page.Click("Produção")
	page.WaitVisible("Links de produção dependem do acesso à produção")
	see(page, "links-waiting-phone")
}

// logIn opens the dashboard as the owner.
func logIn(t *testing.T, s *site, look browsertest.Options) *browsertest.Page {
	t.Helper()
	page := browsertest.Open(t, s.url+"/entrar", look)
	page.Type("#email", s.Email)
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	page.WaitTrue(`location.pathname == "/app"`)
	return page
}
