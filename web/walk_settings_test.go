package web_test

import (
	"net/http"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkSettings sees the settings of an account that asked for production access, types
// a color that the preview follows, and looks again as a member who may change nothing.
func walkSettings(t *testing.T, w *walk) {
	s := webtest.New(t)
	s.SetBrand(t, merchants.BrandLook{Accent: "#7a1fa2", Support: "ajuda@loja.example"}, webtest.NoisyLogo(t, 300, 100))
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	page := w.enter(t, s)
	s.NewName(t)
	page.visits(map[string]string{"notices": webtest.NoticesPage, "profile": webtest.ProfilePage})
	page.visit("company", webtest.CompanyPage)
	browsertest.Eval[bool](page.Page, `(document.getElementById("business").value = "", true)`)
	page.fails("company-wrong")

	page.visit("checkout", webtest.CheckoutPage)
	shows := func(accent string) {
		page.WaitTrue(`(d => d && d.readyState == "complete" && d.querySelector("#code") &&
			getComputedStyle(d.documentElement).getPropertyValue("--accent").trim() == "` + accent + `")(
			document.getElementById("preview").contentDocument)`)
	}
	shows("#7a1fa2")
	browsertest.Eval[bool](page.Page, `(document.getElementById("accent").value = "", true)`)
	page.Type("#accent", "#ffd400")
	shows("#ffd400")
	page.Type("#accent", "x")
	page.failsBy("checkout-wrong", "form[data-preview] button.btn-primary")
	page.failsBy("logo-wrong", "form[enctype] button")

	walkBuyer(t, s, page)

	s.GiveRole(t, models.RoleViewer)
	page.visits(map[string]string{"viewer-company": webtest.CompanyPage, "viewer-checkout": webtest.CheckoutPage,
		"viewer-notices": webtest.NoticesPage})
	page.refused("no-act", "/app/chaves/nova", http.StatusForbidden)
}

// walkBuyer searches for a buyer with a charge that can be changed and one that is pending, and for one without.
func walkBuyer(t *testing.T, s *webtest.Site, page *walker) {
	t.Helper()
	document := "529.982.247-25"
	for range 2 {
		s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Document: &document}})
	}
	modelstest.Exec(t, s.DB, `UPDATE checkouts SET status = 'EXPIRED'
		WHERE id = (SELECT min(id) FROM checkouts WHERE sealed_document IS NOT NULL)`)
	find := func(text string) {
		page.Type("#buyer", text)
		page.Click("main form button.btn-primary")
	}
	page.visit("buyer", "/app/configuracoes/comprador")
	find("11144477735")
	page.WaitVisible("main section.card")
	page.look("buyer-none")
	page.visit("buyer-again", "/app/configuracoes/comprador")
	find(document)
	page.WaitVisible("#confirm")
	page.look("buyer-found")
	page.Type("#confirm", "7")
	page.failsBy("buyer-wrong", "main button.btn-danger")
}
