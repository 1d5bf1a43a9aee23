package web_test

import (
	"testing"

	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// Browsers without scripts ask in the page before what others ask in a dialog, which older ones open by a script.
func TestAsk_WithoutScript(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sale := s.Sale(t, nil)
	endpoint, _ := s.Endpoint(t, "https://shop.example/hook")
	hook := "/app/webhooks/" + endpoint.ID
	checkout := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.URL+"/app", browsertest.Options{NoScript: true, Cookies: s.Member(t).Cookies()})
	for _, asked := range []struct{ path, form, did string }{
		{"/app/links/" + sale.Link, "/desativar", act("payment_link.disabled")},
		{"/app/produtos/" + sale.Product.Slug, "/arquivar", act("product.archived")},
		{hook + "/segredo", "/segredo/trocar", act("webhook_endpoint.secret_rotated")},
		{hook + "/segredo", "/segredo/encerrar", act("webhook_endpoint.previous_secret_retired")},
		{hook, "/excluir", act("webhook_endpoint.deleted")},
		{"/app/cobrancas/" + checkout.ID, "/cancelar", "SELECT count(*) FROM checkouts WHERE status = 'CANCELLED'"},
	} {
		page.Goto(s.URL + asked.path)
		if page.True(`[...document.querySelectorAll("main [commandfor]")].some(e => e.checkVisibility())`) {
			t.Errorf("%s has a button that needs a script", asked.path)
		}
		ask := "main details:has(form[action$='" + asked.form + "'])"
		page.Click(ask + " summary")
		page.WaitVisible(ask + " form p")
		page.Axe()
		page.NoSidewaysScroll()
		before := modelstest.One[int](t, s.DB, asked.did)
		page.Click(ask + " form button")
		if n := modelstest.One[int](t, s.DB, asked.did); n != before+1 {
			t.Errorf("%s%s was done %d times", asked.path, asked.form, n-before)
		}
	}
}
