package web_test

import (
	"slices"
	"testing"

	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// tab presses Tab, or Shift+Tab, and checks that the control that has the focus then
// shows it, in view. It returns the control's name.
func tab(t *testing.T, page *browsertest.Page, key string) string {
	t.Helper()
	page.Press(key)
	name := page.Focused()
	if !page.True(`(() => {
		const el = document.activeElement, style = getComputedStyle(el), box = el.getBoundingClientRect()
		return el.matches(":focus-visible") && style.outlineStyle == "solid" && parseFloat(style.outlineWidth) >= 2 &&
			box.width >= 24 && box.height >= 24 && box.top >= 0 && box.bottom <= innerHeight &&
			box.left >= 0 && box.right <= innerWidth
	})()`) {
		t.Errorf("the focus on %q cannot be seen", name)
	}
	return name
}

// tabTo presses Tab until the control that matches the selector has the focus.
func tabTo(t *testing.T, page *browsertest.Page, selector string) {
	t.Helper()
	var seen []string
	for range 40 {
		seen = append(seen, tab(t, page, "Tab"))
		if page.True(`document.activeElement.matches("` + selector + `")`) {
			return
		}
	}
	t.Fatalf("Tab does not reach %s: %q", selector, seen)
}

// skipToMain takes the first link of the page, past all that stands before its content.
func skipToMain(t *testing.T, page *browsertest.Page) {
	t.Helper()
	if name := tab(t, page, "Tab"); name != "Pular para o conteúdo" {
		t.Errorf("the first stop is %q", name)
	}
	page.Press("Enter")
	page.WaitFocused("#main")
}

// A buyer without a mouse comes by a link, copies the code, sees the page turn, and
// shares the receipt.
func TestKeyboard_BrowserBuyer(t *testing.T) {
	t.Parallel()
	s := webtest.NewWith(t, webtest.WithNotices)
	success, back := "https://loja.example/obrigado", "https://loja.example/carrinho"
	sold := s.SaleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	page := browsertest.Open(t, s.URL+sold.Path(), browsertest.Options{Viewport: browsertest.Desktop})
	skipToMain(t, page)
	tabTo(t, page, "main form button")
	page.Press("Enter")
	page.WaitText("h1", "Pagar com Pix: R$ 1.249,90")

	skipToMain(t, page)
	var stops []string
	for range 6 {
		stops = append(stops, tab(t, page, "Tab"))
	}
	if want := []string{"#code", "Copiar código Pix", "Voltar para Ateliê Aurora", "Ajuda", "Privacidade",
		"Termos"}; !slices.Equal(stops, want) {
		t.Errorf("Tab goes to %q, want %q", stops, want)
	}
	for range 4 {
		tab(t, page, "Shift+Tab")
	}
	func() {
		clipboard.Lock()
		defer clipboard.Unlock()
		page.Press("Enter")
		page.WaitText("#live", "Código Pix copiado. Agora abra o app do seu banco e escolha Pix Copia e Cola.")
	}()
	if err := s.SimulatePayment(t.Context(), s.CheckoutIDs(t)[0]); err != nil {
		t.Fatal(err)
	}
	page.WaitFocused("#result")
	stops = nil
	for range 3 {
		stops = append(stops, tab(t, page, "Tab"))
	}
	if want := []string{"Voltar para Ateliê Aurora", "Salvar PDF", "Compartilhar"}; !slices.Equal(stops, want) {
		t.Errorf("then Tab goes to %q, want %q", stops, want)
	}
	clipboard.Lock()
	defer clipboard.Unlock()
	told := page.Glimpse("Link copiado") // which passes
	page.Press("Enter")                  // a desktop has no other apps to share with
	told()
	page.WaitText("#live", "Link do comprovante copiado.")
}

// A merchant without a mouse logs in, finds a charge by Ctrl+K, pays it in the bank's
// place, and opens and leaves the account's menu.
func TestKeyboard_BrowserDashboard(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Checkout(t, payments.NewCheckout{Amount: 7_00})
	wanted := s.Checkout(t, payments.NewCheckout{Amount: 49_90, ExternalID: "pedido-7"})
	page := browsertest.Open(t, s.URL+"/entrar", browsertest.Options{Viewport: browsertest.Desktop})
	skipToMain(t, page)
	tabTo(t, page, "#email")
	page.Type("#email", s.Email)
	tabTo(t, page, "#password")
	page.Type("#password", paymentstest.Password)
	tabTo(t, page, "form button.btn-primary")
	page.Press("Enter")
	page.WaitText("h1", "Início")

	page.Press("Control+k")
	page.WaitFocused("#palette-q")
	page.Type("#palette-q", "pedido-7")
	page.Press("Enter") // before or after the list has come
	page.WaitTrue(`location.pathname == "/app/cobrancas/` + wanted.ID + `"`)
	skipToMain(t, page)
	tabTo(t, page, "form[action$=simular] button")
	page.Press("Enter")
	page.WaitVisible("Pagamento simulado.")

	tabTo(t, page, "#search")
	page.Press("Enter")
	page.WaitFocused("#palette-q")
	page.Press("Escape")
	page.WaitGone("#palette")
	page.WaitFocused("#search")
	tab(t, page, "Shift+Tab")
	if !page.True(`document.activeElement.matches("[popovertarget=account-side]")`) {
		t.Errorf("before the search stands %q", page.Focused())
	}
	page.Press("Enter")
	page.WaitVisible("#account-side")
	page.Press("Escape")
	page.WaitGone("#account-side")
	if !page.True(`document.activeElement.matches("[popovertarget=account-side]")`) {
		t.Errorf("the menu leaves the focus on %q", page.Focused())
	}
	tabTo(t, page, "[popovertarget=help]")
	page.Press("Enter")
	page.WaitVisible("#help")
	see(page, "help-menu")
	if tab(t, page, "Tab") != "Documentação" || tab(t, page, "Tab") != "Ajuda para quem paga" {
		t.Errorf("the help leads to %q", page.Focused())
	}
	page.Press("Enter")
	page.WaitText("h1", "Ajuda para pagar com Pix")
}
