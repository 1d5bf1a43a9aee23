package web_test

import (
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A buyer opens the checkout on a phone, sees the code go and come back with the
// merchant's suspension, copies it, leaves for the bank's app and pays there, comes back
// to a page that has turned, and keeps the receipt.
func TestPay_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 1249_90, Description: "Vaso Lua Nova, esmalte azul"}))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{})
	page.WaitText("h1", "Pagar com Pix: R$ 1.249,90")
	// The browser's clock is months off.
	page.WaitTrue(`/^(30:00|29:\d\d)$/.test(document.querySelector("[data-count]").textContent)`)
	page.WaitGone("#qr")
	// That the page waits is on the first screen.
	page.WaitTrue(`document.querySelector("[data-waiting]").closest(".card").getBoundingClientRect().bottom <=
		innerHeight`)
	see(page, "pay-pending-phone")
	page.Click("Pagar com outro celular? Ver QR Code")
	page.WaitVisible("#qr svg")
	page.Keep("pay-qr-open-phone")

	by := s.Staff(t)
	s.TurnSwitch(t, by, models.SwitchSuspended, true)
	page.WaitText("h1", "Esta loja não está recebendo pagamentos agora")
	page.WaitGone("#code")
	page.WaitFocused("#result")
	see(page, "pay-stopped-phone")
	s.TurnSwitch(t, by, models.SwitchSuspended, false)

	if copied := copies(page, "Copiar código Pix"); copied != c.CopyPaste {
		t.Errorf("copied %q", copied)
	}
	page.WaitText("#live", "Código Pix copiado. Agora abra o app do seu banco e escolha Pix Copia e Cola.")
	page.Keep("pay-copied-phone")
	page.Hide()
	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.Show()
	page.WaitText("h1", "Pagamento confirmado")
	page.WaitFocused("#result")
	page.WaitTrue(`document.title.startsWith("Pago")`)
	page.WaitTrue(`document.querySelector("[role=status]").textContent.includes("Pagamento confirmado")`)
	see(page, "pay-paid-phone")

	if sheets := page.Print("pay-receipt"); sheets != 1 {
		t.Errorf("the receipt takes %d sheets", sheets)
	}
	page.WaitTrue(`navigator.share = async (what) => { document.title = what.url }`)
	page.Click("Compartilhar")
	page.WaitTrue(`document.title == "http://localhost/pay/` + c.ID + `"`)
}

// clipboard belongs to the test that copies: the browser has one for all its pages.
var clipboard sync.Mutex

// copies presses a button that copies, and returns what is on the clipboard then.
func copies(page *browsertest.Page, button string) string {
	clipboard.Lock()
	defer clipboard.Unlock()
	told := page.Glimpse("[data-done]") // which passes
	page.Click(button)
	told()
	return page.Clipboard()
}

// At a desk the QR code comes first, and everything is on one screen. The code that
// cannot be copied is selected; the last minutes are told; a lost connection is said,
// and what happened meanwhile is there when it comes back.
func TestPay_BrowserDesktop(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, ExpiresIn: 5*time.Minute + 2*time.Second})
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{Viewport: browsertest.Desktop})
	page.WaitVisible("#qr svg")
	page.WaitTrue(`document.querySelector("#qr").getBoundingClientRect().bottom <=
		document.querySelector("#code").getBoundingClientRect().top`)
	// All is on one screen, but for the bar of test.
	page.WaitTrue(`document.querySelector("footer").getBoundingClientRect().bottom <=
		innerHeight + document.querySelector("aside[aria-label='Modo de teste']").offsetHeight`)
	page.WaitVisible("[data-expiry][data-urgent]")
	page.WaitText("#live", "Faltam 5 minutos para o código vencer.")
	see(page, "pay-urgent-desktop")

	page.WaitTrue(`(navigator.clipboard.writeText = () => Promise.reject()) && (document.execCommand = () => false)`)
	page.Click("Copiar código Pix")
	page.WaitText("#code-help", "Não deu para copiar. O código está selecionado: copie com um toque longo ou Ctrl+C.")
	page.WaitFocused("#code")
	page.WaitTrue(`getSelection().toString() == document.querySelector("#code").value`)

	page.SetOffline(true)
	page.WaitVisible("#net")
	page.WaitText("[data-waiting]", "Reconectando…")
	page.WaitTrue(`(dot => dot.backgroundColor == "rgba(0, 0, 0, 0)" && dot.boxShadow != "none")(
		getComputedStyle(document.querySelector(".dot")))`) // a ring, in any color
	page.WaitText("#live",
		"Você está sem internet. O código copiado continua valendo. A página se atualiza quando a conexão voltar.")
	see(page, "pay-offline-desktop")
	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.SetOffline(false)
	page.WaitText("h1", "Pagamento confirmado")
	page.WaitGone("#net")
	page.Keep("pay-paid-desktop")
}

// Time runs out in front of the buyer.
func TestPay_BrowserExpires(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{Lang: "en-US", Dark: true})
	page.WaitVisible("Copy Pix code")

	s.Clock.Advance(time.Hour)
	if n, err := s.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("expired %d, %v", n, err)
	}
	page.WaitText("h1", "This Pix code has expired")
	page.WaitGone("Copy Pix code")
	page.Axe()
	page.Keep("pay-expired-phone-dark-en")
}

// Where streams are cut, the page finds out by asking.
func TestPay_BrowserWithoutStream(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{})
	page.WaitVisible("Copiar código Pix")
	s.Streams.Close()
	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.WaitText("h1", "Pagamento confirmado")
}

// Without scripts everything is there, and a link turns the page. The language that was
// chosen stays.
func TestPay_BrowserWithoutScript(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{NoScript: true})
	page.WaitVisible("#qr svg")
	page.WaitVisible("Já paguei. Atualizar a página")
	page.WaitGone("button[data-copy]")
	see(page, "pay-noscript-phone")
	page.Click("Read in English")
	page.Click("Simulate payment")
	page.WaitText("h1", "Payment confirmed")

	c = s.Checkout(t, payments.NewCheckout{})
	page.Goto(s.URL + "/pay/" + c.ID)
	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.Click("Já paguei. Atualizar a página")
	page.WaitText("h1", "Pagamento confirmado")
	page.WaitGone("Salvar PDF") // the browser prints by itself
}

// The smallest screens, with text twice as large, lose nothing and scroll in one
// direction alone (WCAG 1.4.4 and 1.4.10).
func TestPay_BrowserNarrow(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	site.LiftLimits(t)
	s := site.Sale(t, func(p *merchants.ProductForm) {
		p.Name, p.Amount = "Clube da Cerâmica, semprejuntosemcadaforneada", 999_999_999_999
	})
	page := browsertest.Open(t, s.URL+s.Path(),
		browsertest.Options{Viewport: browsertest.Viewport{Width: 320, Height: 640, Scale: 2, Mobile: true}})
	large := func(picture string) {
		page.NoSidewaysScroll()
		page.Keep(picture)
		page.WaitTrue(`document.documentElement.style.fontSize = "200%"`)
		page.WaitTrue(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`)
		page.NoSidewaysScroll()
		page.Keep(picture + "-large")
	}
	large("link-narrow")
	page.Click("Pagar com Pix")
	page.WaitVisible("Copiar código Pix")
	page.Click("Pagar com outro celular? Ver QR Code")
	large("pay-narrow")
	page.Click("Simular pagamento")
	page.WaitText("h1", "Pagamento confirmado")
	large("pay-paid-narrow")
}
