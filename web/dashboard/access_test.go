package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/webtest"
)

// A merchant asks for access, checks what it wrote and sends it, once.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	c.Post("/app/primeiros-passos", "way", "api")
	if a := c.Get("/app"); !strings.Contains(a.Find("main").Text(), "Solicite acesso à produção") ||
		a.Find(`main a[href="/app/producao"]`).Length() != 1 {
		t.Error("the first steps do not lead to production access")
	}
	if a := c.Get("/app/producao"); a.Find(`a[href="/app/producao/pedido"]`).Length() != 1 {
		t.Errorf("no way to the form: %s", a.Find("main").Text())
	}
	if a := c.Get("/app/producao/pedido"); a.Find("#contactEmail").AttrOr("value", "") != s.Email ||
		a.Find("#legalName").AttrOr("value", "") != s.Account.Name {
		t.Error("what is known is asked again")
	}

	a := c.Post("/app/producao/pedido", webtest.AccessAnswers("check")...)
	if a.Status != http.StatusOK || !strings.Contains(a.Find("dl").Text(), "12.ABC.345/01DE-35") ||
		!strings.Contains(a.Find("dl").Text(), "R$\u00a020.000,00") {
		t.Fatalf("checking: %d %s", a.Status, a.Find("main").Text())
	}
	var hidden []string
	for _, field := range a.Find("main input[type=hidden]").EachIter() {
		hidden = append(hidden, field.AttrOr("name", ""), field.AttrOr("value", ""))
	}
	if a := c.Post("/app/producao/pedido", append(hidden, "do", "edit")...); a.Find("#document").AttrOr("value",
		"") != "12.abc.345/01de-35" {
		t.Error("going back loses what was typed")
	}
	if state := s.ProductionAccess(t); state != models.AccessNotRequested {
		t.Fatalf("looking made it %s", state)
	}
	if a := c.Post("/app/producao/pedido", append(hidden, "do",
		"send")...); a.Header.Get("Location") != "/app/producao" {
		t.Fatalf("sending: %d %s", a.Status, a.Find("main").Text())
	}
	if a := c.Get("/app/producao"); !strings.Contains(a.Find("main").Text(), "Em análise") ||
		!strings.Contains(a.Find("main").Text(), "(11) 91234-5678") {
		t.Errorf("in review: %s", a.Find("main").Text())
	}
	c.Post("/app/producao/pedido", append(hidden, "do", "send")...)
	if a := c.Get("/app/producao"); !strings.Contains(a.Find("[role=status]").Text(), "mudou") {
		t.Error("sending twice is not told")
	}
}

// A merchant that is asked back corrects what it said: nothing is typed twice. It may take
// its request back, until it is approved.
func TestAccess_Returned(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Member(t), s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	c.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	s.DecideAccess(t, by, models.AccessRequestReturned)
	s.Clock.Advance(time.Minute)
	a := c.Get("/app/producao")
	if text := a.Find("main").Text(); !strings.Contains(text, "Não ficou claro o que é vendido.") ||
		!strings.Contains(text, "Quais são os prazos de entrega?") || !strings.Contains(text, "Corrigir e reenviar") {
		t.Errorf("asked back: %s", text)
	}
	a = c.Get("/app/producao/pedido")
	for id, want := range map[string]string{
		"#legalName": "Aurora Cerâmica Ltda", "#document": "12.ABC.345/01DE-35", "#website": "https://aurora.example",
		"#monthlyVolume": "20.000,00",
		"#contactName":   "Ana Lima", "#contactEmail": "ana@aurora.example", "#contactPhone": "(11) 91234-5678",
	} {
		if got := a.Find(id).AttrOr("value", ""); got != want {
			t.Errorf("%s has %q, want %q", id, got, want)
		}
	}
	c.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	c.Post("/app/producao/retirar")
	s.Clock.Advance(time.Minute)
	if state := s.ProductionAccess(t); state != models.AccessNotRequested {
		t.Errorf("withdrawn, it is %s", state)
	}
	c.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	s.DecideAccess(t, by, models.AccessRequestApproved)
	if a := c.Get("/app/producao"); !strings.Contains(a.Find("main").Text(), "Seu acesso à produção foi aprovado") {
		t.Errorf("approved: %s", a.Find("main").Text())
	}
	if a := c.Get("/app/producao/pedido"); a.Status != http.StatusSeeOther {
		t.Errorf("the form of who has access: %d", a.Status)
	}
}

// What is wrong is named beside its field, in both languages, and nothing typed is
// lost; developers see the state and no form.
func TestAccess_Wrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, do := range []string{"check", "send"} {
		for lang, want := range map[string]string{"pt-BR": "Digite um CNPJ ou CPF válido",
			"en": "Enter a valid CNPJ or CPF"} {
			c.Lang = lang
			a := c.Post("/app/producao/pedido", "legalName", "Aurora <b>", "document", "123", "sells",
				"linha 1\r\nlinha 2", "monthlyVolume", "muito", "do", do)
			if a.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(a.Find("#document-error").Text(), want) || a.Find("#errors li").Length() != 5 {
				t.Errorf("%s: %d %s", lang, a.Status, a.Find("#errors").Text())
			}
			if a.Find("#legalName").AttrOr("value", "") != "Aurora <b>" ||
				a.Find("#sells").Text() != "linha 1\nlinha 2" ||
				a.Find("#monthlyVolume").AttrOr("value", "") != "muito" {
				t.Errorf("lost: %s", a.Find("form").Text())
			}
		}
	}
	c.Lang = "pt-BR"
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.Get("/app/producao"); a.Status != http.StatusOK || a.Find("main a[href], main form").Length() != 0 {
		t.Errorf("a developer sees %s", a.Find("main").Text())
	}
	if a := c.Get("/app/producao/pedido"); a.Status != http.StatusSeeOther {
		t.Errorf("a developer gets the form: %d", a.Status)
	}
	for _, path := range []string{"/app/producao/pedido", "/app/producao/retirar"} {
		if a := c.Post(path, webtest.AccessAnswers("send")...); a.Status != http.StatusForbidden {
			t.Errorf("POST %s as a developer: %d", path, a.Status)
		}
	}
}

// The next steps of an approved merchant are ticked by what is done, and the button leads to the
// first that is not.
func TestAccess_NextSteps(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	check := func(done int, action string) {
		t.Helper()
		next := c.Get("/app/producao").Find("section[aria-labelledby=next]")
		if ticks := next.Find("h3 .sr-only").Length(); ticks != done || !strings.Contains(next.Text(), action) {
			t.Errorf("%d steps are done, want %d and %q: %s", ticks, done, action, next.Text())
		}
	}
	check(0, "Ir para as chaves de produção")
	c.Post("/app/ambiente", "env", "live")
	check(1, "Criar chave")
	if _, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Live,
		merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration}); err != nil {
		t.Fatal(err)
	}
	check(2, "Cadastrar")
	if _, _, err := s.Merchants.CreateEndpoint(t.Context(), s.Owner, s.Live,
		merchants.NewEndpoint{URL: "https://shop.example/hook", Types: []string{"checkout.paid"}}); err != nil {
		t.Fatal(err)
	}
	check(3, "Tudo pronto para vender em Produção.")
}

// A switch that is on is told in words, with why.
func TestSwitches(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Member(t), s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	for which, want := range map[models.Switch]string{
		models.SwitchSuspended:          "Sua conta está suspensa desde 1 de mar. de 2026",
		models.SwitchLiveBlocked:        "Cobranças e links de produção estão bloqueados desde",
		models.SwitchWithdrawalsBlocked: "Seus saques estão bloqueados desde",
	} {
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
			merchants.SwitchTurn{Switch: which, On: true, Reason: "Motivo de " + string(which)}); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/app", "/app/producao"} {
			if text := c.Get(path).Find("main").Text(); !strings.Contains(text, want) ||
				!strings.Contains(text, "Motivo de "+string(which)) {
				t.Errorf("%s does not tell of %s", path, which)
			}
		}
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
			merchants.SwitchTurn{Switch: which, On: false, Reason: "Passou o motivo."}); err != nil {
			t.Fatal(err)
		}
		if text := c.Get("/app").Find("main").Text(); strings.Contains(text, "Motivo de") {
			t.Errorf("%s is off and still told", which)
		}
	}
}

// A merchant whose sales are stopped is not told to sell, but why not; in test everything goes on.
func TestSwitches_NoSales(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c, by := s.Member(t), s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	s.Fund(t, models.Live, 100_00)
	s.Fund(t, models.Test, 100_00)
	offers := func() (n int) {
		for _, path := range []string{"/app", "/app/cobrancas", "/app/links"} {
			n += c.Get(path).Find("main a[href='/app/cobrancas/nova'], main a[href='/app/links/novo']").Length()
		}
		return n
	}
	for _, which := range []models.Switch{models.SwitchSuspended, models.SwitchLiveBlocked} {
		turn := func(on bool) {
			t.Helper()
			if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
				merchants.SwitchTurn{Switch: which, On: on, Reason: "Documentos a conferir."}); err != nil {
				t.Fatal(err)
			}
		}
		turn(true)
		c.Post("/app/ambiente", "env", "live")
		for _, path := range []string{"/app/cobrancas/nova", "/app/links/novo"} {
			if a := c.Get(path); a.Header.Get("Location") != "/app" {
				t.Errorf("%s with %s: %d to %q", path, which, a.Status, a.Header.Get("Location"))
			}
		}
		if text := c.Get("/app").Text(); !strings.Contains(text, "Cobranças e links de produção estão parados") ||
			strings.Contains(text, "Tudo pronto para vender") {
			t.Errorf("with %s the start page says %s", which, text)
		}
		if n := offers(); n != 0 {
			t.Errorf("with %s pages offer to sell %d times", which, n)
		}
		c.Post("/app/ambiente", "env", "test")
		if offers() == 0 {
			t.Errorf("with %s pages of test offer no sale", which)
		}
		turn(false)
	}
	c.Post("/app/ambiente", "env", "live")
	if offers() == 0 {
		t.Error("pages offer no sale after the switch is off")
	}
}
