package hosted_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// footer is what the last words of a page say and where they lead, in order.
func footer(t *testing.T, a webtest.Answer) []string {
	t.Helper()
	var links []string
	a.Find("footer a").Each(func(_ int, s *goquery.Selection) {
		if s.AttrOr("rel", "") != "noreferrer" {
			t.Errorf("%s tells where the buyer came from", s.Text())
		}
		links = append(links, s.Text()+" "+s.AttrOr("href", ""))
	})
	return links
}

// Every page for buyers ends with a link to help in its language, and with the
// company's privacy notice and terms if these are set.
func TestHelp(t *testing.T) {
	t.Parallel()
	s, plain := webtest.NewWith(t, webtest.WithNotices), webtest.New(t)
	paid, sold := s.Checkout(t, payments.NewCheckout{}), s.Sale(t, nil)
	off := s.Sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.Update(t, func(p *merchants.ProductForm) { p.Active = false })
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/pay/" + s.Checkout(t, payments.NewCheckout{}).ID, "/pay/" + paid.ID, sold.Path(),
		off.Path(), "/pay/chk_0", "/nada"} {
		want := []string{"Help /ajuda?lang=en", "Privacy " + webtest.PrivacyURL, "Terms " + webtest.TermsURL}
		if got := footer(t, s.Client(t).Get(path+"?lang=en")); !slices.Equal(got, want) {
			t.Errorf("%s ends with %q, want %q", path, got, want)
		}
	}
	if got, want := footer(t, plain.Client(t).Get("/pay/"+
		plain.Checkout(t, payments.NewCheckout{}).ID)), []string{"Ajuda /ajuda?lang=pt-BR"}; !slices.Equal(got, want) {
		t.Errorf("without notices: %q, want %q", got, want)
	}
	if a := s.Member(t).Get("/app/nada"); a.Status != http.StatusNotFound ||
		a.Find("#help a[href='/docs']").Length() != 1 {
		t.Errorf("what a merchant does not find: %d, without the frame's help", a.Status)
	}
	for _, path := range []string{"/entrar", "/cadastro"} {
		if got := footer(t, s.Client(t).Get(path)); len(got) != 4 || got[0] != "Ajuda /docs" ||
			got[1] != "Suporte "+webtest.SupportURL {
			t.Errorf("%s ends with %q", path, got)
		}
	}

	a := s.Client(t).Get("/ajuda?lang=en")
	if a.Status != http.StatusOK || a.Find("h1").Text() != "Help paying with Pix" ||
		len(a.Header.Values("Set-Cookie")) != 0 || a.Find("script").Length() != 0 {
		t.Errorf("help: %d, %q, cookies %q", a.Status, a.Find("h1").Text(), a.Header.Values("Set-Cookie"))
	}
	if got := footer(t, a); len(got) != 2 {
		t.Errorf("help ends with %q", got)
	}
	a = s.Member(t).Get("/app")
	var menu []string
	a.Find("#help a").Each(func(_ int, s *goquery.Selection) { menu = append(menu, s.AttrOr("href", "")) })
	if want := []string{"/docs", "/ajuda?lang=pt-BR", webtest.SupportURL, webtest.PrivacyURL,
		webtest.TermsURL}; !slices.Equal(menu, want) {
		t.Errorf("the dashboard's help leads to %q, want %q", menu, want)
	}
}
