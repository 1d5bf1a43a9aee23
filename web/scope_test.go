package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A form of the product's price in test is sent when another window has gone to live, where
// a product of the same slug costs something else: nothing is done until its sender says
// where. The same with a form of another account.
func TestScope_OtherWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.GoLive(t)
	c := s.member(t)
	c.lang = "en"
	price := func(slug, amount string) []string {
		return []string{"name", "Vaso", "slug", slug, "amount", amount, "paymentCycle", "ONE_TIME", "active", "on"}
	}
	for _, env := range []string{"test", "live"} {
		c.post("/app/ambiente", "env", env)
		if a := c.post("/app/produtos", price("vaso", "10,00")...); a.status != http.StatusSeeOther {
			t.Fatalf("make a product in %s: %d %s", env, a.status, a.Find("main").Text())
		}
	}
	amount := func(livemode bool) (amount int64) {
		t.Helper()
		if err := s.DB.Model(&models.Product{}).Where("slug = 'vaso' AND livemode = ?", livemode).Select("amount").Scan(&amount).Error; err != nil {
			t.Fatal(err)
		}
		return amount
	}
	c.post("/app/ambiente", "env", "test")
	form := append(price("vaso", "7,00"), scopeOf(t, c.get("/app/produtos/vaso"))...)
	c.post("/app/ambiente", "env", "live")

	held := c.post("/app/produtos/vaso", form...)
	if held.status != http.StatusConflict || amount(false) != 10_00 || amount(true) != 10_00 {
		t.Fatalf("sent from another window: %d, %d in test, %d in live", held.status, amount(false), amount(true))
	}
	if title := held.Find("h1").Text(); title != "This form belongs to Test" || held.Find("main a").AttrOr("href", "") != "/app/produtos" {
		t.Errorf("it says %q", title)
	}
	if a := c.get("/app/produtos/vaso"); a.Find("input[name=garoupa_scope]").AttrOr("value", "") != s.Account.ID+"/live" {
		t.Error("being held up led elsewhere")
	}
	if a := c.post("/app/produtos/vaso", fieldsOf(held)...); a.status != http.StatusSeeOther {
		t.Fatalf("go back and send: %d %s", a.status, a.Find("main").Text())
	}
	if amount(false) != 7_00 || amount(true) != 10_00 {
		t.Errorf("%d in test, %d in live", amount(false), amount(true))
	}

	form = append(form[:len(form)-1], "acc_00000000000000000000/live")
	other := c.post("/app/produtos/vaso", form...)
	if other.status != http.StatusConflict || !strings.Contains(other.Find("main").Text(), "another store") {
		t.Errorf("of another account: %d %s", other.status, other.Find("main").Text())
	}
	if a := c.post("/app/produtos/vaso", fieldsOf(other)...); a.status != http.StatusNotFound {
		t.Errorf("go to an account of others: %d", a.status)
	}
}

// Whose session ends while they type loses nothing of it.
func TestScope_LoggedOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	form := append([]string{"name", `Vaso "Lua" <b>`, "slug", "lua", "amount", "10,00", "paymentCycle", "ONE_TIME", "active", "on"}, scopeOf(t, c.get("/app/produtos/novo"))...)
	s.Clock.Advance(15 * 24 * time.Hour)

	kept := c.post("/app/produtos", form...)
	if kept.status != http.StatusUnauthorized || kept.Find("a[target=_blank][href='/entrar']").Length() != 1 {
		t.Fatalf("without a session: %d %s", kept.status, kept.Find("main").Text())
	}
	if again := c.post("/app/produtos", fieldsOf(kept)...); again.status != http.StatusUnauthorized || again.Find("main input[type=hidden]").Length() != len(form)/2 {
		t.Errorf("sent without logging in: %d", again.status)
	}
	c.post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := c.post("/app/produtos", fieldsOf(kept)...); a.status != http.StatusSeeOther {
		t.Fatalf("logged in: %d %s", a.status, a.Find("main").Text())
	}
	if a := c.get("/app/produtos/lua"); a.Find("input[name=name]").AttrOr("value", "") != `Vaso "Lua" <b>` {
		t.Errorf("what was typed is %q", a.Find("input[name=name]").AttrOr("value", ""))
	}
	// A password is nothing to keep on a page, so those forms lead back to where they stand.
	s.Clock.Advance(15 * 24 * time.Hour)
	if a := c.cameFrom(http.MethodPost, "/app/configuracoes/seguranca/senha", s.url+"/app/configuracoes/seguranca", "password", "hunter2hunter2"); a.status != http.StatusSeeOther ||
		a.header.Get("Location") != "/entrar?next=%2Fapp%2Fconfiguracoes%2Fseguranca" {
		t.Errorf("a password: %d to %s", a.status, a.header.Get("Location"))
	}
}

// scopeOf is the field, and its value, of the scope that a page's form says.
func scopeOf(t *testing.T, page answer) []string {
	t.Helper()
	field := page.Find("main form input[name=garoupa_scope]").First()
	if field.AttrOr("value", "") == "" {
		t.Fatalf("no scope on a page: %d %s", page.status, page.Find("main").Text())
	}
	return []string{"garoupa_scope", field.AttrOr("value", "")}
}

// fieldsOf are the hidden fields of a page, with their values.
func fieldsOf(page answer) []string {
	var pairs []string
	page.Find("main input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		pairs = append(pairs, input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return pairs
}
