package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/browsertest"
)

// noisyLogo is a picture that compresses badly, so that it is as long as any.
func noisyLogo(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			m.Set(x, y, color.NRGBA{uint8(x * 7 * y), uint8(x*x + y), uint8(x ^ y*y), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// branded gives the merchant a look of its own.
func (s *site) branded(t *testing.T, look merchants.BrandLook, logo []byte) {
	t.Helper()
	if err := s.Merchants.SetBrandLook(t.Context(), s.Owner, look); err != nil {
		t.Fatal(err)
	}
	if logo == nil {
		return
	}
	if err := s.Merchants.SetLogo(t.Context(), s.Owner, logo); err != nil {
		t.Fatal(err)
	}
}

// Every page that a buyer sees wears the merchant's brand, whose files never change;
// pages of a merchant without one ask for nothing more than ours.
func TestBrand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sold := s.sale(t, nil)
	off := s.sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.update(t, func(p *merchants.ProductForm) { p.Active = false })
	c := s.Checkout(t, payments.NewCheckout{})
	buyer := s.client(t)
	paths := []string{"/pay/" + c.ID, sold.path(), off.path()}
	for _, path := range paths {
		if a := buyer.get(path); strings.Contains(a.body, "/marca/") || a.Find("link[rel=stylesheet]").Length() != 1 {
			t.Errorf("%s: a brand before there is one", path)
		}
	}

	s.branded(t, merchants.BrandLook{Accent: "FFD400", Support: "ajuda@loja.example"}, noisyLogo(t, 900, 300))
	for _, path := range paths {
		a := buyer.get(path)
		sheet, logo, icon := a.Find("link[rel=stylesheet]").AttrOr("href", ""), a.Find("header img").AttrOr("src", ""), a.Find("link[rel=icon]").AttrOr("href", "")
		if a.Find("link[rel=stylesheet]").Length() != 1 || logo == "" || icon != logo || a.Find("a[href='mailto:ajuda@loja.example']").Length() != 1 {
			t.Errorf("%s: stylesheet %q, logo %q, icon %q", path, sheet, logo, icon)
		}
		css, image := buyer.get(sheet), buyer.get(logo)
		for name, a := range map[string]answer{"stylesheet": css, "logo": image} {
			if a.status != http.StatusOK || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s of %s: %d %v", name, path, a.status, a.header)
			}
		}
		if !strings.Contains(css.body, "--accent:#ffd400") || !strings.HasPrefix(css.header.Get("Content-Type"), "text/css") {
			t.Errorf("%s has another accent, or is no stylesheet: %s", sheet, css.header.Get("Content-Type"))
		}
		if drawn, err := png.Decode(strings.NewReader(image.body)); err != nil || drawn.Bounds().Dy() > 120 || len(image.body) > 16<<10 {
			t.Errorf("%s: %v, %d bytes", logo, err, len(image.body))
		}
	}
	sheet := buyer.get(paths[0]).Find("link[rel=stylesheet]").AttrOr("href", "")
	for _, path := range []string{
		strings.Replace(sheet, "ffd400", "ffd401", 1), strings.Replace(sheet, ".css", "x.css", 1), "/marca/" + strings.Repeat("0", 32) + ".png", "/marca/x", "/marca/",
	} {
		if a := buyer.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for support, want := range map[string]string{
		"+55 (11) 91234-5678": "tel:+5511912345678", "loja.example/ajuda": "https://loja.example/ajuda", "": "",
	} {
		s.branded(t, merchants.BrandLook{Support: support}, nil)
		if got := buyer.get(paths[0]).Find("main a[rel=noreferrer]").AttrOr("href", ""); got != want {
			t.Errorf("%q leads to %q", support, got)
		}
	}
}

// A brand costs a buyer's first visit its logo and nothing else, also beside a picture,
// and colours the button.
func TestBrand_Browser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.branded(t, merchants.BrandLook{Accent: "#ffd400"}, noisyLogo(t, 900, 300))
	sold := s.sale(t, func(p *merchants.ProductForm) { p.Picture = noisyLogo(t, 400, 225) })
	page := browsertest.Open(t, s.url+sold.path(), browsertest.Options{})
	page.WaitTrue(`[...document.images].length == 2 && [...document.images].every(i => i.complete && i.naturalWidth > 0)`)
	light(t, page.Requests())
	page = browsertest.Open(t, s.url+"/pay/"+s.Checkout(t, payments.NewCheckout{}).ID, browsertest.Options{})
	page.WaitVisible("button[data-copy]")
	light(t, page.Requests())
	if colours := browsertest.Eval[string](page, `(s => s.backgroundColor + " " + s.color)(getComputedStyle(document.querySelector("button[data-copy]")))`); colours != "rgb(255, 212, 0) rgb(0, 0, 0)" {
		t.Errorf("the button is %s", colours)
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
