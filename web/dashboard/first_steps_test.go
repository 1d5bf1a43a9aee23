package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// openSteps returns the titles of the steps that are not done.
func openSteps(a webtest.Answer) (titles []string) {
	a.Find("section[aria-labelledby=steps] li").Each(func(_ int, step *goquery.Selection) {
		if step.Find(".sr-only").Length() == 0 {
			titles = append(titles, strings.TrimSpace(step.Find("h3").Text()))
		}
	})
	return titles
}

// choose says how the member sells, and returns the start page.
func choose(t *testing.T, c *webtest.Client, way string) webtest.Answer {
	t.Helper()
	if a := c.Post("/app/primeiros-passos", "way", way); a.Status != http.StatusSeeOther {
		t.Fatalf("%s: %d", way, a.Status)
	}
	return c.Get("/app")
}

func expectSteps(t *testing.T, a webtest.Answer, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, openSteps(a)); diff != "" {
		t.Error(diff)
	}
}

var (
	linkSteps = []string{"Cadastre um produto", "Crie um link de pagamento", "Compartilhe o link",
		"Receba a primeira venda de teste", "Solicite acesso à produção"}
	apiSteps = []string{"Crie uma chave de teste", "Faça a primeira cobrança de teste", "Cadastre um webhook",
		"Simule o pagamento", "Solicite acesso à produção"}
)

// A new merchant is asked once how they sell; the steps follow the answer, are ticked by what there is, and are put
// away.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app"); a.Find("button[name=way]").Length() != 3 || a.Find("ol li h3").Length() != 0 {
		t.Error("nothing asks how the merchant sells")
	}
	modelstest.Exec(t, s.DB, "UPDATE users SET email_verified_at = now()")
	expectSteps(t, choose(t, c, "link"), linkSteps...)
	expectSteps(t, choose(t, c, "both"), slices.Concat(linkSteps[:4], apiSteps)...)
	expectSteps(t, choose(t, c, "api"), apiSteps...)

	charge := s.Checkout(t, payments.NewCheckout{})
	if a := c.Get("/app"); a.Find("ol a[href='/app/cobrancas/"+charge.ID+"']").Text() != "Abrir cobrança" {
		t.Error("the steps do not lead to the charge")
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get("/app"); a.Find("#steps").Length() != 0 {
		t.Error("a role that cannot take the steps is shown them")
	}
	s.GiveRole(t, models.RoleOwner)
	s.Key(t, s.Test, "CHECKOUT:CREATE")
	expectSteps(t, choose(t, c, "api"), apiSteps[2:]...)
	s.Endpoint(t, "https://shop.example/hook")
	if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
		t.Fatal(err)
	}
	expectSteps(t, c.Get("/app"), apiSteps[4])
}

// The steps of a shop that sells by links lead to its link, are done by what buyers do there, and are put away.
func TestFirstSteps_Link(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	modelstest.Exec(t, s.DB, "UPDATE users SET email_verified_at = now()")
	_, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test, merchants.ProductForm{Slug: "vaso", Name: "Vaso",
		Amount: 49_90, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
	expectSteps(t, choose(t, c, "link"), linkSteps[1:]...)
	made, _, err := s.CreatePaymentLink(t.Context(), s.Test, s.Account, payments.NewPaymentLink{
		ProductSlug: "vaso", ExpiresIn: 3600e9, IdempotencyKey: "k", RequestHash: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/app"); a.Find("ol a[href='/app/links/"+made.ID+"']").Length() != 1 {
		t.Error("the steps do not lead to the link")
	}
	sold, err := s.UsePaymentLink(t.Context(), made.ID, payments.LinkChoice{})
	if err != nil {
		t.Fatal(err)
	}
	expectSteps(t, c.Get("/app"), linkSteps[3:]...)
	if err := s.SimulatePayment(t.Context(), sold.ID); err != nil {
		t.Fatal(err)
	}
	s.Approve(t)
	if a := c.Get("/app"); !strings.Contains(a.Find("section[aria-labelledby=steps]").Text(), "6 de 6") ||
		a.Find("ol li h3").Length() != 0 {
		t.Errorf("all done: %s", a.Find("section[aria-labelledby=steps]").Text())
	}
	for _, step := range []struct {
		show   string
		panels int
	}{{"", 0}, {"on", 1}} {
		if a := c.Post("/app/primeiros-passos", "show", step.show); a.Status != http.StatusSeeOther ||
			c.Get("/app").Find("#steps").Length() != step.panels {
			t.Errorf("show %q: %d", step.show, a.Status)
		}
	}
	if a := choose(t, c, "ask"); a.Find("button[name=way]").Length() != 3 {
		t.Error("the question does not come back")
	}
}
