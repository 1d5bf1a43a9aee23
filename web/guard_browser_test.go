package web_test

import (
	"strings"
	"testing"

	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A page asks before the reader leaves a form with unsent changes. It does not ask when
// nothing was typed, or when what was typed was undone or sent.
func TestGuard_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/entrar", browsertest.Options{Viewport: browsertest.Desktop})
	page.AllowConsole("status of 422") // a form that is refused
	page.Type("#email", s.Email)
	page.Type("#password", "wrong")
	page.Goto(s.URL + "/entrar")
	page.WaitVisible("#email")
	if page.Asked() {
		t.Error("a page without a guard asks")
	}
	(&walker{Page: page, t: t, site: s}).logIn(s.Email, "/app")

	leave := func(doing string, want bool) {
		t.Helper()
		page.Click("Equipe")
		page.WaitText("h1", "Equipe")
		if got := page.Asked(); got != want {
			t.Errorf("%s: asked %v, want %v", doing, got, want)
		}
		page.Goto(s.URL + webtest.ProfilePage)
	}
	page.Goto(s.URL + webtest.ProfilePage)
	name := page.Value("#name")
	leave("untouched", false)
	page.Type("#name", "Outro nome")
	leave("changed", true)
	page.Type("#name", "Outro nome")
	page.Type("#name", name)
	leave("changed and taken back", false)
	page.Type("#lang", "English")
	leave("chosen from a list", true)
	page.Type("#name", "Outro nome")
	page.Click("main form button.btn-primary")
	page.WaitVisible("main [role=status]")
	if page.Asked() || page.Value("#name") != "Outro nome" {
		t.Error("saving asks, or does not save")
	}
	leave("saved", false)
	page.Type("#name", " ")
	page.Click("main form button.btn-primary")
	page.WaitFocused("#errors")
	if page.Asked() {
		t.Error("a form that is refused asks")
	}
	page.Type("#name", name)
	page.Click("[popovertarget=account-side]")
	page.Click("#account-side form[action='/sair'] button")
	page.WaitTrue(`location.pathname == "/entrar"`)
	if !page.Asked() {
		t.Error("another form takes the page away unasked")
	}
	(&walker{Page: page, t: t, site: s}).logIn(s.Email, "/app")

	page.Goto(s.URL + webtest.NoticesPage)
	page.Click("input[name=notices]")
	leave("ticked off", true)
	page.Goto(s.URL + webtest.NoticesPage)
	page.Click("input[name=notices]")
	page.Click("input[name=notices]")
	leave("ticked off and on again", false)
}

// A form that is answered with a file leaves its page open, and can be sent again there.
func TestDownload_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	email := "carla@example.com"
	s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email}})
	page := browsertest.Open(t, s.URL+"/app/clientes",
		browsertest.Options{Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies()})
	page.Click("main a[href^='/app/clientes/cus_']")
	const file = "form[action='/app/configuracoes/comprador/arquivo'] button"
	for _, next := range []string{"form[action='/app/configuracoes/comprador'] button", "#buyer"} {
		for range 2 {
			page.Click(file)
			if page.True(`document.querySelector("[data-busy], button[aria-busy]")`) {
				t.Errorf("%s waits for an answer that does not replace it", page.URL())
			}
		}
		page.Click(next) // the customer's page leads to the page of a buyer's data, which has the same form
	}
	sent := 0
	for _, request := range page.Requests() {
		if strings.HasSuffix(request.URL, "/arquivo") {
			sent++
		}
	}
	if sent != 4 {
		t.Errorf("four presses sent the form %d times", sent)
	}
}

// The forms in which a person types for a while are guarded.
func TestGuard_Forms(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sold := s.Sale(t, nil)
	endpoint, _ := s.Endpoint(t, "https://shop.example/hook")
	modelstest.Exec(t, s.DB, "UPDATE users SET email_verified_at = now()")
	c := s.Member(t)
	for path, forms := range map[string]int{
		webtest.CompanyPage: 1, webtest.ProfilePage: 1, webtest.NoticesPage: 1, webtest.CheckoutPage: 3,
		"/app/produtos/novo":                  1,
		"/app/produtos/" + sold.Product.Slug:  1,
		"/app/links/" + sold.Link + "/editar": 1,
		"/app/links/novo":                     1,
		"/app/webhooks/novo":                  1, "/app/webhooks/" + endpoint.ID + "/editar": 1,
		"/app/producao/pedido": 1,
	} {
		if got := c.Get(path).Find("main form[method=post][data-guard]").Length(); got != forms {
			t.Errorf("%s guards %d forms, want %d", path, got, forms)
		}
	}
}
