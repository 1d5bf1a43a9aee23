package web_test

import (
	"net/http"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkSettings sees the settings of an account that asked for production access, types
// a color that the preview follows, and looks again as somebody who may change nothing.
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

	s.GiveRole(t, models.RoleViewer)
	page.visits(map[string]string{"viewer-company": webtest.CompanyPage, "viewer-checkout": webtest.CheckoutPage,
		"viewer-notices": webtest.NoticesPage})
	page.refused("no-act", "/app/chaves/nova", http.StatusForbidden)
}
