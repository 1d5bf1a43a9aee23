package web_test

import (
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// The bar with the button, which stays at the bottom of a phone's screen, covers nothing that has the focus.
func TestLink_BarCoversNoFocus(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, asked := range []models.BuyerData{models.BuyerDataOptional, models.BuyerDataRequired} {
		sale := s.SaleIn(t, s.Test, func(p *merchants.ProductForm) {
			p.Slug, p.Picture = strings.ToLower(string(asked)), webtest.Photo(t, 800, 450)
		}, payments.NewPaymentLink{LinkTerms: models.LinkTerms{MaxQuantity: 10, BuyerData: asked}})
		small := browsertest.Viewport{Width: 320, Height: 568, Scale: 2, Mobile: true}
		for _, screen := range []browsertest.Viewport{browsertest.Phone, small} {
			page := browsertest.Open(t, s.URL+sale.Path(), browsertest.Options{Viewport: screen})
			var seen []string
			for len(seen) == 0 || seen[len(seen)-1] != "#quantity" && len(seen) < 10 {
				page.Press("Tab")
				seen = append(seen, page.Focused())
				if seen[len(seen)-1] == "Quem está pagando (opcional)" {
					page.Press("Enter")
				}
				if !page.True(`(() => {
					const box = document.activeElement.getBoundingClientRect();
					return document.activeElement.closest(".sticky") ||
						box.bottom <= document.querySelector(".sticky").getBoundingClientRect().top;
				})()`) {
					t.Errorf("%s at %d pixels: the bar covers %s", asked, screen.Width, seen[len(seen)-1])
				}
			}
			if all := strings.Join(seen, " "); !strings.HasSuffix(all, "#name #email #quantity") {
				t.Errorf("%s: Tab goes to %q", asked, seen)
			}
		}
	}
}
