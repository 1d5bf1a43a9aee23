package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// In test there is nothing to withdraw: every page about it leads to production access.
func TestWithdrawals_OnlyLive(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, path := range []string{"/app/saques", "/app/saques/novo", "/app/saques/destinos",
		"/app/saques/destinos/novo", "/app/saques/novo/revisar?rail=BRL_PIX&amount=10"} {
		if a := c.Get(path); a.Status != http.StatusOK ||
			!strings.Contains(a.Text(), "Saques existem só em produção") ||
			a.Find(`main a[href="/app/producao"]`).Length() != 1 {
			t.Errorf("%s in test: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/app/saques", "/app/saques/destinos"} {
		if a := c.Post(path, "rail", "BRL_PIX", "amount", "10", "type", "EMAIL", "address", "a@example.com",
			"holderName", "Ana"); !strings.Contains(a.Text(), "Saques existem só em produção") {
			t.Errorf("a form to %s in test: %d", path, a.Status)
		}
	}
}

// Withdrawals are live's, and wait for approval and for a destination.
func TestWithdrawals_Gates(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.ToLive(t, c)
	if a := c.Get("/app/saques"); !strings.Contains(a.Text(), "dependem do acesso à produção") {
		t.Error("the list does not say what withdrawals wait for")
	}
	if a := c.Get("/app/saldo"); !strings.Contains(a.Text(), "depende do acesso à produção") ||
		strings.Contains(a.Text(), "R$") {
		t.Error("the balance does not say what it waits for, or shows zeros")
	}
	tasks := func() string {
		var all []string
		c.Get("/app/saques/novo").Find("main ol h2").Each(func(_ int, s *goquery.Selection) {
			badge := s.Find("span").Last()
			all = append(all, strings.Fields(s.Contents().First().Text()+" "+badge.Text())...)
		})
		return strings.Join(all, " ")
	}
	state := func(want string) {
		t.Helper()
		if got := tasks(); got != want {
			t.Errorf("the tasks are %q, want %q", got, want)
		}
	}
	state("Acesso à produção A fazer Destino aprovado A fazer Espera de segurança Depois")
	s.Approve(t)
	state("Acesso à produção Concluído Destino aprovado A fazer Espera de segurança Depois")
	if a := c.Post("/app/saques/destinos", "rail", "BRL_PIX", "type", "EMAIL", "address", " Ana@Example.com ",
		"holderName", "Ana Lima"); a.Status != http.StatusSeeOther {
		t.Fatalf("a destination: %d %s", a.Status, a.Find("#errors").Text())
	}
	state("Acesso à produção Concluído Destino aprovado Aguardando Espera de segurança Depois")
	all, err := models.Destinations(t.Context(), s.DB.Pool, models.DestinationFilter{AccountID: s.Account.ID, Limit: 1})
	if err != nil || len(all) != 1 || all[0].Masked != "a***@example.com" {
		t.Fatalf("%+v, %v", all, err)
	}
	by := s.Staff(t)
	if err := s.RejectDestination(t.Context(), by, all[0].ID, all[0].Version, "DATA_MISMATCH",
		"O titular é outro."); err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/app/saques/novo"); !strings.Contains(a.Text(), "recusado: O titular é outro.") {
		t.Error("the tasks do not say why the destination was rejected")
	}
	d, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "ana@example.com", HolderName: "Ana"})
	if err == nil {
		err = s.ApproveDestination(t.Context(), by, d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	state("Acesso à produção Concluído Destino aprovado Concluído Espera de segurança Aguardando")
	s.Clock.Advance(paymentstest.Policy.Hold)
	c = s.Member(t)
	s.ToLive(t, c)
	if a := c.Get("/app/saques/novo"); a.Find("input[name=rail][checked]").AttrOr("value", "") != "BRL_PIX" {
		t.Errorf("ready: %d", a.Status)
	}
}

// Destinations are checked as they are typed, masked, and replaced in time.
func TestDestinations(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	refusesDestinations(t, c)
	if a := c.Get("/app/saques/destinos/novo"); !strings.Contains(a.Text(),
		"Esta chave vai substituir a chave Pix **.***.345/01DE-**") ||
		!strings.Contains(a.Text(), "por mais 24 horas") {
		t.Error("the form does not say what is replaced, and when")
	}
	lower := []string{"rail", "USDT_WALLET", "type", "POLYGON", "address", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		"holderName", "Ana Lima", "checked", "1"}
	if a := c.Post("/app/saques/destinos", lower...); a.Status != http.StatusSeeOther {
		t.Errorf("an address without a checksum, looked at twice: %d", a.Status)
	}
	if a := c.Post("/app/saques/destinos", lower...); a.Status != http.StatusConflict ||
		!strings.Contains(a.Text(), "Um destino já está em análise") {
		t.Errorf("a second one in review: %d", a.Status)
	}
	s.Clock.Advance(time.Second)
	phone := []string{"rail", "BRL_PIX", "type", "PHONE", "address", "(11) 98765-4321", "holderName", "Ana Lima"}
	if a := c.Post("/app/saques/destinos", phone...); a.Status != http.StatusSeeOther {
		t.Fatalf("a phone: %d", a.Status)
	}
	states := func() (all []string) {
		c.Get("/app/saques/destinos").Find("main ul li").Each(func(_ int, s *goquery.Selection) {
			all = append(all,
				strings.Join(strings.Fields(s.Find("p").First().Text()+" "+s.Find("p + span").Text()), " "))
		})
		return all
	}
	show := func(want ...string) {
		t.Helper()
		if got := states(); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("the list is %q, want %q", got, want)
		}
	}
	show("+55 11 *****-4321 Em análise", "0x5aae…1beaed Em análise", "**.***.345/01DE-** Em uso")
	all, err := models.Destinations(t.Context(), s.DB.Pool, models.DestinationFilter{AccountID: s.Account.ID, Limit: 3})
	if err == nil {
		err = s.ApproveDestination(t.Context(), s.Staff(t), all[0].ID, all[0].Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	show("+55 11 *****-4321 Aprovado, em espera", "0x5aae…1beaed Em análise", "**.***.345/01DE-** Em uso")
	if body := webtest.WithoutRandom(c.Get("/app/saques/destinos").Body); strings.Contains(body, "98765") ||
		strings.Contains(body, "12ABC") {
		t.Error("the list shows a whole key")
	}
	if a := c.Get("/app/saques/novo"); !strings.Contains(a.Text(), "**.***.345/01DE-**") ||
		strings.Contains(a.Text(), "4321") {
		t.Error("what is on hold can be withdrawn to, or what is replaced later cannot")
	}
	if a := c.Post("/app/saques/destinos/" + all[1].ID + "/remover"); a.Status != http.StatusSeeOther {
		t.Errorf("removed: %d", a.Status)
	}
	if c.Post("/app/saques/destinos/" + all[1].ID + "/remover"); !strings.Contains(c.Get("/app/saques/destinos").Text(),
		"já não podia ser removido") {
		t.Error("removed twice")
	}
	s.Clock.Advance(paymentstest.Policy.Hold)
	if a := c.Post("/app/saques/destinos", phone...); a.Find("input[name=garoupa_proof]").Length() != 1 {
		t.Errorf("a day later nobody asks who it is: %d", a.Status)
	}
	c = s.Member(t)
	s.ToLive(t, c)
	show("+55 11 *****-4321 Em uso", "0x5aae…1beaed Removido", "**.***.345/01DE-** Substituído")
}

// refusesDestinations types what is no destination, in every way.
func refusesDestinations(t *testing.T, c *webtest.Client) {
	t.Helper()
	for _, tc := range []struct{ rail, kind, address, field, says string }{
		{"BRL_PIX", "CPF", "529.982.247-24", "address", "dígitos verificadores deste CPF"},
		{"BRL_PIX", "CPF", "1", "address", "11 números"},
		{"BRL_PIX", "CNPJ", "12.ABC.345/01DE-36", "address", "dígitos verificadores deste CNPJ"},
		{"BRL_PIX", "CNPJ", "", "address", "14 letras e números"},
		{"BRL_PIX", "PHONE", "911", "address", "celular com DDD"},
		{"BRL_PIX", "EMAIL", "ana@", "address", "nome@exemplo"},
		{"BRL_PIX", "EVP", "123", "address", "chave aleatória"},
		{"BRL_PIX", "TRON", "x", "type", "Escolha"}, {"BRL_PIX", "", "", "type", "Escolha"},
		{"USDT_WALLET", "CPF", "x", "type", "Escolha"},
		{"USDT_WALLET", "TRON", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU8", "address", "erro de digitação"},
		{"USDT_WALLET", "TRON", "0x1", "address", "começa com T"},
		{"USDT_WALLET", "TRON", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "address", "não é o endereço de uma carteira"},
		{"USDT_WALLET", "ETHEREUM", "T1", "address", "começa com 0x"},
		{"USDT_WALLET", "POLYGON", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "address", "erro de digitação"},
		{"USDT_WALLET", "POLYGON", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "address",
			"não tem dígitos de verificação"},
		{"BRL_PIX", "EMAIL", "\x00\xff", "address", "nome@exemplo"},
	} {
		a := c.Post("/app/saques/destinos", "rail", tc.rail, "type", tc.kind, "address", tc.address, "holderName", " ")
		if a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Find("#"+tc.field+"-error").Text(), tc.says) ||
			a.Find("#holderName-error").Length() != 1 {
			t.Errorf("%+v: %d %q", tc, a.Status, a.Find("#errors").Text())
		}
		if typed := a.Find("#address").AttrOr("value", "-"); typed != tc.address && tc.address != "\x00\xff" {
			t.Errorf("%+v: the form holds %q", tc, typed)
		}
	}
}

// Where a destination may be used as soon as it is approved, no page speaks of a wait.
func TestDestinations_NoHold(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.SetLimits(t, models.Limits{DestinationHold: new(int64)})
	c := s.Member(t)
	s.ToLive(t, c)
	check := func(when, path, want string) {
		t.Helper()
		text := c.Get(path).Find("main").Text()
		if !strings.Contains(text, want) || strings.Contains(text, "0 horas") || strings.Contains(text, "espera") {
			t.Errorf("%s, %s says %q", when, path, text)
		}
	}
	check("without one", "/app/saques/destinos", "Assim que nossa equipe aprovar, você pode sacar")
	check("without one", "/app/saques/novo", "Um destino novo pode ser usado assim que aprovado")
	check("without one", "/app/saques/destinos/novo", "Nossa equipe confere antes do primeiro uso")
	s.Destination(t, models.RailPix)
	c = s.Member(t) // whose proof is fresh
	s.ToLive(t, c)
	check("with one", "/app/saques/destinos/novo",
		"os saques continuam indo para o destino atual. Depois, vão para este")
	if _, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID, payments.NewDestination{Rail: models.RailPix,
		Type: "CNPJ", Address: "12ABC34501DE35", HolderName: "Ateliê Aurora Ltda"}); err != nil {
		t.Fatal(err)
	}
	check("in review", "/app/saques/destinos", "Pode ser usado assim que aprovado")
}
