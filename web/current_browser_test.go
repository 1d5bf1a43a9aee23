package web_test

import (
	"testing"
	"time"

	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// An open list shows what happens by itself: a charge comes as a row, becomes paid in its place, and what the
// member types or points at stays. Hidden, the page's title counts payments.
func TestCurrent_Checkouts(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	first := s.Checkout(t, payments.NewCheckout{}).ID
	page := browsertest.Open(t, s.URL+"/app/cobrancas", browsertest.Options{
		Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies(),
	})
	page.WaitVisible("tr[data-key=" + first + "]")
	page.True(`(document.querySelector("tr[data-key=` + first + `]").mine = true)`)

	s.Clock.Advance(time.Second)
	second := s.Checkout(t, payments.NewCheckout{}).ID
	page.WaitVisible("tr.arrives[data-key=" + second + "]")
	page.WaitTrue(`document.querySelector("tbody tr").dataset.key == "` + second + `" &&
		document.querySelector("tr[data-key=` + first + `]").mine`)
	if err := s.SimulatePayment(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	page.WaitTrue(`"paid" in document.querySelector("tr[data-key=` + first + `]").dataset &&
		document.querySelector("tr[data-key=` + first + `]").mine &&
		document.getElementById("live").textContent.includes("recebido")`)
	page.Axe()
	page.Keep("checkouts-current-desktop")

	page.Hide()
	if err := s.SimulatePayment(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	page.WaitTrue(`document.title.startsWith("(1) ")`)
	page.Show()
	page.WaitTrue(`!document.title.startsWith("(")`)
}

// A list that is pointed at gets its new rows when the pointer leaves it, and what changes in place at once.
func TestCurrent_Pointed(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	first := s.Checkout(t, payments.NewCheckout{}).ID
	page := browsertest.Open(t, s.URL+"/app/cobrancas", browsertest.Options{
		Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies(),
	})
	page.WaitVisible("tr[data-key=" + first + "]")
	page.Point("tr[data-key=" + first + "]")
	s.Clock.Advance(time.Second)
	second := s.Checkout(t, payments.NewCheckout{}).ID
	if err := s.SimulatePayment(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	page.WaitTrue(`"paid" in document.querySelector("tr[data-key=` + first + `]").dataset`)
	if !page.True(`document.querySelectorAll("tbody tr[data-key]").length == 1`) {
		t.Error("a row came under the pointer")
	}
	page.Point("h1")
	page.WaitVisible("tr[data-key=" + second + "]")
}
