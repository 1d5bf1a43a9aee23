package web_test

import (
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A brand costs a buyer's first visit its logo and nothing else, also beside a picture,
// and colors the button.
func TestBrand_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.SetBrand(t, merchants.BrandLook{Accent: "#ffd400"}, webtest.NoisyLogo(t, 900, 300))
	sold := s.Sale(t, func(p *merchants.ProductForm) { p.Picture = webtest.NoisyLogo(t, 400, 225) })
	page := browsertest.Open(t, s.URL+sold.Path(), browsertest.Options{})
	page.WaitTrue(`[...document.images].length == 2 &&
		[...document.images].every(i => i.complete && i.naturalWidth > 0)`)
	light(t, page.Requests())
	page = browsertest.Open(t, s.URL+"/pay/"+s.Checkout(t, payments.NewCheckout{}).ID, browsertest.Options{})
	page.WaitVisible("button[data-copy]")
	light(t, page.Requests())
	colors := browsertest.Eval[string](page,
		`(s => s.backgroundColor + " " + s.color)(getComputedStyle(document.querySelector("button[data-copy]")))`)
	if colors != "rgb(255, 212, 0) rgb(0, 0, 0)" {
		t.Errorf("the button is %s", colors)
	}
}

// light checks the budget of a first visit.
func light(t *testing.T, requests []browsertest.Request) {
	t.Helper()
	var total int64
	for _, r := range requests {
		total += r.Bytes
	}
	if t.Logf("%d requests, %d bytes", len(requests), total); len(requests) > 6 || total > 60<<10 {
		t.Errorf("%d requests, %d bytes: %+v", len(requests), total, requests)
	}
}
