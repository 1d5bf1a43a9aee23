package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// What moves money in live, or lets others move it, leads a member without a second factor to
// setting one up, and from there back. A form that was sent stays, and goes on afterwards.
func TestLive_SecondFactor(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1_000_00)
	c := s.Member(t)
	c.Post("/app/ambiente", "env", "live")
	s.Key(t, s.Gateway.Live, models.PermissionCheckoutRead)
	key := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys")
	for _, path := range []string{"/app/chaves/nova", "/app/chaves/" + key + "/trocar", "/app/saques/destinos/novo",
		"/app/saques/novo/revisar?rail=BRL_PIX&amount=10", "/app/cobrancas/chk_0/devolver",
		"/app/conta-bancaria/nova", "/app/conta-bancaria/bka_0/credenciais", "/app/disputas/dsp_0/responder"} {
		a := c.Get(path)
		to := webtest.URL(t, a.Header.Get("Location"))
		if a.Status != http.StatusSeeOther || to.Path != "/2fa/ativar" || to.Query().Get("next") != path {
			t.Errorf("%s leads to %d %s", path, a.Status, to)
		}
	}
	for _, path := range []string{"/app/chaves", "/app/chaves/" + key + "/trocar", "/app/chaves/" + key + "/devolver",
		"/app/chaves/" + key + "/nao-devolver", "/app/chaves/" + key + "/eventos",
		"/app/chaves/" + key + "/sem-eventos",
		"/app/saques", "/app/saques/destinos", "/app/cobrancas/chk_0/devolver", "/app/saldo/avulsos/pay_0",
		"/app/conta-bancaria/nova", "/app/conta-bancaria/bka_0/credenciais", "/app/conta-bancaria/bka_0/aposentar",
		"/app/disputas/dsp_0/responder"} {
		a := c.Post(path, "rail", "BRL_PIX", "amount", "10")
		open := a.Find(`main a[target=_blank]`).AttrOr("href", "")
		if a.Status != http.StatusForbidden || a.Find("main form").AttrOr("action", "") != path ||
			a.Find("main input[name=amount][value='10']").Length() != 1 || !strings.HasPrefix(open, "/2fa/ativar?") {
			t.Errorf("a form to %s: %d %s", path, a.Status, a.Find("main").Text())
		}
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM withdrawals"); n != 0 {
		t.Errorf("%d withdrawals", n)
	}
	for _, path := range []string{"/app/chaves/" + key + "/revogar", "/app/saques/novo", "/app/saldo"} {
		if a := c.Get(path); a.Status != http.StatusOK {
			t.Errorf("%s: %d", path, a.Status)
		}
	}

	set := c.Get("/2fa/ativar?need=live&next=/app/chaves/nova")
	if !strings.Contains(set.Find("main").Text(), "Em produção, dinheiro e chaves precisam dela") ||
		set.Find(`main a[href="/app"]`).Length() != 1 {
		t.Errorf("the page says %s", set.Find("main").Text())
	}
	if again := c.Post("/2fa/ativar", "code", "000000", "need", "live", "next", "/app/chaves/nova"); again.Find(
		"main input[name=need]").AttrOr("value", "") != "live" {
		t.Error("after a wrong code the page does not say why it is needed")
	}
	s.ToLive(t, c)
	if a := c.Get("/app/chaves/nova"); a.Status != http.StatusOK {
		t.Errorf("with a generator: %d", a.Status)
	}
	a := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	if !strings.Contains(a.Body, "svc_live_") {
		t.Errorf("a live key: %d %s", a.Status, a.Find("main").Text())
	}
}

// The test environment needs no second factor, and a proof by the password stays enough there.
func TestTest_NoSecondFactor(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Clock.Advance(time.Hour)
	asked := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	a := c.Post("/app/chaves", append(webtest.HiddenFields(asked), webtest.ProofField, paymentstest.Password)...)
	if a.Status != http.StatusOK || !strings.Contains(a.Body, "svc_test_") {
		t.Errorf("a test key: %d", a.Status)
	}
}
