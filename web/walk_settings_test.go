package web_test

import (
	"net/http"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/browsertest"
)

// walkSettings sees the settings of an account that asked for production access, types
// a colour that the preview follows, and looks again as somebody who may change nothing.
func walkSettings(t *testing.T, w *walk) {
	s := newSite(t)
	s.branded(t, merchants.BrandLook{Accent: "#7a1fa2", Support: "ajuda@loja.example"}, noisyLogo(t, 300, 100))
	s.member(t).post("/app/producao/pedido", accessAnswers("send")...)
	page := w.enter(t, s)
	page.visits(map[string]string{"notices": noticesPage, "profile": profilePage})
	page.visit("company", companyPage)
	browsertest.Eval[bool](page.Page, `(document.getElementById("business").value = "", true)`)
	page.fails("company-wrong")

	page.visit("checkout", checkoutPage)
	shows := func(accent string) {
		page.WaitTrue(`(d => d && d.readyState == "complete" && d.querySelector("#code") && getComputedStyle(d.documentElement).getPropertyValue("--accent").trim() == "` +
			accent + `")(document.getElementById("preview").contentDocument)`)
	}
	shows("#7a1fa2")
	browsertest.Eval[bool](page.Page, `(document.getElementById("accent").value = "", true)`)
	page.Type("#accent", "#ffd400")
	shows("#ffd400")
	page.Type("#accent", "x")
	page.failsBy("checkout-wrong", "form[data-preview] button.btn-primary")
	page.failsBy("logo-wrong", "form[enctype] button")

	s.GiveRole(t, models.RoleViewer)
	page.visits(map[string]string{"viewer-company": companyPage, "viewer-checkout": checkoutPage, "viewer-notices": noticesPage})
	page.refused("no-act", "/app/chaves/nova", http.StatusForbidden)
}
