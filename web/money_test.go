package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

// lively is a live account with so much, and a member's client that looks at live.
func lively(t *testing.T) (*site, *client) {
	t.Helper()
	s := newSite(t)
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, true, 1_000_00)
	c := s.member(t)
	c.post("/app/ambiente", "env", "live")
	return s, c
}

// The money is for the roles that look after it, and shows in the menu and at the
// start to those alone.
func TestMoney_Roles(t *testing.T) {
	t.Parallel()
	s, _ := lively(t)
	w := s.Withdraw(t, 10_00)
	d := s.Destination(t, models.RailUSDT)
	c := s.member(t) // whose proof is fresh
	c.post("/app/ambiente", "env", "live")
	pages := []string{
		"/app/saldo", "/app/saldo/extrato.csv", "/app/saques", "/app/saques/novo", "/app/saques/novo/revisar?rail=BRL_PIX&amount=10",
		"/app/saques/" + w.ID, "/app/saques/" + w.ID + "/pedido", "/app/saques/destinos", "/app/saques/destinos/novo",
	}
	for role, may := range map[models.Role]bool{
		models.RoleOwner: true, models.RoleAdmin: true, models.RoleFinance: true, models.RoleDeveloper: false, models.RoleViewer: false,
	} {
		s.GiveRole(t, role)
		for _, path := range pages {
			if a := c.get(path); (a.status == http.StatusOK) != may || (a.status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for %s", role, a.status, path)
			} else if !may && !strings.Contains(a.Text(), "Você não tem acesso a esta página") {
				t.Errorf("%s is not told why %s is closed", role, path)
			}
		}
		home := c.get("/app")
		if (home.Find(`nav a[href="/app/saldo"]`).Length() > 0) != may || strings.Contains(home.Find("main").Text(), "Disponível") != may {
			t.Errorf("%s sees the wrong menu or start page", role)
		}
		if may {
			continue
		}
		for _, path := range []string{"/app/saques", "/app/saques/" + w.ID + "/cancelar", "/app/saques/destinos", "/app/saques/destinos/" + d.ID + "/remover"} {
			if a := c.post(path, "key", "k", "rail", "BRL_PIX", "amount", "10"); a.status != http.StatusForbidden {
				t.Errorf("%s gets %d for a form sent to %s", role, a.status, path)
			}
		}
	}
	if now, err := s.Withdrawal(t.Context(), s.Account.ID, true, w.ID); err != nil || now.Status != models.WithdrawalPendingReview {
		t.Errorf("the withdrawal is %s, %v", now.Status, err)
	}
}

// The six amounts are those of the API, each with its meaning, in both environments.
func TestBalance(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	s.DB.Exec("UPDATE accounts SET fee_basis_points = 100")
	paid := s.Checkout(t, payments.NewCheckout{Amount: 123_45})
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	s.Withdraw(t, 250_00)
	if _, err := s.BlockAmount(t.Context(), s.Staff(t), s.Account.ID, true, 30_00, "Contestação <7>."); err != nil {
		t.Fatal(err)
	}
	amounts := func(a answer) (all []string) {
		a.Find("section[aria-label=Saldo] dl dd:nth-of-type(1), section[aria-label=Balance] dl dd:nth-of-type(1)").Each(func(_ int, s *goquery.Selection) { all = append(all, strings.TrimSpace(s.Text())) })
		return all
	}
	a := c.get("/app/saldo")
	if got := strings.Join(amounts(a), " "); got != strings.ReplaceAll("R$ 720,00 R$ 0,00 R$ 250,00 R$ 30,00 R$ 1.000,00 R$ 0,00", "R$ ", "R$\u00a0") {
		t.Errorf("live shows %s", got)
	}
	if !strings.Contains(a.Find("#blocked").Text(), "Contestação <7>.") || a.Find(`a[href="#blocked"]`).Length() != 1 || a.Find(`main a[href="/app/saques/novo"]`).Length() != 1 {
		t.Error("live does not tell why money is blocked, or has no way out")
	}
	c.post("/app/ambiente", "env", "test")
	c.lang = "en"
	a = c.get("/app/saldo")
	if got := strings.Join(amounts(a), " "); got != strings.ReplaceAll("R$ 0.00 R$ 122.22 R$ 0.00 R$ 0.00 R$ 123.45 R$ 1.23", "R$ ", "R$\u00a0") {
		t.Errorf("test shows %s", got)
	}
	if a.Find(`main a[href="/app/saques/novo"]`).Length() != 0 || a.Find("#blocked").Length() != 0 {
		t.Error("test leads to a withdrawal, or tells of blocked money")
	}
	for _, amount := range []string{"Available", "Pending", "Reserved", "Blocked", "Gross received", "Fees"} {
		if !strings.Contains(a.Find("main").Text(), amount) {
			t.Errorf("no %s", amount)
		}
	}
	if a := c.get("/app/cobrancas/" + paid.ID); !strings.Contains(a.Text(), "−R$\u00a01.23") || !strings.Contains(a.Text(), "R$\u00a0122.22") || !strings.Contains(a.Text(), "Available on") {
		t.Error("the charge does not show its fee, its net, or when it is available")
	}
}

// The statement has every movement once over its pages, and its filters stand in the
// address.
func TestStatement(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	for range 14 {
		s.Clock.Advance(time.Second)
		w := s.Withdraw(t, 10_00)
		if _, err := s.CancelWithdrawal(t.Context(), s.Member(), s.Account.ID, w.ID); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(a answer) int { return a.Find("tbody tr").Length() }
	first := c.get("/app/saldo")
	next := first.Find("a[rel=next]").AttrOr("href", "")
	s.Withdraw(t, 20_00) // meanwhile: it must not shift the second page
	second := c.get(next)
	if rows(first) != 25 || rows(second) != 5 || second.Find("a[rel=prev]").AttrOr("href", "") != "/app/saldo" || second.Find("a[rel=next]").Length() != 0 {
		t.Errorf("%d rows, then %d", rows(first), rows(second))
	}
	if last := second.Find("tbody tr").Last(); !strings.Contains(last.Text(), "Pagamento recebido") || !strings.Contains(last.Text(), "+R$\u00a01.000,00") ||
		!strings.Contains(last.Text(), "order-42") || !strings.HasPrefix(last.Find("a").AttrOr("href", ""), "/app/cobrancas/chk_") {
		t.Errorf("the oldest line is %q", last.Text())
	}
	if line := first.Find("tbody tr").First(); !strings.Contains(line.Text(), "Reserva de saque desfeita") || !strings.HasPrefix(line.Find("a").AttrOr("href", ""), "/app/saques/wdr_") {
		t.Errorf("the newest line is %q", line.Text())
	}
	today := "2026-03-02" // the clock began the day before, and a hold passed
	for query, want := range map[string]int{
		"kind=payments": 1, "kind=settlements": 1, "kind=withdrawals": 25, "kind=fees": 0, "kind=nope": 25, "from=" + today: 25, "until=2026-03-01": 0, "from=2026-03-03": 0,
		"kind=payments&from=" + today + "&until=" + today: 1, "cursor=x": 25, "cursor=%00": 25,
	} {
		a := c.get("/app/saldo?" + query)
		if a.status != http.StatusOK || rows(a) != want {
			t.Errorf("%s: %d, %d rows", query, a.status, rows(a))
		}
		if href := a.Find("a[download]").AttrOr("href", ""); want > 0 && strings.Contains(query, "kind=payments") && href != "/app/saldo/extrato.csv?"+mustURL(t, "/?"+query).Query().Encode() {
			t.Errorf("%s: the export is %s", query, href)
		}
	}
	a := c.get("/app/saldo?kind=withdrawals&from=" + today)
	if next := a.Find("a[rel=next]").AttrOr("href", ""); rows(c.get(next)) != 4 || !strings.Contains(next, "kind=withdrawals") || a.Find("#from").AttrOr("value", "") != today || a.Find("#kind option[selected]").AttrOr("value", "") != "withdrawals" {
		t.Errorf("the filter is lost on the second page: %s", next)
	}
	for query, field := range map[string]string{"from=2026-03-02&until=2026-03-01": "until", "from=1/2/2026": "from", "until=2026-02-30": "until", "from=%00%ff": "from"} {
		a := c.get("/app/saldo?" + query)
		if a.status != http.StatusUnprocessableEntity || a.Find("#"+field+"-error").Length() != 1 || rows(a) != 0 {
			t.Errorf("%s: %d %q", query, a.status, a.Find("#errors").Text())
		}
		if a := c.get("/app/saldo/extrato.csv?" + query); a.status != http.StatusSeeOther {
			t.Errorf("%s as a file: %d", query, a.status)
		}
	}
}

// ask is the form of a withdrawal, as its review has it.
func (c *client) ask(rail, amount string) []string {
	c.t.Helper()
	a := c.get("/app/saques/novo/revisar?" + url.Values{"rail": {rail}, "amount": {amount}}.Encode())
	var pairs []string
	a.Find("main form[action='/app/saques'] input").Each(func(_ int, s *goquery.Selection) { pairs = append(pairs, s.AttrOr("name", ""), s.AttrOr("value", "")) })
	if len(pairs) == 0 {
		c.t.Fatalf("no review of %s by %s: %d %s", amount, rail, a.status, a.Find("main").Text())
	}
	return pairs
}

// with is the form with another value in a field.
func with(pairs []string, field, value string) []string {
	changed := append([]string(nil), pairs...)
	for i := 0; i < len(changed); i += 2 {
		if changed[i] == field {
			changed[i+1] = value
		}
	}
	return changed
}

// A form makes one withdrawal, however often it is sent; it is the one reviewed.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	s.DB.Exec("UPDATE accounts SET withdrawal_fee_fixed = 150")
	review := c.get("/app/saques/novo/revisar?rail=BRL_PIX&amount=1.000%2C00")
	for _, fact := range []string{"R$\u00a01.000,00", "−R$\u00a01,50", "R$\u00a0998,50", "12ABC34501DE35", "Ateliê Aurora Ltda", "não dá para desfazer"} {
		if !strings.Contains(review.Find("main").Text(), fact) {
			t.Errorf("the review does not show %q", fact)
		}
	}
	form := c.ask("BRL_PIX", "400,00")
	place := c.post("/app/saques", form...).header.Get("Location")
	for range 2 {
		if again := c.post("/app/saques", form...).header.Get("Location"); again != place {
			t.Errorf("sent again, the form leads to %s", again)
		}
	}
	done := c.get(place)
	if done.status != http.StatusOK || !strings.Contains(done.Text(), "Saque pedido") || !strings.Contains(place, done.Find("#reference").AttrOr("value", "-")) {
		t.Fatalf("%s: %d", place, done.status)
	}
	page, err := s.AccountWithdrawals(t.Context(), true, models.WithdrawalFilter{AccountID: s.Account.ID, Limit: 10})
	if err != nil || len(page.Withdrawals) != 1 || page.Withdrawals[0].Amount != 400_00 || page.Withdrawals[0].RequestedBy != s.Owner.UserID {
		t.Fatalf("made %+v, %v", page.Withdrawals, err)
	}
	a := c.post("/app/saques", with(form, "amount", "100,00")...)
	if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), "já pediu um saque") || a.Find("#amount").AttrOr("value", "") != "100,00" {
		t.Errorf("changed and sent again: %d %q", a.status, a.Find("#errors").Text())
	}
	fresh := c.ask("BRL_PIX", "100")
	for name, stale := range map[string][]string{"fee": with(fresh, "fee", "0.00"), "destination": with(fresh, "destination", "dst_00000000000000000000"), "form": with(fresh, "fee", "x")} {
		a := c.post("/app/saques", stale...)
		if a.status != http.StatusConflict || !strings.Contains(a.Find("[role=alert]").Text(), "Algo mudou") || a.Find("input[name=fee]").AttrOr("value", "") != "1.50" {
			t.Errorf("another %s: %d %q", name, a.status, a.Find("main").Text())
		}
	}
	if got := c.post("/app/saques", fresh...); got.status != http.StatusSeeOther {
		t.Errorf("after what was refused: %d", got.status)
	}
	if a := c.post("/app/saques/" + strings.Split(place, "/")[3] + "/cancelar"); a.status != http.StatusSeeOther || !strings.Contains(c.get(strings.TrimSuffix(place, "/pedido")).Text(), "Saque cancelado") {
		t.Errorf("cancelled: %d", a.status)
	}
	c.post("/app/saques/" + strings.Split(place, "/")[3] + "/cancelar")
	if a := c.get(place); a.status != http.StatusSeeOther || !strings.Contains(c.get(a.header.Get("Location")).Text(), "não está mais em análise") {
		t.Errorf("cancelled twice: %d", a.status)
	}
}

// What is wrong stands beside its field, and nothing typed is lost.
func TestWithdraw_Wrong(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	for _, tc := range []struct{ rail, amount, field, says string }{
		{"BRL_PIX", "", "amount", "de R$\u00a05,00 a R$\u00a050.000,00"}, {"BRL_PIX", "abc", "amount", "Digite um valor"}, {"BRL_PIX", "4,99", "amount", "Digite um valor"},
		{"BRL_PIX", "50.000,01", "amount", "Digite um valor"}, {"BRL_PIX", "1.000,01", "amount", "saldo disponível, R$\u00a01.000,00"}, {"", "10", "rail", "Escolha"}, {"X", "10", "rail", "Escolha"},
		{"USDT_WALLET", "10", "rail", "Escolha"}, {"BRL_PIX", "\x00\xff", "amount", "Digite"},
	} {
		a := c.get("/app/saques/novo/revisar?" + url.Values{"rail": {tc.rail}, "amount": {tc.amount}, "key": {"K"}}.Encode())
		if a.status != http.StatusUnprocessableEntity || a.Find("#errors a[href='#"+tc.field+"']").Length() != 1 || !strings.Contains(a.Find("#"+tc.field+"-error").Text(), tc.says) {
			t.Errorf("%+v: %d %q", tc, a.status, a.Find("#errors").Text())
		}
		if typed := a.Find("#amount").AttrOr("value", "-"); typed != strings.ToValidUTF8(strings.ReplaceAll(tc.amount, "\x00", ""), "") && tc.amount != "\x00\xff" || a.Find("input[name=key]").AttrOr("value", "") != "K" {
			t.Errorf("%+v: the form holds %q", tc, typed)
		}
		if a := c.post("/app/saques", "rail", tc.rail, "amount", tc.amount, "key", "K", "fee", "0.00"); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%+v sent at once: %d", tc, a.status)
		}
	}
	if a := c.get("/app/saques/novo?everything=1"); a.Find("#amount").AttrOr("value", "") != "1.000,00" {
		t.Errorf("everything is %q", a.Find("#amount").AttrOr("value", ""))
	}

	s.Destination(t, models.RailUSDT)
	c = s.member(t)
	c.post("/app/ambiente", "env", "live")
	if a := c.get("/app/saques/novo/revisar?rail=USDT_WALLET&amount=100"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#rail-error").Text(), "Sem cotação de USDT agora") {
		t.Errorf("without a quote: %d", a.status)
	}
	price := "5.4321"
	s.SellAt(t, func() string { return price })
	a := c.get("/app/saques/novo/revisar?rail=USDT_WALLET&amount=100")
	for _, fact := range []string{"18,409086\u00a0USDT", "1 USDT = R$\u00a05,4321", "cotação das 09:00:", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"} {
		if !strings.Contains(a.Find("main").Text(), fact) {
			t.Errorf("the review in USDT does not show %q: %s", fact, a.Find("main").Text())
		}
	}
	form := c.ask("USDT_WALLET", "100")
	price = "5.60"
	s.Clock.Advance(time.Minute)
	if a := c.post("/app/saques", form...); a.status != http.StatusConflict || !strings.Contains(a.Text(), "5,6000") {
		t.Errorf("at a worse rate: %d", a.status)
	}

	s.DB.Exec("UPDATE accounts SET withdrawal_fee_fixed = 10000")
	if a := c.get("/app/saques/novo/revisar?rail=BRL_PIX&amount=100"); !strings.Contains(a.Find("#amount-error").Text(), "não cobre a tarifa") {
		t.Errorf("all fee: %d", a.status)
	}
	s.DB.Exec("UPDATE accounts SET withdrawal_fee_fixed = 0")
	s.Service.Withdrawals.DailyMax = 50_00
	if a := c.post("/app/saques", c.ask("BRL_PIX", "60")...); !strings.Contains(a.Find("#amount-error").Text(), "limite de R$\u00a050,00 em 24 horas") {
		t.Errorf("above the limit of a day: %d", a.status)
	}
	for which, says := range map[models.Switch]string{models.SwitchSuspended: "Ordem judicial 123/2026.", models.SwitchWithdrawalsBlocked: "Ordem judicial 123/2026."} {
		form := c.ask("BRL_PIX", "20")
		by := s.reviewer(t, string(which)+"@staff.example", models.StaffSupervisor)
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, which, true, "Ordem judicial 123/2026."); err != nil {
			t.Fatal(err)
		}
		for _, a := range []answer{c.get("/app/saques/novo"), c.get("/app/saques"), c.post("/app/saques", form...), c.get("/app/saques/novo/revisar?rail=BRL_PIX&amount=20")} {
			if !strings.Contains(a.Find("main").Text(), says) || a.Find("#amount").Length() != 0 {
				t.Errorf("%s: %d %q", which, a.status, a.Find("main").Text())
			}
		}
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, which, false, "A ordem foi cumprida."); err != nil {
			t.Fatal(err)
		}
	}
}

// Requests count together with the API's, and one too many keeps what was typed.
func TestWithdraw_Limited(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, web.Limits{Withdrawals: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Second, Burst: 1})})
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, true, 100_00)
	c := s.member(t)
	c.post("/app/ambiente", "env", "live")
	form := c.ask("BRL_PIX", "10")
	c.post("/app/saques", form...)
	a := c.post("/app/saques", form...)
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || !strings.Contains(a.Find("#errors").Text(), "Espere 1 s") || a.Find("#amount").AttrOr("value", "") != "10" {
		t.Errorf("%d %q", a.status, a.Find("#errors").Text())
	}
}

// Withdrawals are live's, and wait for approval and for a destination.
func TestWithdrawals_Gates(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for _, path := range []string{"/app/saques", "/app/saques/novo", "/app/saques/destinos", "/app/saques/destinos/novo", "/app/saques/novo/revisar?rail=BRL_PIX&amount=10"} {
		if a := c.get(path); a.status != http.StatusOK || !strings.Contains(a.Text(), "Saques existem só em produção") || a.Find(`main a[href="/app/producao"]`).Length() != 1 {
			t.Errorf("%s in test: %d", path, a.status)
		}
	}
	for _, path := range []string{"/app/saques", "/app/saques/destinos"} {
		if a := c.post(path, "rail", "BRL_PIX", "amount", "10", "type", "EMAIL", "address", "a@example.com", "holderName", "Ana"); !strings.Contains(a.Text(), "Saques existem só em produção") {
			t.Errorf("a form to %s in test: %d", path, a.status)
		}
	}
	c.post("/app/ambiente", "env", "live")
	if a := c.get("/app/saques"); !strings.Contains(a.Text(), "dependem do acesso à produção") {
		t.Error("the list does not say what withdrawals wait for")
	}
	if a := c.get("/app/saldo"); !strings.Contains(a.Text(), "depende do acesso à produção") || strings.Contains(a.Text(), "R$") {
		t.Error("the balance does not say what it waits for, or shows zeros")
	}
	tasks := func() string {
		var all []string
		c.get("/app/saques/novo").Find("main ol h2").Each(func(_ int, s *goquery.Selection) {
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
	if a := c.post("/app/saques/destinos", "rail", "BRL_PIX", "type", "EMAIL", "address", " Ana@Example.com ", "holderName", "Ana Lima"); a.status != http.StatusSeeOther {
		t.Fatalf("a destination: %d %s", a.status, a.Find("#errors").Text())
	}
	state("Acesso à produção Concluído Destino aprovado Aguardando Espera de segurança Depois")
	all, err := models.Destinations(t.Context(), s.DB.Pool, models.DestinationFilter{AccountID: s.Account.ID, Limit: 1})
	if err != nil || len(all) != 1 || all[0].Masked != "a***@example.com" {
		t.Fatalf("%+v, %v", all, err)
	}
	by := s.Staff(t)
	if err := s.RejectDestination(t.Context(), by, all[0].ID, all[0].Version, "DATA_MISMATCH", "O titular é outro."); err != nil {
		t.Fatal(err)
	}
	if a := c.get("/app/saques/novo"); !strings.Contains(a.Text(), "recusado: O titular é outro.") {
		t.Error("the tasks do not say why the destination was rejected")
	}
	d, err := s.RequestDestination(t.Context(), s.Member(), s.Account.ID, payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "ana@example.com", HolderName: "Ana"})
	if err == nil {
		err = s.ApproveDestination(t.Context(), by, d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	state("Acesso à produção Concluído Destino aprovado Concluído Espera de segurança Aguardando")
	s.Clock.Advance(paymentstest.Policy.Hold)
	c = s.member(t)
	c.post("/app/ambiente", "env", "live")
	if a := c.get("/app/saques/novo"); a.Find("input[name=rail][checked]").AttrOr("value", "") != "BRL_PIX" {
		t.Errorf("ready: %d", a.status)
	}
}

// Destinations are checked as they are typed, masked, and replaced in time.
func TestDestinations(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	for _, tc := range []struct{ rail, kind, address, field, says string }{
		{"BRL_PIX", "CPF", "529.982.247-24", "address", "dígitos verificadores deste CPF"}, {"BRL_PIX", "CPF", "1", "address", "11 números"},
		{"BRL_PIX", "CNPJ", "12.ABC.345/01DE-36", "address", "dígitos verificadores deste CNPJ"}, {"BRL_PIX", "CNPJ", "", "address", "14 letras e números"},
		{"BRL_PIX", "PHONE", "911", "address", "celular com DDD"}, {"BRL_PIX", "EMAIL", "ana@", "address", "nome@exemplo"}, {"BRL_PIX", "EVP", "123", "address", "chave aleatória"},
		{"BRL_PIX", "TRON", "x", "type", "Escolha"}, {"BRL_PIX", "", "", "type", "Escolha"}, {"USDT_WALLET", "CPF", "x", "type", "Escolha"},
		{"USDT_WALLET", "TRON", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU8", "address", "erro de digitação"}, {"USDT_WALLET", "TRON", "0x1", "address", "começa com T"},
		{"USDT_WALLET", "TRON", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "address", "não é o endereço de uma carteira"}, {"USDT_WALLET", "ETHEREUM", "T1", "address", "começa com 0x"},
		{"USDT_WALLET", "POLYGON", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "address", "erro de digitação"},
		{"USDT_WALLET", "POLYGON", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "address", "não tem dígitos de verificação"},
		{"BRL_PIX", "EMAIL", "\x00\xff", "address", "nome@exemplo"},
	} {
		a := c.post("/app/saques/destinos", "rail", tc.rail, "type", tc.kind, "address", tc.address, "holderName", " ")
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#"+tc.field+"-error").Text(), tc.says) || a.Find("#holderName-error").Length() != 1 {
			t.Errorf("%+v: %d %q", tc, a.status, a.Find("#errors").Text())
		}
		if typed := a.Find("#address").AttrOr("value", "-"); typed != tc.address && tc.address != "\x00\xff" {
			t.Errorf("%+v: the form holds %q", tc, typed)
		}
	}
	if a := c.get("/app/saques/destinos/novo"); !strings.Contains(a.Text(), "Este destino vai substituir **.***.345/01DE-**") || !strings.Contains(a.Text(), "esperar 24 horas") {
		t.Error("the form does not say what is replaced, and when")
	}
	lower := []string{"rail", "USDT_WALLET", "type", "POLYGON", "address", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "holderName", "Ana Lima", "checked", "1"}
	if a := c.post("/app/saques/destinos", lower...); a.status != http.StatusSeeOther {
		t.Errorf("an address without a checksum, looked at twice: %d", a.status)
	}
	if a := c.post("/app/saques/destinos", lower...); a.status != http.StatusConflict || !strings.Contains(a.Text(), "Um destino já está em análise") {
		t.Errorf("a second one in review: %d", a.status)
	}
	s.Clock.Advance(time.Second)
	phone := []string{"rail", "BRL_PIX", "type", "PHONE", "address", "(11) 98765-4321", "holderName", "Ana Lima"}
	if a := c.post("/app/saques/destinos", phone...); a.status != http.StatusSeeOther {
		t.Fatalf("a phone: %d", a.status)
	}
	states := func() (all []string) {
		c.get("/app/saques/destinos").Find("main ul li").Each(func(_ int, s *goquery.Selection) {
			all = append(all, strings.Join(strings.Fields(s.Find("p").First().Text()+" "+s.Find("p + span").Text()), " "))
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
	if body := c.get("/app/saques/destinos").body; strings.Contains(body, "98765") || strings.Contains(body, "12ABC") {
		t.Error("the list shows a whole key")
	}
	if a := c.get("/app/saques/novo"); !strings.Contains(a.Text(), "**.***.345/01DE-**") || strings.Contains(a.Text(), "4321") {
		t.Error("what is on hold can be withdrawn to, or what is replaced later cannot")
	}
	if a := c.post("/app/saques/destinos/" + all[1].ID + "/remover"); a.status != http.StatusSeeOther {
		t.Errorf("removed: %d", a.status)
	}
	if c.post("/app/saques/destinos/" + all[1].ID + "/remover"); !strings.Contains(c.get("/app/saques/destinos").Text(), "já não podia ser removido") {
		t.Error("removed twice")
	}
	s.Clock.Advance(paymentstest.Policy.Hold)
	if a := c.post("/app/saques/destinos", phone...); a.Find("input[name=garoupa_proof]").Length() != 1 {
		t.Errorf("a day later nobody asks who it is: %d", a.status)
	}
	c = s.member(t)
	c.post("/app/ambiente", "env", "live")
	show("+55 11 *****-4321 Em uso", "0x5aae…1beaed Removido", "**.***.345/01DE-** Substituído")
}

// Nothing of another account, or of live from test, can be looked at or changed.
func TestMoney_Strangers(t *testing.T) {
	t.Parallel()
	s, _ := lively(t)
	w, d := s.Withdraw(t, 10_00), s.Destination(t, models.RailUSDT)
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia", Business: "Outra", Email: "bia@example.com", Password: paymentstest.Password}, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	s.DB.Exec("UPDATE accounts SET production_access = 'APPROVED'")
	stranger := s.client(t)
	stranger.post("/entrar", "email", "bia@example.com", "password", paymentstest.Password)
	stranger.post("/app/ambiente", "env", "live")
	owner := s.member(t) // who looks at test
	for name, c := range map[string]*client{"a stranger": stranger, "the owner in test": owner} {
		for _, path := range []string{"/app/saques/" + w.ID, "/app/saques/" + w.ID + "/pedido", "/app/saques/wdr_x", "/app/saques/%00"} {
			if a := c.get(path); a.status != http.StatusNotFound {
				t.Errorf("%s gets %d for %s", name, a.status, path)
			}
		}
		for _, path := range []string{"/app/saques/" + w.ID + "/cancelar", "/app/saques/destinos/" + d.ID + "/remover", "/app/saques/destinos/%ff/remover"} {
			if a := c.post(path); a.status != http.StatusNotFound {
				t.Errorf("%s gets %d for a form to %s", name, a.status, path)
			}
		}
		if a := c.get("/app/saldo"); strings.Contains(a.Find("tbody").Text(), "Pagamento") {
			t.Errorf("%s sees the statement", name)
		}
	}
}
