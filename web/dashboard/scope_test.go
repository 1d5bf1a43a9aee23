package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// A form of the product's price in test is sent when another window has gone to live, where
// a product of the same slug costs something else: nothing is done until its sender says
// where. The same with a form of another account.
func TestScope_OtherWindow(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	c.Lang = "en"
	price := func(slug, amount string) []string {
		return []string{"name", "Vaso", "slug", slug, "amount", amount, "paymentCycle", "ONE_TIME", "active", "on"}
	}
	for _, env := range []string{"test", "live"} {
		c.Post("/app/ambiente", "env", env)
		if a := c.Post("/app/produtos", price("vaso", "10,00")...); a.Status != http.StatusSeeOther {
			t.Fatalf("make a product in %s: %d %s", env, a.Status, a.Find("main").Text())
		}
	}
	amount := func(environment models.Environment) (amount int64) {
		t.Helper()
		if err := s.DB.Model(&models.Product{}).Where("slug = 'vaso' AND livemode = ?",
			environment).Select("amount").Scan(&amount).Error; err != nil {
			t.Fatal(err)
		}
		return amount
	}
	c.Post("/app/ambiente", "env", "test")
	form := append(price("vaso", "7,00"), webtest.ScopeOf(t, c.Get("/app/produtos/vaso"))...)
	c.Post("/app/ambiente", "env", "live")

	held := c.Post("/app/produtos/vaso", form...)
	if held.Status != http.StatusConflict || amount(models.Test) != 10_00 || amount(models.Live) != 10_00 {
		t.Fatalf("sent from another window: %d, %d in test, %d in live", held.Status,
			amount(models.Test), amount(models.Live))
	}
	if title := held.Find("h1").Text(); title != "This form belongs to Test" ||
		held.Find("main a").AttrOr("href", "") != "/app/produtos" {
		t.Errorf("it says %q", title)
	}
	if a := c.Get("/app/produtos/vaso"); a.Find("input[name=garoupa_scope]").AttrOr("value", "") != s.Account.ID+
		"/live" {
		t.Error("being held up led elsewhere")
	}
	if a := c.Post("/app/produtos/vaso", webtest.HiddenFields(held)...); a.Status != http.StatusSeeOther {
		t.Fatalf("go back and send: %d %s", a.Status, a.Find("main").Text())
	}
	if amount(models.Test) != 7_00 || amount(models.Live) != 10_00 {
		t.Errorf("%d in test, %d in live", amount(models.Test), amount(models.Live))
	}

	form = append(form[:len(form)-1], "acc_00000000000000000000/live")
	other := c.Post("/app/produtos/vaso", form...)
	if other.Status != http.StatusConflict || !strings.Contains(other.Find("main").Text(), "another store") {
		t.Errorf("of another account: %d %s", other.Status, other.Find("main").Text())
	}
	if a := c.Post("/app/produtos/vaso", webtest.HiddenFields(other)...); a.Status != http.StatusNotFound {
		t.Errorf("go to an account of others: %d", a.Status)
	}
}

// Whose session ends while they type loses nothing of it.
func TestScope_LoggedOut(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	form := append([]string{"name", `Vaso "Lua" <b>`, "slug", "lua", "amount", "10,00", "paymentCycle", "ONE_TIME",
		"active", "on"}, webtest.ScopeOf(t, c.Get("/app/produtos/novo"))...)
	s.Clock.Advance(15 * 24 * time.Hour)

	kept := c.Post("/app/produtos", form...)
	if kept.Status != http.StatusUnauthorized || kept.Find("a[target=_blank][href='/entrar']").Length() != 1 {
		t.Fatalf("without a session: %d %s", kept.Status, kept.Find("main").Text())
	}
	if again := c.Post("/app/produtos", webtest.HiddenFields(kept)...); again.Status != http.StatusUnauthorized ||
		again.Find("main input[type=hidden]").Length() != len(form)/2 {
		t.Errorf("sent without logging in: %d", again.Status)
	}
	c.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := c.Post("/app/produtos", webtest.HiddenFields(kept)...); a.Status != http.StatusSeeOther {
		t.Fatalf("logged in: %d %s", a.Status, a.Find("main").Text())
	}
	if a := c.Get("/app/produtos/lua"); a.Find("input[name=name]").AttrOr("value", "") != `Vaso "Lua" <b>` {
		t.Errorf("what was typed is %q", a.Find("input[name=name]").AttrOr("value", ""))
	}
	// A password is nothing to keep on a page, so those forms lead back to where they stand.
	s.Clock.Advance(15 * 24 * time.Hour)
	if a := c.CameFrom(http.MethodPost, "/app/configuracoes/seguranca/senha", s.URL+"/app/configuracoes/seguranca",
		"password", "hunter2hunter2"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/entrar?next=%2Fapp%2Fconfiguracoes%2Fseguranca" {
		t.Errorf("a password: %d to %s", a.Status, a.Header.Get("Location"))
	}
}
