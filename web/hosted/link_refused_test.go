package hosted_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// Buyers say as much of who they are as they like.
func TestLink_Buyer(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	buyer := s.Client(t)
	for name, c := range map[string]struct{ name, email, field, says string }{
		"no email":    {"Carla", "carla@", "email", "Digite um e-mail como"},
		"with a name": {"Carla", "Carla <carla@example.com>", "email", "Digite um e-mail como"},
		"long name":   {strings.Repeat("é", 201), "carla@example.com", "name", "até 200 caracteres"},
		"turned name": {"Carla \u202e", "carla@example.com", "name", "até 200 caracteres"},
		"long email":  {"Carla", strings.Repeat("a", 250) + "@example.com", "email", "Digite um e-mail como"},
	} {
		a := buyer.Post(s.Path(), "token", "t", "name", c.name, "email", c.email)
		if a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Find("#"+c.field+"-error").Text(), c.says) || a.Find("#errors li").Length() != 1 {
			t.Errorf("%s: %d %q", name, a.Status, a.Find("#errors").Text())
		}
		if got := a.Find("#email").AttrOr("value", ""); got != c.email {
			t.Errorf("%s: the page kept %q", name, got)
		}
	}
	if made := s.CheckoutIDs(t); len(made) != 0 {
		t.Errorf("wrong forms made %v", made)
	}
	for i, c := range []struct{ name, email string }{{"  ", " "}, {"Carla", ""}, {"", "carla@example.com"}} {
		s.Buy(t, s.Client(t), "name", c.name, "email", c.email)
		if made := s.CheckoutIDs(t); len(made) != i+1 {
			t.Errorf("%+v made %v", c, made)
		}
	}
}

// A link that cannot be used says whom to ask, and makes nothing.
func TestLink_Inactive(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]func(*testing.T, *webtest.Sale){
		"link": func(t *testing.T, s *webtest.Sale) {
			if err := s.Merchants.SwitchPaymentLink(t.Context(), s.Owner, s.Test, s.Link, false); err != nil {
				t.Fatal(err)
			}
		},
		"product": func(t *testing.T, s *webtest.Sale) {
			s.Update(t,
				func(p *merchants.ProductForm) { p.Active = false })
		},
		"suspended": func(t *testing.T,
			s *webtest.Sale) {
			modelstest.Exec(t, s.DB, "UPDATE accounts SET suspended = true")
		},
		"blocked": func(t *testing.T, s *webtest.Sale) {
			modelstest.Exec(t, s.DB, "UPDATE accounts SET live_blocked = true")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t).Sale(t, nil)
			buyer := s.Client(t)
			open := s.Buy(t, buyer) // from when it was on
			off(t, s)
			title := "Este link não está mais ativo"
			if name == "suspended" || name == "blocked" { // another link would not help
				title = "Esta loja não está recebendo pagamentos agora"
			}
			for _, a := range []webtest.Answer{buyer.Get(s.Path()), buyer.Post(s.Path(), "token", "t"),
				s.Client(t).Post(s.Path())} {
				if a.Status != http.StatusNotFound || a.Find("h1").Text() != title ||
					!strings.Contains(a.Text(), "Fale com Ateliê Aurora") || a.Find("main form").Length() != 0 {
					t.Errorf("%d %q", a.Status, a.Find("h1").Text())
				}
			}
			if made := s.CheckoutIDs(t); len(made) != 1 || "/pay/"+made[0] != open {
				t.Errorf("it made %v", made)
			}
		})
	}
	s := webtest.New(t).Sale(t, nil)
	for _, path := range []string{"/l/plink_0000000000000000", "/l/plink_0", "/l/x", "/l/" + strings.ToUpper(s.Link),
		"/l/%00%ff", s.Path() + "%20"} {
		for _, a := range []webtest.Answer{s.Client(t).Get(path), s.Client(t).Post(path)} {
			if a.Status != http.StatusNotFound || !strings.Contains(a.Text(), "Confira o link com quem enviou") ||
				strings.Contains(a.Text(), "Ateliê") {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
	}
	if a := s.Client(t).Get("/l"); a.Status != http.StatusNotFound {
		t.Errorf("/l: %d", a.Status)
	}
}

// When the institution cannot be reached the page stays, with what was typed and
// what to quote; a second press works once it can.
func TestLink_ProviderUnavailable(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t,
		func(p *merchants.ProductForm) { p.Amount = 10_37 }) // the amount that is refused in test
	buyer := s.Client(t)
	a := buyer.Post(s.Path(), "token", "same form", "name", "Carla", "email", "carla@example.com")
	problem := a.Find("[role=alert]").Text()
	if a.Status != http.StatusServiceUnavailable || !strings.Contains(problem, "Não foi possível gerar o Pix agora") ||
		!strings.Contains(problem, a.Header.Get("Request-Id")) {
		t.Errorf("%d %q", a.Status, problem)
	}
	if a.Find("#name").AttrOr("value", "") != "Carla" || a.Find("#email").AttrOr("value", "") != "carla@example.com" ||
		a.Find("input[name=token]").AttrOr("value", "") != "same form" {
		t.Error("the page forgot what was typed")
	}
	if made := s.CheckoutIDs(t); len(made) != 0 {
		t.Errorf("it made %v", made)
	}
	s.Update(t, func(p *merchants.ProductForm) { p.Amount = 10_00 })
	if a := buyer.Post(s.Path(), "token", "same form"); a.Status != http.StatusSeeOther {
		t.Errorf("the next press: %d", a.Status)
	}
}

// A live link sells where the account may, and says so to no one where it may not.
func TestLink_Live(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Approve(t)
	live := s.SaleIn(t, s.Live, nil, payments.NewPaymentLink{})
	if a := s.Client(t).Get(live.Path()); a.Status != http.StatusOK || a.Find("aside").Length() != 0 {
		t.Errorf("%d, %d bars", a.Status, a.Find("aside").Length())
	}
	modelstest.Exec(t, s.DB, "UPDATE accounts SET production_access = 'REJECTED'")
	if a := s.Client(t).Get(live.Path()); a.Status != http.StatusNotFound {
		t.Errorf("without access: %d", a.Status)
	}
}
