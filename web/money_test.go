package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
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
			} else if !may && !strings.Contains(a.Text(), "Você não tem acesso a Sa") { // Saldo or Saques
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
	if got := strings.Join(amounts(a), " "); got != strings.ReplaceAll("R$ 720,00 R$ 1.000,00 R$ 0,00 R$ 0,00 R$ 250,00 R$ 30,00", "R$ ", "R$\u00a0") {
		t.Errorf("live shows %s", got)
	}
	if !strings.Contains(a.Find("#blocked").Text(), "Contestação <7>.") || a.Find(`a[href="#blocked"]`).Length() != 1 || a.Find(`main a[href="/app/saques/novo"]`).Length() != 1 {
		t.Error("live does not tell why money is blocked, or has no way out")
	}
	c.post("/app/ambiente", "env", "test")
	c.lang = "en"
	a = c.get("/app/saldo")
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
	if a := c.get("/app/cobrancas/" + paid.ID); !strings.Contains(a.Text(), "−R$1.23") || !strings.Contains(a.Text(), "R$122.22") || !strings.Contains(a.Text(), "Available on") {
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
