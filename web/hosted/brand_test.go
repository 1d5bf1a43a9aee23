package hosted_test

import (
	"image/png"
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// Every page that a buyer sees wears the merchant's brand, whose files never change;
// pages of a merchant without one ask for nothing more than ours.
func TestBrand(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sold := s.Sale(t, nil)
	off := s.Sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.Update(t, func(p *merchants.ProductForm) { p.Active = false })
	c := s.Checkout(t, payments.NewCheckout{})
	buyer := s.Client(t)
	paths := []string{"/pay/" + c.ID, sold.Path(), off.Path()}
	for _, path := range paths {
		if a := buyer.Get(path); strings.Contains(a.Body, "/marca/") || a.Find("link[rel=stylesheet]").Length() != 1 {
			t.Errorf("%s: a brand before there is one", path)
		}
	}

	s.SetBrand(t, merchants.BrandLook{Accent: "FFD400", Support: "ajuda@loja.example"}, webtest.NoisyLogo(t, 900, 300))
	for _, path := range paths {
		a := buyer.Get(path)
		sheet, logo, icon := a.Find("link[rel=stylesheet]").AttrOr("href", ""), a.Find("header img").AttrOr("src",
			""), a.Find("link[rel=icon]").AttrOr("href", "")
		if a.Find("link[rel=stylesheet]").Length() != 1 || logo == "" || icon != logo ||
			a.Find("a[href='mailto:ajuda@loja.example']").Length() != 1 {
			t.Errorf("%s: stylesheet %q, logo %q, icon %q", path, sheet, logo, icon)
		}
		css, image := buyer.Get(sheet), buyer.Get(logo)
		for name, a := range map[string]webtest.Answer{"stylesheet": css, "logo": image} {
			if a.Status != http.StatusOK || a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
				a.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s of %s: %d %v", name, path, a.Status, a.Header)
			}
		}
		if !strings.Contains(css.Body, "--accent:#ffd400") ||
			!strings.HasPrefix(css.Header.Get("Content-Type"), "text/css") {
			t.Errorf("%s has another accent, or is no stylesheet: %s", sheet, css.Header.Get("Content-Type"))
		}
		if drawn, err := png.Decode(strings.NewReader(image.Body)); err != nil || drawn.Bounds().Dy() > 120 ||
			len(image.Body) > 16<<10 {
			t.Errorf("%s: %v, %d bytes", logo, err, len(image.Body))
		}
	}
	sheet := buyer.Get(paths[0]).Find("link[rel=stylesheet]").AttrOr("href", "")
	for _, path := range []string{
		strings.Replace(sheet, "ffd400", "ffd401", 1), strings.Replace(sheet, ".css", "x.css", 1),
		"/marca/" + strings.Repeat("0", 32) + ".png", "/marca/x", "/marca/",
	} {
		if a := buyer.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for support, want := range map[string]string{
		"+55 (11) 91234-5678": "tel:+5511912345678", "loja.example/ajuda": "https://loja.example/ajuda", "": "",
	} {
		s.SetBrand(t, merchants.BrandLook{Support: support}, nil)
		if got := buyer.Get(paths[0]).Find("main a[rel=noreferrer]").AttrOr("href", ""); got != want {
			t.Errorf("%q leads to %q", support, got)
		}
	}
}
