package merchants_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// What buyers see after a payment is short, has its address in the button alone, and leads nowhere but to https.
func TestThanks(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]models.Thanks{
		"":              {Text: strings.Repeat("é", 280), Label: "Acompanhar", URL: "https://loja.example/p?a=1"},
		" ":             {Text: "Chega em 3 dias. Obrigado!\nAté logo"},
		"thanks":        {Text: strings.Repeat("a", 281)},
		"thanks ":       {Text: "Ganhe um prêmio em www.golpe.example"},
		"thanks  ":      {Text: "Ganhe um prêmio em golpe.com"},
		"thanks   ":     {Text: "Ganhe em https://golpe"},
		"thanks    ":    {Text: "a\u202eb"},
		"thanksUrl":     {Label: "Ver", URL: "javascript:alert(1)"},
		"thanksUrl ":    {Label: "Ver", URL: "http://loja.example"},
		"thanksUrl  ":   {Label: "Ver", URL: "https://banco.example@golpe.example"},
		"thanksUrl 3":   {Label: "Ver", URL: "https://lоja.example"}, // a Cyrillic o
		"thanksUrl 4":   {Label: "Ver"},
		"thanksUrl 5":   {Label: "Ver", URL: "https://loja.example/" + strings.Repeat("a", 500)},
		"thanksLabel":   {URL: "https://loja.example"},
		"thanksLabel ":  {Label: strings.Repeat("a", 41), URL: "https://loja.example"},
		"thanksLabel  ": {Label: "Ir a banco.com", URL: "https://loja.example"},
	} {
		thanks := merchants.Thanks{Thanks: in}
		problems, _ := errors.AsType[merchants.Invalid](thanks.Check())
		field, _, _ := strings.Cut(name, " ")
		if _, wrong := problems[field]; field != "" && !wrong || len(problems) > 0 && field == "" || len(problems) > 1 {
			t.Errorf("%+v: %v", in, problems)
		}
	}
	g := paymentstest.New(t)
	words := merchants.Thanks{Thanks: models.Thanks{Text: "Obrigado!", Label: "Ver", URL: "loja.example/p"}}
	for range 2 {
		if err := g.Merchants.SetThanks(t.Context(), g.Owner, words); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := models.BrandOf(t.Context(), g.DB.Pool, g.Account.ID); err != nil ||
		b.Thanks != (models.Thanks{Text: "Obrigado!", Label: "Ver", URL: "https://loja.example/p"}) {
		t.Errorf("saved %+v, %v", b.Thanks, err)
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*) FROM audit_log WHERE action = 'brand.changed'`); n != 1 {
		t.Errorf("%d lines in the audit log", n)
	}
	g.GiveRole(t, models.RoleDeveloper)
	if err := g.Merchants.SetThanks(t.Context(), g.Owner, words); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("a developer: %v", err)
	}
}
