package web_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/web"
)

const (
	termsURL   = "https://empresa.example/termos"
	privacyURL = "https://empresa.example/privacidade"
	supportURL = "mailto:suporte@empresa.example"
)

// withNotices is for a site of a company that has terms of use, a privacy notice and
// somebody to ask.
func withNotices(o *web.Options) {
	o.TermsURL, o.PrivacyURL, o.SupportURL = termsURL, privacyURL, supportURL
}

// footer is what the last words of a page say and where they lead, in order.
func footer(t *testing.T, a answer) []string {
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

// Every page of a buyer ends with help in its language, and with the notices of the
// company where it has them (pages.md, 3.2.6 and 4.4).
func TestHelp(t *testing.T) {
	t.Parallel()
	s, plain := newSiteWith(t, withNotices), newSite(t)
	paid, sold := s.Checkout(t, payments.NewCheckout{}), s.sale(t, nil)
	off := s.sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.update(t, func(p *merchants.ProductForm) { p.Active = false })
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/pay/" + s.Checkout(t, payments.NewCheckout{}).ID, "/pay/" + paid.ID, sold.path(), off.path(), "/pay/chk_0", "/nada"} {
		want := []string{"Help /ajuda?lang=en", "Privacy " + privacyURL, "Terms " + termsURL}
		if got := footer(t, s.client(t).get(path+"?lang=en")); !slices.Equal(got, want) {
			t.Errorf("%s ends with %q, want %q", path, got, want)
		}
	}
	if got, want := footer(t, plain.client(t).get("/pay/"+plain.Checkout(t, payments.NewCheckout{}).ID)), []string{"Ajuda /ajuda?lang=pt-BR"}; !slices.Equal(got, want) {
		t.Errorf("without notices: %q, want %q", got, want)
	}
	if a := s.member(t).get("/app/nada"); a.status != http.StatusNotFound || a.Find("#help a[href='/docs']").Length() != 1 {
		t.Errorf("what a merchant does not find: %d, without the frame's help", a.status)
	}
	for _, path := range []string{"/entrar", "/cadastro"} {
		if got := footer(t, s.client(t).get(path)); len(got) != 4 || got[0] != "Ajuda /docs" || got[1] != "Suporte "+supportURL {
			t.Errorf("%s ends with %q", path, got)
		}
	}

	a := s.client(t).get("/ajuda?lang=en")
	if a.status != http.StatusOK || a.Find("h1").Text() != "Help paying with Pix" || len(a.header.Values("Set-Cookie")) != 0 || a.Find("script").Length() != 0 {
		t.Errorf("help: %d, %q, cookies %q", a.status, a.Find("h1").Text(), a.header.Values("Set-Cookie"))
	}
	if got := footer(t, a); len(got) != 2 {
		t.Errorf("help ends with %q", got)
	}
	a = s.member(t).get("/app")
	var menu []string
	a.Find("#help a").Each(func(_ int, s *goquery.Selection) { menu = append(menu, s.AttrOr("href", "")) })
	if want := []string{"/docs", "/ajuda?lang=pt-BR", supportURL, privacyURL, termsURL}; !slices.Equal(menu, want) {
		t.Errorf("the dashboard's help leads to %q, want %q", menu, want)
	}
}

// Whoever is stopped is told where to ask, if there is somebody to ask.
func TestSupport(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*site{"with": newSiteWith(t, withNotices), "without": newSite(t)} {
		s.GoLive(t)
		s.stop(t, s.staff(t), models.SwitchSuspended, true)
		c := s.member(t)
		c.post("/app/ambiente", "env", "live")
		for _, path := range []string{"/app", "/app/producao", "/app/saques"} {
			if got := c.get(path).Find("main a[href='" + supportURL + "']").Text(); (got == "Falar com o suporte") != (name == "with") {
				t.Errorf("%s support, %s: %q", name, path, got)
			}
		}
	}
}

// Where there are terms of use, who makes a log-in accepts them, and the moment is kept
// with the person.
func TestSignUp_Terms(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, withNotices)
	accepted := func(email string) bool {
		t.Helper()
		user, err := models.UserByEmail(s.DB.WithContext(t.Context()), email)
		if err != nil {
			t.Fatal(err)
		}
		return user.TermsURL != nil && *user.TermsURL == termsURL && user.TermsAcceptedAt != nil && user.TermsAcceptedAt.Equal(s.Clock.Now())
	}
	invited, err := s.Merchants.Invite(t.Context(), s.Owner, merchants.NewInvite{Email: "bia@example.com", Role: models.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	for path, form := range map[string][]string{
		"/cadastro":                             {"name", "Bruno", "business", "Café", "email", "bruno@example.com", "password", "a long enough one"},
		"/convite/" + s.Vault.Token(invited.ID): {"name", "Bia", "password", "a long enough one"},
	} {
		c := s.client(t)
		box := c.get(path).Find("input[type=checkbox][name=terms][required]")
		if box.Length() != 1 || box.AttrOr("checked", "no") != "no" || box.Parent().Find("a").AttrOr("href", "") != termsURL {
			t.Errorf("%s has %d boxes", path, box.Length())
		}
		a := c.post(path, form...)
		if a.status != http.StatusUnprocessableEntity || a.Find("#errors a[href='#terms']").Length() != 1 || a.Find("#name").AttrOr("value", "") != form[1] {
			t.Errorf("%s without the box: %d", path, a.status)
		}
		if a := c.post(path, append(form, "terms", "on")...); a.status != http.StatusSeeOther {
			t.Errorf("%s with the box: %d", path, a.status)
		}
	}
	if !accepted("bruno@example.com") || !accepted("bia@example.com") || accepted(s.Email) {
		t.Error("what was accepted, and when, is not kept with who did")
	}
	if newSite(t).client(t).get("/cadastro").Find("input[type=checkbox]").Length() != 0 {
		t.Error("something is asked where there are no terms")
	}
}
