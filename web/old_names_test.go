package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// oldAddress is an address with an old name, the one of today, and what the page shows there
// because of the parameter.
type oldAddress struct{ was, now, shows string }

// follow opens each old address and checks where it ends.
func follow(t *testing.T, c *webtest.Client, addresses []oldAddress) {
	t.Helper()
	for _, tc := range addresses {
		for _, method := range []string{"GET", "HEAD"} {
			if a := c.Do(method, tc.was, nil); a.Status != http.StatusSeeOther || a.Header.Get("Location") != tc.now {
				t.Errorf("%s %s: %d to %s", method, tc.was, a.Status, a.Header.Get("Location"))
			}
		}
		if a := c.Get(tc.now); a.Status != http.StatusOK || a.Find(tc.shows).Length() != 1 {
			t.Errorf("%s: %d with %d times %s", tc.now, a.Status, a.Find(tc.shows).Length(), tc.shows)
		}
	}
}

// Bookmarks from when some parameters had Portuguese names lead to the same page.
func TestOldNames(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Sale(t, func(p *merchants.ProductForm) { p.Slug = "vaso" })
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	charge := s.Checkout(t, payments.NewCheckout{})
	failed := s.LatestDelivery(t, e.ID)
	s.Attempt(t, failed.ID, models.Attempt{StatusCode: 500, ErrorClass: "status"})
	s.Clock.Advance(time.Second)
	s.Checkout(t, payments.NewCheckout{})
	event := func(id string) string { return `a[href="/app/eventos/` + id + `"]` }
	this := "main:has(" + event(failed.Event.ID) + "):not(:has(" + event(s.LatestDelivery(t, e.ID).Event.ID) + "))"
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	sent := c.Post(at+"/testar", "type", "checkout.paid").Header.Get("Location")
	tested := strings.TrimSuffix(strings.TrimPrefix(sent, at+"?test="), "#test")
	delivery := at + "/entregas/" + failed.ID
	follow(t, c, []oldAddress{
		{"/app/eventos?tipo=checkout.created", "/app/eventos?type=checkout.created",
			`select[name=type] option[value="checkout.created"][selected]`},
		{"/app/eventos?cobranca=" + charge.ID, "/app/eventos?q=" + charge.ID, this},
		{"/app/eventos?checkout=" + charge.ID, "/app/eventos?q=" + charge.ID, this},
		{"/app/eventos?entrega=pendente", "/app/eventos?delivery=undelivered", this},
		{"/app/eventos?lang=en&cobranca=" + charge.ID + "&x=%2f+%zz&tipo=checkout.created&tipo=b",
			"/app/eventos?lang=en&q=" + charge.ID + "&x=%2f+%zz&type=checkout.created&type=b", this},
		{"/app/eventos?%74ipo=checkout%2Ecreated&cursor=x", "/app/eventos?type=checkout%2Ecreated&cursor=x",
			`select[name=type] option[value="checkout.created"][selected]`},
		{"/app/links/novo?produto=vaso", "/app/links/novo?product=vaso", "option[value=vaso][selected]"},
		{at + "?teste=" + tested, at + "?test=" + tested, "#test-result"},
		{delivery + "?assinatura=abc", delivery + "?signature=abc", "input[name=signature][value=abc]"},
		{at + "/repetir?desde=3d", at + "/repetir?since=3d", `select[name=since] option[value="3d"][selected]`},
	})
	s.Enroll(t, c, "/2fa/ativar?next=/app/chaves")
	half := s.Client(t)
	half.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	follow(t, half, []oldAddress{{"/2fa?recuperacao=1&next=%2Fapp%2Fchaves", "/2fa?recovery=1&next=%2Fapp%2Fchaves",
		"input[name=recovery]"}})
}

func TestOldNames_Console(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c, _ := s.Console(t, models.StaffReviewer)
	at := "/ops/webhooks/" + e.ID
	addresses := []oldAddress{{at + "?desde=3d", at + "?since=3d",
		`select[name=since] option[value="3d"][selected]`}}
	for path, tabs := range map[string][]string{
		"/ops/acessos":  {"analise", "review", "decididos", "decided"},
		"/ops/destinos": {"analise", "review", "todos", "all"},
		"/ops/saques":   {"analise", "review", "pagar", "payout", "todos", "all"},
		"/ops/excecoes": {"abertas", "open", "teste", "test", "todas", "all"},
		"/ops/tarifas":  {"pendentes", "pending", "decididas", "decided"},
		"/ops/webhooks": {"falhando", "failing", "todos", "all"},
	} {
		for i := 0; i < len(tabs); i += 2 {
			now := path + "?tab=" + tabs[i+1]
			addresses = append(addresses, oldAddress{path + "?aba=" + tabs[i], now,
				`main a[aria-current=page][href="` + now + `"]`})
		}
	}
	follow(t, c, addresses)
	if a := s.Member(t).Get("/ops/saques?aba=pagar"); a.Status != http.StatusNotFound {
		t.Errorf("the console tells a merchant: %d", a.Status)
	}
}

// All other addresses stay as they are, and no address leads to another site.
func TestOldNames_Elsewhere(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sale := s.Sale(t, func(*merchants.ProductForm) {})
	charge := s.Checkout(t, payments.NewCheckout{})
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	for path, status := range map[string]int{
		"/app/eventos?tipo=a&type=checkout.paid":   200, // today's name wins
		"/app/eventos?type=&tipo=checkout.created": 200,
		"/app/eventos?q=tipo&tipos=x":              200,
		"/app/cobrancas?tipo=x&desde=24h":          200,
		"/app/cobrancas/cobrancas.csv?tipo=x":      200,
		sale.Path() + "?produto=x&tipo=y":          200,
		"/pay/" + charge.ID + "?teste=1":           200,
		"/docs?tipo=x":                             200,
		"/v1/checkouts?tipo=x":                     401,
		"/v1/checkouts?aba=todos&desde=24h":        401,
	} {
		if a := c.Get(path); a.Status != status || a.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", path, a.Status, a.Header.Get("Location"))
		}
	}
	if a := c.Post("/app/webhooks/"+e.ID+"/testar?teste=x", "type", "checkout.paid"); !strings.Contains(
		a.Header.Get("Location"), "?test=dlv_") {
		t.Errorf("a form leads to %q", a.Header.Get("Location"))
	}
	var cookies string
	for _, cookie := range c.Cookies() {
		cookies += cookie.Name + "=" + cookie.Value + "; "
	}
	for _, line := range []string{"//evil.example/app/eventos?tipo=x", "//evil.example/../app/eventos?tipo=x",
		"/\\evil.example/app/eventos?tipo=x", "http://evil.example/app/eventos?tipo=x",
		"/%2f/evil.example/app/eventos?tipo=x"} {
		answers, _ := s.Exchange(t, "GET "+line+" HTTP/1.1\r\nHost: "+strings.TrimPrefix(s.URL, "http://")+
			"\r\nCookie: "+cookies+"\r\nConnection: close\r\n\r\n", 1)
		to := answers[0].Header.Get("Location")
		if to != "" && !strings.HasPrefix(to, "/app/eventos?type=x") {
			t.Errorf("%s leads to %q", line, to)
		}
	}
}
