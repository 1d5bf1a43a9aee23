package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// lively is a live account with so much, and a member's client that looks at live.
func lively(t *testing.T) (*webtest.Site, *webtest.Client) {
	t.Helper()
	s := webtest.New(t)
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 1_000_00)
	c := s.Member(t)
	s.ToLive(t, c)
	return s, c
}

// The money is for the roles that look after it, and shows in the menu and at the
// start to those alone.
func TestMoney_Roles(t *testing.T) {
	t.Parallel()
	s, _ := lively(t)
	w := s.Withdraw(t, 10_00)
	d := s.Destination(t, models.RailUSDT)
	c := s.Member(t) // whose proof is fresh
	s.ToLive(t, c)
	pages := []string{
		"/app/saldo", "/app/saldo/extrato.csv", "/app/saques", "/app/saques/novo",
		"/app/saques/novo/revisar?rail=BRL_PIX&amount=10",
		"/app/saques/" + w.ID, "/app/saques/" + w.ID + "/pedido", "/app/saques/destinos", "/app/saques/destinos/novo",
	}
	for role, may := range map[models.Role]bool{
		models.RoleOwner: true, models.RoleAdmin: true, models.RoleFinance: true, models.RoleDeveloper: false,
		models.RoleViewer: false,
	} {
		s.GiveRole(t, role)
		for _, path := range pages {
			if a := c.Get(path); (a.Status == http.StatusOK) != may || (a.Status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for %s", role, a.Status, path)
			} else if !may && !strings.Contains(a.Text(), "Você não tem acesso a Sa") { // Saldo or Saques
				t.Errorf("%s is not told why %s is closed", role, path)
			}
		}
		home := c.Get("/app")
		if (home.Find(`nav a[href="/app/saldo"]`).Length() > 0) != may ||
			strings.Contains(home.Find("main").Text(), "Disponível") != may {
			t.Errorf("%s sees the wrong menu or start page", role)
		}
		if may {
			continue
		}
		for _, path := range []string{"/app/saques", "/app/saques/" + w.ID + "/cancelar", "/app/saques/destinos",
			"/app/saques/destinos/" + d.ID + "/remover"} {
			if a := c.Post(path, "key", "k", "rail", "BRL_PIX", "amount", "10"); a.Status != http.StatusForbidden {
				t.Errorf("%s gets %d for a form sent to %s", role, a.Status, path)
			}
		}
	}
	if now, err := s.Withdrawal(t.Context(), s.Account.ID, models.Live, w.ID); err != nil ||
		now.Status != models.WithdrawalPendingReview {
		t.Errorf("the withdrawal is %s, %v", now.Status, err)
	}
}

// The six amounts are those of the API, each with its meaning, in both environments.
func TestBalance(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	s.SetFee(t, money.Fee{BasisPoints: 100})
	paid := s.Checkout(t, payments.NewCheckout{Amount: 123_45})
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	s.Withdraw(t, 250_00)
	if _, err := s.BlockAmount(t.Context(), s.Staff(t), payments.NewBlock{
		AccountID: s.Account.ID, Environment: models.Live, Amount: 30_00, Reason: "Contestação <7>.",
	}); err != nil {
		t.Fatal(err)
	}
	amounts := func(a webtest.Answer) (all []string) {
		for _, amount := range a.Find("section[aria-label=Saldo] dl dd:nth-of-type(1), " +
			"section[aria-label=Balance] dl dd:nth-of-type(1)").EachIter() {
			all = append(all, strings.TrimSpace(amount.Text()))
		}
		return all
	}
	a := c.Get("/app/saldo")
	if got := strings.Join(amounts(a),
		" "); got != strings.ReplaceAll("R$ 720,00 R$ 1.000,00 R$ 0,00 R$ 0,00 R$ 250,00 R$ 30,00", "R$ ", "R$\u00a0") {
		t.Errorf("live shows %s", got)
	}
	if !strings.Contains(a.Find("#blocked").Text(), "Contestação <7>.") || a.Find(`a[href="#blocked"]`).Length() != 1 ||
		a.Find(`main a[href="/app/saques/novo"]`).Length() != 1 {
		t.Error("live does not tell why money is blocked, or has no way out")
	}
	c.Post("/app/ambiente", "env", "test")
	c.Lang = "en"
	a = c.Get("/app/saldo")
	if got := strings.Join(amounts(a), " "); got != "R$0.00 R$123.45 R$1.23 R$122.22 R$0.00 R$0.00" {
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
	if a := c.Get("/app/cobrancas/" + paid.ID); !strings.Contains(a.Text(), "−R$1.23") ||
		!strings.Contains(a.Text(), "R$122.22") || !strings.Contains(a.Text(), "Available on") {
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
		if _, err := s.CancelWithdrawal(t.Context(), s.Owner, s.Account.ID, w.ID); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(a webtest.Answer) int { return a.Find("tbody tr").Length() }
	first := c.Get("/app/saldo")
	next := first.Find("a[rel=next]").AttrOr("href", "")
	s.Withdraw(t, 20_00) // meanwhile: it must not shift the second page
	second := c.Get(next)
	if rows(first) != 25 || rows(second) != 5 || second.Find("a[rel=prev]").AttrOr("href", "") != "/app/saldo" ||
		second.Find("a[rel=next]").Length() != 0 {
		t.Errorf("%d rows, then %d", rows(first), rows(second))
	}
	if last := second.Find("tbody tr").Last(); !strings.Contains(last.Text(), "Pagamento recebido") ||
		!strings.Contains(last.Text(), "+R$\u00a01.000,00") ||
		!strings.Contains(last.Text(), "order-42") ||
		!strings.HasPrefix(last.Find("a").AttrOr("href", ""), "/app/cobrancas/chk_") {
		t.Errorf("the oldest line is %q", last.Text())
	}
	if line := first.Find("tbody tr").First(); !strings.Contains(line.Text(), "Estorno da reserva de saque") ||
		!strings.HasPrefix(line.Find("a").AttrOr("href", ""), "/app/saques/wdr_") {
		t.Errorf("the newest line is %q", line.Text())
	}
	today := "2026-03-02" // the clock began the day before, and a hold passed
	for query, want := range map[string]int{
		"kind=payments": 1, "kind=settlements": 1, "kind=withdrawals": 25, "kind=fees": 0, "kind=nope": 25,
		"from=" + today: 25, "until=2026-03-01": 0, "from=2026-03-03": 0,
		"kind=payments&from=" + today + "&until=" + today: 1, "cursor=x": 25, "cursor=%00": 25,
	} {
		a := c.Get("/app/saldo?" + query)
		if a.Status != http.StatusOK || rows(a) != want {
			t.Errorf("%s: %d, %d rows", query, a.Status, rows(a))
		}
		if href := a.Find("a[download]").AttrOr("href", ""); want > 0 && strings.Contains(query, "kind=payments") &&
			href != "/app/saldo/extrato.csv?"+webtest.URL(t, "/?"+query).Query().Encode() {
			t.Errorf("%s: the export is %s", query, href)
		}
	}
	a := c.Get("/app/saldo?kind=withdrawals&from=" + today)
	if next := a.Find("a[rel=next]").AttrOr("href", ""); rows(c.Get(next)) != 4 ||
		!strings.Contains(next, "kind=withdrawals") || a.Find("#from").AttrOr("value", "") != today ||
		a.Find("#kind option[selected]").AttrOr("value", "") != "withdrawals" {
		t.Errorf("the filter is lost on the second page: %s", next)
	}
	for query, field := range map[string]string{
		"from=2026-03-02&until=2026-03-01": "until", "from=1/2/2026": "from", "until=2026-02-30": "until",
		"from=abc": "from",
	} {
		a := c.Get("/app/saldo?" + query)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#"+field+"-error").Length() != 1 || rows(a) != 0 {
			t.Errorf("%s: %d %q", query, a.Status, a.Find("#errors").Text())
		}
		if a := c.Get("/app/saldo/extrato.csv?" + query); a.Status != http.StatusSeeOther {
			t.Errorf("%s as a file: %d", query, a.Status)
		}
	}
}

// Nothing of another account, or of live from test, can be looked at or changed.
func TestMoney_Strangers(t *testing.T) {
	t.Parallel()
	s, _ := lively(t)
	w, d := s.Withdraw(t, 10_00), s.Destination(t, models.RailUSDT)
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia", Business: "Outra",
		Email: "bia@example.com", Password: paymentstest.Password}, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, "UPDATE accounts SET production_access = 'APPROVED'")
	stranger := s.Client(t)
	stranger.Post("/entrar", "email", "bia@example.com", "password", paymentstest.Password)
	stranger.Post("/app/ambiente", "env", "live")
	owner := s.Member(t) // who looks at test
	for name, c := range map[string]*webtest.Client{"a stranger": stranger, "the owner in test": owner} {
		for _, path := range []string{"/app/saques/" + w.ID, "/app/saques/" + w.ID + "/pedido", "/app/saques/wdr_x",
			"/app/saques/%00"} {
			if a := c.Get(path); a.Status != http.StatusNotFound {
				t.Errorf("%s gets %d for %s", name, a.Status, path)
			}
		}
		for _, path := range []string{"/app/saques/" + w.ID + "/cancelar", "/app/saques/destinos/" + d.ID + "/remover",
			"/app/saques/destinos/%ff/remover"} {
			if a := c.Post(path); a.Status != http.StatusNotFound {
				t.Errorf("%s gets %d for a form to %s", name, a.Status, path)
			}
		}
		if a := c.Get("/app/saldo"); strings.Contains(a.Find("tbody").Text(), "Pagamento") {
			t.Errorf("%s sees the statement", name)
		}
	}
}

// In test, a merchant with production access is led to live, to the same page, and one without
// to asking for access.
func TestWithdrawals_InTest(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	paths := []string{"/app/saques", "/app/saques/novo", "/app/saques/destinos", "/app/saques/destinos/novo"}
	for _, approved := range []bool{false, true} {
		if approved {
			s.GoLive(t)
		}
		for _, path := range paths {
			main := c.Get(path).Find("main")
			ask := main.Find(".btn-primary[href='/app/producao']").Length()
			to := main.Find("form:has(button[name=env][value=live]) input[name=next]").AttrOr("value", "")
			if (ask == 0) != approved || (to == path) != approved {
				t.Errorf("approved %t: %s leads to access %d times, and in live to %q", approved, path, ask, to)
			}
		}
	}
	if a := c.Post("/app/ambiente", "env", "live", "next", "/app/saques/novo", "there",
		"1"); a.Header.Get("Location") != "/app/saques/novo" {
		t.Errorf("switching leads to %q", a.Header.Get("Location"))
	}
}
