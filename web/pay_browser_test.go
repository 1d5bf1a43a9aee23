package web_test

import (
	"testing"
	"time"

	"garoupa/payments"
	"garoupa/web/browsertest"
)

// A buyer opens the checkout on a phone, copies the code, pays in the bank's app
// and sees the page turn, without touching it.
func TestPay_Browser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, Description: "Vaso Lua Nova, esmalte azul"})
	page := browsertest.Open(t, s.url+"/pay/"+c.ID, browsertest.Options{})

	page.WaitText("h1", "Pagar com Pix: R$ 1.249,90")
	page.WaitVisible("Copiar código Pix")
	page.NoSidewaysScroll()
	page.Axe()
	page.Screenshot("pay-pending-phone")

	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.WaitText("h1", "Pagamento confirmado")
	page.WaitTrue(`document.title.startsWith("Pago")`)
	page.WaitTrue(`document.querySelector("[role=status]").textContent.includes("Pagamento confirmado")`)
	page.NoSidewaysScroll()
	page.Axe()
	page.Screenshot("pay-paid-phone")
}

// Time runs out in front of the buyer.
func TestPay_BrowserExpires(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	page := browsertest.Open(t, s.url+"/pay/"+c.ID, browsertest.Options{Lang: "en-US", Dark: true})
	page.WaitVisible("Copy Pix code")

	s.Clock.Advance(time.Hour)
	if n, err := s.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("expired %d, %v", n, err)
	}
	page.WaitText("h1", "This Pix code has expired")
	page.WaitGone("Copy Pix code")
	page.Axe()
	page.Screenshot("pay-expired-phone-dark-en")
}

// Where streams are cut, the page finds out by asking.
func TestPay_BrowserWithoutStream(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.url+"/pay/"+c.ID, browsertest.Options{})
	page.WaitVisible("Copiar código Pix")
	s.live.Close()
	if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	page.WaitText("h1", "Pagamento confirmado")
}

// Without scripts everything is there, and a form turns the page.
func TestPay_BrowserWithoutScript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.url+"/pay/"+c.ID, browsertest.Options{NoScript: true})
	page.WaitVisible("#qr svg")
	page.WaitVisible("Já paguei, atualizar")
	page.WaitGone("button[data-copy]")
	page.Screenshot("pay-noscript-phone")
	page.Click("Simular pagamento")
	page.WaitText("h1", "Pagamento confirmado")
}

// The first visit is small, and nothing comes from elsewhere (pages.md, 10.1).
func TestPay_BrowserBudget(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{})
	page := browsertest.Open(t, s.url+"/pay/"+c.ID, browsertest.Options{Viewport: browsertest.Desktop})
	page.WaitVisible("#qr svg")
	page.Screenshot("pay-pending-desktop")
	page.NoSidewaysScroll()
	total := 0
	requests := page.Requests()
	for _, r := range requests {
		total += int(r.Bytes)
	}
	if len(requests) > 7 || total > 60<<10 {
		t.Errorf("%d requests, %d bytes: %+v", len(requests), total, requests)
	}
}
