package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
)

// Nobody must say who they are, but half of it serves nobody.
func TestLink_Buyer(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	buyer := s.client(t)
	for name, c := range map[string]struct{ name, email, field, says string }{
		"only a name":    {"Carla", "", "email", "Digite também o e-mail, ou apague o nome"},
		"only an e-mail": {"", "carla@example.com", "name", "Digite também o nome, ou apague o e-mail"},
		"no e-mail":      {"Carla", "carla@", "email", "Digite um e-mail como"},
		"no domain":      {"Carla", "carla@example", "email", "Digite um e-mail como"},
		"with a name":    {"Carla", "Carla <carla@example.com>", "email", "Digite um e-mail como"},
		"long name":      {strings.Repeat("é", 201), "carla@example.com", "name", "até 200 caracteres"},
		"turned name":    {"Carla \u202e", "carla@example.com", "name", "até 200 caracteres"},
		"broken name":    {"\xff", "carla@example.com", "name", "até 200 caracteres"},
		"long e-mail":    {"Carla", strings.Repeat("a", 250) + "@example.com", "email", "Digite um e-mail como"},
	} {
		a := buyer.post(s.path(), "token", "t", "name", c.name, "email", c.email)
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#"+c.field+"-error").Text(), c.says) || a.Find("#errors li").Length() != 1 {
			t.Errorf("%s: %d %q", name, a.status, a.Find("#errors").Text())
		}
		if got := a.Find("#email").AttrOr("value", ""); got != c.email {
			t.Errorf("%s: the page kept %q", name, got)
		}
	}
	if made := s.checkouts(t); len(made) != 0 {
		t.Errorf("wrong forms made %v", made)
	}
	s.buy(t, buyer, "name", "  ", "email", " ")
	if made := s.checkouts(t); len(made) != 1 {
		t.Errorf("%d checkouts of an empty form", len(made))
	}
}

// A link that cannot be used says whom to ask, and makes nothing.
func TestLink_Inactive(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]func(*testing.T, *sale){
		"link": func(t *testing.T, s *sale) {
			if err := s.Merchants.SwitchPaymentLink(t.Context(), s.Owner, s.Test, s.link, false); err != nil {
				t.Fatal(err)
			}
		},
		"product":   func(t *testing.T, s *sale) { s.update(t, func(p *merchants.ProductForm) { p.Active = false }) },
		"suspended": func(t *testing.T, s *sale) { s.DB.Exec("UPDATE accounts SET suspended = true") },
		"blocked":   func(t *testing.T, s *sale) { s.DB.Exec("UPDATE accounts SET live_blocked = true") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).sale(t, nil)
			buyer := s.client(t)
			open := s.buy(t, buyer) // from when it was on
			off(t, s)
			for _, a := range []answer{buyer.get(s.path()), buyer.post(s.path(), "token", "t"), s.client(t).post(s.path())} {
				if a.status != http.StatusNotFound || a.Find("h1").Text() != "Este link não está mais ativo" || !strings.Contains(a.Text(), "Fale com Ateliê Aurora") || a.Find("main form").Length() != 0 {
					t.Errorf("%d %q", a.status, a.Find("h1").Text())
				}
			}
			if made := s.checkouts(t); len(made) != 1 || "/pay/"+made[0] != open {
				t.Errorf("it made %v", made)
			}
		})
	}
	s := newSite(t).sale(t, nil)
	for _, path := range []string{"/l/plink_0000000000000000", "/l/plink_0", "/l/x", "/l/" + strings.ToUpper(s.link), "/l/%00%ff", s.path() + "%20"} {
		for _, a := range []answer{s.client(t).get(path), s.client(t).post(path)} {
			if a.status != http.StatusNotFound || !strings.Contains(a.Text(), "Confira o link com quem enviou") || strings.Contains(a.Text(), "Ateliê") {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	}
	if a := s.client(t).get("/l"); a.status != http.StatusNotFound {
		t.Errorf("/l: %d", a.status)
	}
}

// When the institution cannot be reached the page stays, with what was typed and
// what to quote; a second press works once it can.
func TestLink_ProviderUnavailable(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, func(p *merchants.ProductForm) { p.Amount = 10_37 }) // the amount that is refused in test
	buyer := s.client(t)
	a := buyer.post(s.path(), "token", "same form", "name", "Carla", "email", "carla@example.com")
	problem := a.Find("[role=alert]").Text()
	if a.status != http.StatusServiceUnavailable || !strings.Contains(problem, "Não foi possível gerar o Pix agora") || !strings.Contains(problem, a.header.Get("Request-Id")) {
		t.Errorf("%d %q", a.status, problem)
	}
	if a.Find("#name").AttrOr("value", "") != "Carla" || a.Find("#email").AttrOr("value", "") != "carla@example.com" || a.Find("input[name=token]").AttrOr("value", "") != "same form" {
		t.Error("the page forgot what was typed")
	}
	if made := s.checkouts(t); len(made) != 0 {
		t.Errorf("it made %v", made)
	}
	s.update(t, func(p *merchants.ProductForm) { p.Amount = 10_00 })
	if a := buyer.post(s.path(), "token", "same form"); a.status != http.StatusSeeOther {
		t.Errorf("the next press: %d", a.status)
	}
}

// A live link sells where the account may, and says so to nobody where it may not.
func TestLink_Live(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Approve(t)
	live := s.saleIn(t, s.Live, nil, payments.NewPaymentLink{})
	if a := s.client(t).get(live.path()); a.status != http.StatusOK || a.Find("aside").Length() != 0 {
		t.Errorf("%d, %d bars", a.status, a.Find("aside").Length())
	}
	s.DB.Exec("UPDATE accounts SET production_access = 'REJECTED'")
	if a := s.client(t).get(live.path()); a.status != http.StatusNotFound {
		t.Errorf("without access: %d", a.status)
	}
}
