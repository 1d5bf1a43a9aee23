package web_test

import (
	"strings"
	"testing"

	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// The page beside a form follows what is typed, and its address has nothing of the customer. Phones do not load it.
func TestPreview_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	open := func(viewport browsertest.Viewport, path string) *browsertest.Page {
		return browsertest.Open(t, s.URL+path, browsertest.Options{Viewport: viewport, Cookies: s.Member(t).Cookies()})
	}
	const shows = `(text => document.querySelector("#preview").contentDocument?.body?.textContent.includes(text))`
	page := open(browsertest.Desktop, "/app/cobrancas/nova")
	page.Click("main details summary")
	page.Type("#customer_name", "Carla Menezes")
	page.Type("#amount", "77,70")
	page.Type("#description", "Caneca <b>")
	page.WaitTrue(shows + `("Caneca <b>") && ` + shows + `("77,70")`)
	address := browsertest.Eval[string](page, `document.querySelector("#preview").contentWindow.location.href`)
	if strings.Contains(address, "Carla") || strings.Contains(address, "key=") {
		t.Errorf("the preview is at %s", address)
	}
	page.AllowConsole("beforeunload")
	page = open(browsertest.Desktop, webtest.CheckoutPage)
	page.Type("#thanks", "Chega amanhã")
	page.WaitTrue(shows + `("Chega amanhã")`)
	page.AllowConsole("beforeunload")
	phone := open(browsertest.Phone, "/app/cobrancas/nova")
	phone.WaitVisible("button[name=send]")
	for _, r := range phone.Requests() {
		if strings.Contains(r.URL, "/previa") {
			t.Errorf("a phone loads %s", r.URL)
		}
	}
}
