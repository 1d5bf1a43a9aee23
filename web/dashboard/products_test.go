package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/web/webtest"
)

// A member makes a product; its slug comes from its name, its price in whatever
// notation.
func TestProducts(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app/produtos"); a.Status != http.StatusOK ||
		!strings.Contains(a.Text(), "Cadastre o que você vende") {
		t.Errorf("an empty list: %d", a.Status)
	}
	a := c.Post("/app/produtos", "name", " Xícara & Pires ", "amount", "1.249,9", "paymentCycle", "MONTHLY",
		"description", "Azul\r\ne branca")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/app/produtos/xicara-pires" {
		t.Fatalf("made: %d to %s: %s", a.Status, a.Header.Get("Location"), a.Find("#errors").Text())
	}
	made, err := models.ProductBySlug(t.Context(), s.DB.Pool, s.Test, "xicara-pires")
	if err != nil {
		t.Fatal(err)
	}
	want := models.Product{Slug: "xicara-pires", Name: "Xícara & Pires", Amount: 1249_90, PaymentCycle: "MONTHLY",
		Active: true, Description: ptr("Azul\ne branca")}
	got := models.Product{Slug: made.Slug, Name: made.Name, Amount: made.Amount, PaymentCycle: made.PaymentCycle,
		Active: made.Active, Description: made.Description}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	a = c.Get("/app/produtos/xicara-pires")
	if a.Find("#amount").AttrOr("value", "") != "1.249,90" ||
		a.Find("#paymentCycle option[selected]").AttrOr("value", "") != "MONTHLY" ||
		!strings.Contains(a.Text(), "Produto cadastrado") {
		t.Error("its page does not show it")
	}
	for _, next := range []struct{ name, slug, gets string }{
		{"Xícara e Pires", " meu-slug ", "meu-slug"},
		{"Xícara Pires", "", "xicara-pires-2"},
		{"Novo", "", "novo-2"}, // /app/produtos/novo is the form
	} {
		a := c.Post("/app/produtos", "name", next.name, "slug", next.slug, "amount", "10", "paymentCycle", "ONE_TIME")
		if got := a.Header.Get("Location"); got != "/app/produtos/"+next.gets {
			t.Errorf("%s with the slug %q leads to %q", next.name, next.slug, got)
		}
	}
	if a := c.Get("/app/produtos"); strings.Count(a.Body, `href="/app/produtos/`) != 5 ||
		!strings.Contains(a.Text(), "R$\u00a01.249,90") {
		t.Error("the list does not show them")
	}
}

func ptr(s string) *string { return &s }

func TestProducts_Wrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Sale(t, nil)
	c := s.Member(t)
	good := []string{"name", "Vaso", "amount", "10", "paymentCycle", "ONE_TIME", "slug", "outro", "description", ""}
	for field, values := range map[string]map[string]string{
		"name": {"": "Dê um nome", strings.Repeat("x", 201): "Dê um nome", "\xff": "Dê um nome",
			"\x00": "Dê um nome", "\u200b": "Dê um nome", "Vaso\u202e": "Dê um nome"},
		"amount": {"": "Digite um preço", "0": "Digite um preço", "-1": "Digite um preço",
			"1,234,5": "Digite um preço", "10000000000": "Digite um preço"},
		"paymentCycle": {"": "Escolha um dos ciclos", "DAILY": "Escolha um dos ciclos"},
		"slug": {"Maiúsculas": "Use letras minúsculas", "a--b": "Use letras minúsculas",
			"a/b": "Use letras minúsculas", "vaso": "Que tal vaso-2?", "novo": "Que tal novo-2?"},
		"description": {strings.Repeat("x", 501): "até 500 caracteres", "a\u202eb": "até 500 caracteres"},
	} {
		for value, says := range values {
			form := append([]string{}, good...)
			for i := 0; i < len(form); i += 2 {
				if form[i] == field {
					form[i+1] = value
				}
			}
			a := c.Post("/app/produtos", form...)
			if a.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(a.Find("#"+field+"-error").Text(), says) || a.Find("#errors li").Length() != 1 {
				t.Errorf("%s %.20q: %d %q", field, value, a.Status, a.Find("#errors").Text())
			}
			if field != "slug" {
				continue
			}
			if got := a.Find("#slug").AttrOr("value", ""); got != value {
				t.Errorf("the page kept %q of %q", got, value)
			}
		}
	}
	if a := c.Post("/app/produtos", "amount", "10", "paymentCycle", "ONE_TIME"); a.Find("#errors li").Length() != 1 {
		t.Errorf("without a name: %q", a.Find("#errors").Text())
	}
	if a := c.Get("/app/produtos/novo"); a.Find("details:not([open]) #slug").Length() != 1 ||
		a.Find("details:not([open]) #paymentCycle").Length() != 1 {
		t.Error("what a newcomer can leave as it is stands in the way")
	}
	if a := c.Post("/app/produtos", "name", "花瓶", "amount", "10", "paymentCycle",
		"ONE_TIME"); a.Find("#errors a[href='#slug']").Length() != 1 || a.Find("details[open] #slug").Length() != 1 {
		t.Errorf("a name that suggests no slug: %q, or the field is folded away", a.Find("#errors").Text())
	}
}

// A change counts for what comes after it. The slug never changes.
func TestProducts_Update(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	open := strings.TrimPrefix(s.Buy(t, s.Client(t)), "/pay/")
	page := c.Get("/app/produtos/vaso")
	if !strings.Contains(page.Text(), "vale só para as próximas cobranças") || page.Find("#slug").Length() != 0 ||
		page.Find("#active[checked]").Length() != 1 {
		t.Error("the form does not say what a price does, lets the slug change, or is not on")
	}
	if page.Find("details:not([open]) #paymentCycle").Length() != 1 {
		t.Error("what a newcomer can leave as it is stands in the way")
	}
	a := c.Post("/app/produtos/vaso", "name", "Vaso Novo", "amount", "999", "paymentCycle", "ONE_TIME", "slug", "outro")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/app/produtos/vaso" {
		t.Fatalf("%d %q", a.Status, a.Find("#errors").Text())
	}
	changed, err := models.ProductBySlug(t.Context(), s.DB.Pool, s.Test, "vaso")
	if err != nil || changed.Name != "Vaso Novo" || changed.Amount != 999_00 || changed.Active ||
		changed.Description != nil {
		t.Errorf("changed to %+v, %v", changed, err)
	}
	if before, err := s.Service.Checkout(t.Context(), s.Test, open); err != nil || before.Amount != 1249_90 {
		t.Errorf("a checkout from before: %v, %v", before.Amount, err)
	}
	if a := c.Get("/app/produtos/vaso"); !strings.Contains(a.Text(), "Produto salvo") ||
		!strings.Contains(a.Find("main").Text(), "Pausado") {
		t.Error("its page does not say so")
	}
	a = c.Post("/app/produtos/vaso", "name", "", "amount", "abc", "paymentCycle", "ONE_TIME", "active", "on")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 2 ||
		a.Find("#amount").AttrOr("value", "") != "abc" || a.Find("h1").Text() != "Vaso Novo" ||
		a.Find("#active[checked]").Length() != 1 {
		t.Errorf("a wrong change: %d %q", a.Status, a.Find("#errors").Text())
	}
}
