package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/internal/money"
	"garoupa/internal/ratelimit"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web"
	"garoupa/web/webtest"
)

// ask is the form of a withdrawal, as its review has it.
func ask(c *webtest.Client, rail, amount string) []string {
	c.T.Helper()
	a := c.Get("/app/saques/novo/revisar?" + url.Values{"rail": {rail}, "amount": {amount}}.Encode())
	var pairs []string
	a.Find("main form[action='/app/saques'] input").Each(func(_ int,
		s *goquery.Selection) {
		pairs = append(pairs, s.AttrOr("name", ""), s.AttrOr("value", ""))
	})
	if len(pairs) == 0 {
		c.T.Fatalf("no review of %s by %s: %d %s", amount, rail, a.Status, a.Find("main").Text())
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
	s.SetWithdrawalFee(t, money.Fee{Fixed: 1_50})
	review := c.Get("/app/saques/novo/revisar?rail=BRL_PIX&amount=1.000%2C00")
	for _, fact := range []string{"R$\u00a01.000,00", "−R$\u00a01,50", "R$\u00a0998,50", "12.ABC.345/01DE-35",
		"Ateliê Aurora Ltda", "Prazo", "leva até 24 horas", "não dá para desfazer"} {
		if !strings.Contains(review.Find("main").Text(), fact) {
			t.Errorf("the review does not show %q", fact)
		}
	}
	form := ask(c, "BRL_PIX", "400,00")
	place := c.Post("/app/saques", form...).Header.Get("Location")
	for range 2 {
		if again := c.Post("/app/saques", form...).Header.Get("Location"); again != place {
			t.Errorf("sent again, the form leads to %s", again)
		}
	}
	done := c.Get(place)
	if done.Status != http.StatusOK || !strings.Contains(done.Text(), "Saque solicitado") ||
		!strings.Contains(done.Text(), "leva até 24 horas") || done.Find("[data-print]").Length() != 1 ||
		!strings.Contains(place, done.Find("#reference").AttrOr("value", "-")) {
		t.Fatalf("%s: %d", place, done.Status)
	}
	page, err := s.AccountWithdrawals(t.Context(), models.Live,
		models.WithdrawalFilter{AccountID: s.Account.ID, Limit: 10})
	if err != nil || len(page.Rows) != 1 || page.Rows[0].Amount != 400_00 ||
		page.Rows[0].RequestedBy != s.Owner.UserID {
		t.Fatalf("made %+v, %v", page.Rows, err)
	}
	a := c.Post("/app/saques", with(form, "amount", "100,00")...)
	if a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#errors").Text(), "já solicitou um saque") ||
		a.Find("#amount").AttrOr("value", "") != "100,00" {
		t.Errorf("changed and sent again: %d %q", a.Status, a.Find("#errors").Text())
	}
	fresh := ask(c, "BRL_PIX", "100")
	for name, stale := range map[string][]string{"fee": with(fresh, "fee", "0.00"),
		"destination": with(fresh, "destination", "dst_00000000000000000000"), "form": with(fresh, "fee", "x")} {
		a := c.Post("/app/saques", stale...)
		if a.Status != http.StatusConflict || !strings.Contains(a.Find("[role=alert]").Text(), "Algo mudou") ||
			a.Find("input[name=fee]").AttrOr("value", "") != "1.50" {
			t.Errorf("another %s: %d %q", name, a.Status, a.Find("main").Text())
		}
	}
	if got := c.Post("/app/saques", fresh...); got.Status != http.StatusSeeOther {
		t.Errorf("after what was refused: %d", got.Status)
	}
	if a := c.Post("/app/saques/" + strings.Split(place, "/")[3] + "/cancelar"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(strings.TrimSuffix(place, "/pedido")).Text(), "Saque cancelado") {
		t.Errorf("cancelled: %d", a.Status)
	}
	c.Post("/app/saques/" + strings.Split(place, "/")[3] + "/cancelar")
	if a := c.Get(place); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(a.Header.Get("Location")).Text(), "não está mais em análise") {
		t.Errorf("cancelled twice: %d", a.Status)
	}
}

// What is wrong stands beside its field, and nothing typed is lost.
func TestWithdraw_Wrong(t *testing.T) {
	t.Parallel()
	_, c := lively(t)
	for _, tc := range []struct{ rail, amount, field, says string }{
		{"BRL_PIX", "", "amount", "de R$\u00a05,00 a R$\u00a01.000,00"},
		{"BRL_PIX", "abc", "amount", "Digite um valor"}, {"BRL_PIX", "4,99", "amount", "Digite um valor"},
		{"BRL_PIX", "50.000,01", "amount", "Digite um valor"},
		{"BRL_PIX", "1.000,01", "amount", "saldo disponível, R$\u00a01.000,00"}, {"", "10", "rail", "Escolha"},
		{"X", "10", "rail", "Escolha"},
		{"USDT_WALLET", "10", "rail", "Escolha"}, {"BRL_PIX", "\x00\xff", "amount", "Digite"},
	} {
		a := c.Get("/app/saques/novo/revisar?" + url.Values{"rail": {tc.rail}, "amount": {tc.amount},
			"key": {"K"}}.Encode())
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors a[href='#"+tc.field+"']").Length() != 1 ||
			!strings.Contains(a.Find("#"+tc.field+"-error").Text(), tc.says) {
			t.Errorf("%+v: %d %q", tc, a.Status, a.Find("#errors").Text())
		}
		if typed := a.Find("#amount").AttrOr("value",
			"-"); typed != strings.ToValidUTF8(strings.ReplaceAll(tc.amount, "\x00", ""), "") &&
			tc.amount != "\x00\xff" || a.Find("input[name=key]").AttrOr("value", "") != "K" {
			t.Errorf("%+v: the form holds %q", tc, typed)
		}
		if a := c.Post("/app/saques", "rail", tc.rail, "amount", tc.amount, "key", "K", "fee",
			"0.00"); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%+v sent at once: %d", tc, a.Status)
		}
	}
	both := c.Get("/app/saques/novo/revisar?amount=999.999")
	if both.Find("#errors li").Length() != 2 ||
		!strings.Contains(both.Find("#amount-error").Text(), "Digite um valor") {
		t.Errorf("of two problems the page names %q", both.Find("#errors").Text())
	}
	if short := c.Get("/app/saques/novo/revisar?amount=1.000,01").Find("#amount-error").Text(); !strings.Contains(short,
		"saldo disponível, R$\u00a01.000,00") {
		t.Errorf("of more than the balance it says %q", short)
	}
	if a := c.Get("/app/saques/novo?everything=1"); a.Find("#amount").AttrOr("value", "") != "1.000,00" {
		t.Errorf("everything is %q", a.Find("#amount").AttrOr("value", ""))
	}
}

// A withdrawal in USDT is reviewed with its quote, and sent again if the quote got worse.
func TestWithdraw_USDT(t *testing.T) {
	t.Parallel()
	s, _ := lively(t)
	s.Destination(t, models.RailUSDT)
	c := s.Member(t)
	s.ToLive(t, c)
	if a := c.Get("/app/saques/novo/revisar?rail=USDT_WALLET&amount=100"); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#rail-error").Text(), "Sem cotação de USDT agora") {
		t.Errorf("without a quote: %d", a.Status)
	}
	price := "5.4321"
	s.SellAt(t, func() string { return price })
	a := c.Get("/app/saques/novo/revisar?rail=USDT_WALLET&amount=100")
	for _, fact := range []string{"18,409086\u00a0USDT", "1 USDT = R$\u00a05,4321", "cotação das 09:00:",
		"TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"} {
		if !strings.Contains(a.Find("main").Text(), fact) {
			t.Errorf("the review in USDT does not show %q: %s", fact, a.Find("main").Text())
		}
	}
	form := ask(c, "USDT_WALLET", "100")
	price = "5.60"
	s.Clock.Advance(time.Minute)
	if a := c.Post("/app/saques", form...); a.Status != http.StatusConflict || !strings.Contains(a.Text(), "5,6000") {
		t.Errorf("at a worse rate: %d", a.Status)
	}
}

// What the fee would use up, what is above the limit of a day and what belongs to a stopped
// account is not withdrawn, and the page says why.
func TestWithdraw_Refused(t *testing.T) {
	t.Parallel()
	s, c := lively(t)
	s.SetWithdrawalFee(t, money.Fee{Fixed: 100_00})
	if a := c.Get("/app/saques/novo/revisar?rail=BRL_PIX&amount=100"); !strings.Contains(a.Find("#amount-error").Text(),
		"não cobre a tarifa") {
		t.Errorf("all fee: %d", a.Status)
	}
	s.SetWithdrawalFee(t, money.Fee{})
	s.Service.Withdrawals.DailyMax = 50_00
	if a := c.Post("/app/saques", ask(c, "BRL_PIX", "60")...); !strings.Contains(a.Find("#amount-error").Text(),
		"limite de R$\u00a050,00 em 24 horas") {
		t.Errorf("above the limit of a day: %d", a.Status)
	}
	for which, says := range map[models.Switch]string{models.SwitchSuspended: "Ordem judicial 123/2026.",
		models.SwitchWithdrawalsBlocked: "Ordem judicial 123/2026."} {
		form := ask(c, "BRL_PIX", "20")
		by := s.AddStaff(t, string(which)+"@staff.example", models.StaffSupervisor)
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
			merchants.SwitchTurn{Switch: which, On: true, Reason: "Ordem judicial 123/2026."}); err != nil {
			t.Fatal(err)
		}
		for _, a := range []webtest.Answer{c.Get("/app/saques/novo"), c.Get("/app/saques"),
			c.Post("/app/saques", form...),
			c.Get("/app/saques/novo/revisar?rail=BRL_PIX&amount=20")} {
			if !strings.Contains(a.Find("main").Text(), says) || a.Find("#amount").Length() != 0 {
				t.Errorf("%s: %d %q", which, a.Status, a.Find("main").Text())
			}
		}
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
			merchants.SwitchTurn{Switch: which, On: false, Reason: "A ordem foi cumprida."}); err != nil {
			t.Fatal(err)
		}
	}
}

// Requests count together with the API's, and one too many keeps what was typed.
func TestWithdraw_Limited(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t,
		web.Limits{Withdrawals: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Second, Burst: 1})})
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 100_00)
	c := s.Member(t)
	s.ToLive(t, c)
	form := ask(c, "BRL_PIX", "10")
	c.Post("/app/saques", form...)
	a := c.Post("/app/saques", form...)
	if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" ||
		!strings.Contains(a.Find("#errors").Text(), "Espere 1 s") || a.Find("#amount").AttrOr("value", "") != "10" {
		t.Errorf("%d %q", a.Status, a.Find("#errors").Text())
	}
}
