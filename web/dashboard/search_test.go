package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// hits returns what the page of the search and the palette show for a text, one line a hit: the address or the form's,
// and what is marked.
func hits(t *testing.T, c *webtest.Client, text string) (onPage, inPalette []string) {
	t.Helper()
	line := func(_ int, one *goquery.Selection) string {
		to := one.AttrOr("href", one.AttrOr("formaction", one.Parent().AttrOr("action", "")))
		return to + " " + strings.Join(one.Find("mark").Map(func(_ int, m *goquery.Selection) string {
			return m.Text()
		}), "|")
	}
	list := c.Get("/app/busca/lista?q=" + url.QueryEscape(text))
	if list.Status != http.StatusOK {
		t.Fatalf("%q: the palette answers %d", text, list.Status)
	}
	inPalette = list.Find("[role=option]").Map(line)
	page := c.Get("/app/busca?q=" + url.QueryEscape(text))
	if page.Status == http.StatusSeeOther {
		return []string{page.Header.Get("Location")}, inPalette
	}
	return page.Find("main li .hit").Map(line), inPalette
}

// A search finds what a text says by any of its words, says what matched, and the palette shows the same.
func TestSearch_SaysWhy(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Sale(t, nil)
	endpoint, _ := s.Endpoint(t, "https://loja.example/gancho")
	name, email := "Ana Conceição Souza", "ana.s@example.com"
	sold := s.Checkout(t, payments.NewCheckout{Amount: 31_50, Description: "Curso de verão",
		ExternalID: "PED-2026-0042", Customer: payments.Customer{Name: &name, Email: &email}})
	charge := "/app/cobrancas/" + sold.ID
	for text, want := range map[string]string{
		"souza": charge + " Souza", "conceicao": charge + " Conceição", "PED-2026": charge + " PED-2026",
		"0042": charge + " 0042", "ana.s@": charge + " ana.s@", "verão": charge + " verão", "31,50": charge + " ",
		sold.ID:    charge + " " + sold.ID,
		"gancho":   "/app/webhooks/" + endpoint.ID + " gancho",
		"pedidos":  "/app/cobrancas pedidos",
		"sacar":    "/app/saques/novo sacar",
		"escuro":   "/preferencias escuro",
		"produção": "/app/ambiente Produção",
		"ajustes":  "/app/configuracoes ajustes",
	} {
		page, palette := hits(t, c, text)
		if len(palette) == 0 || !contains(palette, want) {
			t.Errorf("%q: the palette shows %q, want %q", text, palette, want)
		}
		if len(page) != len(palette) || len(page) > 1 && !contains(page, want) {
			t.Errorf("%q: the page shows %q", text, page)
		}
	}
	if a := c.Get("/app/busca/lista?q=souza"); !strings.Contains(a.Text(), "Cliente: Ana Conceição Souza") ||
		!strings.Contains(a.Text(), "Cobrança") {
		t.Errorf("souza: %s", a.Text())
	}
	c.Lang = "en"
	if _, palette := hits(t, c, "settings"); !contains(palette, "/app/configuracoes Settings") {
		t.Errorf("settings: %q", palette)
	}
	if _, palette := hits(t, c, "ajustes"); len(palette) != 0 {
		t.Errorf("a Portuguese word in English: %q", palette)
	}
}

func contains(lines []string, want string) bool {
	for _, line := range lines {
		if line == want {
			return true
		}
	}
	return false
}

// The palette offers what the role may do, and nothing else; no one sees another account's things.
func TestPalette_Roles(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Sale(t, nil)
	c := s.Member(t)
	for role, want := range map[models.Role]map[string]bool{
		models.RoleViewer: {"/app/cobrancas/nova": false, "/app/saques/novo": false, "/app/chaves/nova": false,
			"/app/equipe/convidar": false, "/app/saldo": false, "/app/requisicoes": false, "/app/auditoria": false,
			"/app/cobrancas": true, "/sair": true, "/app/ambiente": true},
		models.RoleFinance: {"/app/saques/novo": true, "/app/cobrancas/nova": false, "/app/saldo": true},
		models.RoleOwner:   {"/app/cobrancas/nova": true, "/app/chaves/nova": true, "/app/auditoria": true},
	} {
		s.GiveRole(t, role)
		var found []string
		c.Get("/app/busca/lista").Find("[role=option]").Each(func(_ int, one *goquery.Selection) {
			found = append(found, one.AttrOr("href", one.AttrOr("formaction", "")))
		})
		for path, may := range want {
			if contains(found, path) != may {
				t.Errorf("%s: %s is offered: %t", role, path, !may)
			}
		}
	}
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia", Business: "Outra",
		Email: "bia@example.com", Password: paymentstest.Password}, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	stranger := s.Client(t)
	stranger.Post("/entrar", "email", "bia@example.com", "password", paymentstest.Password)
	if _, palette := hits(t, stranger, "vaso"); len(palette) != 0 {
		t.Errorf("a stranger finds %q", palette)
	}
}
