package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/internal/requestlog"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web"
	"garoupa/web/webtest"
)

// The start page tells how today and the last days went, to the centavo.
func TestHome_Overview(t *testing.T) {
	t.Parallel()
	s := webtest.New(t) // 1 March 2026, 9:00 in Brasília, is a Sunday
	c := s.Member(t)
	if a := c.Get("/app"); a.Find("#volume").Length() != 0 {
		t.Error("an empty account has a chart")
	}
	pay := func(amount int64) {
		t.Helper()
		checkout := s.Checkout(t, payments.NewCheckout{})
		modelstest.Exec(t, s.DB, "UPDATE checkouts SET amount = $1 WHERE id = $2", amount, checkout.ID)
		if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
			t.Fatal(err)
		}
	}
	pay(100_00)                    // 1 March, 9:00
	s.Clock.Advance(2 * time.Hour) // 11:00, later than now next week
	pay(900_00)
	s.Clock.Advance(7*24*time.Hour - time.Hour) // 8 March, 10:00
	c = s.Member(t)                             // the session was not used for so long
	pay(150_00)
	s.Checkout(t, payments.NewCheckout{}) // pending, which decides nothing
	if err := s.SimulateExpiry(t.Context(), s.Checkout(t, payments.NewCheckout{}).ID); err != nil {
		t.Fatal(err)
	}
	text := c.Get("/app").Text()
	for _, says := range []string{"R$\u00a0150,00", "50,0%", "vs. domingo passado", "R$\u00a01.150,00", "50,0 p.p."} {
		if !strings.Contains(text, says) {
			t.Errorf("the page leaves out %q", says)
		}
	}
	page := c.Get("/app")
	rows := page.Find("#volume").Parent().Find("tbody tr")
	if rows.Length() != 14 || !strings.Contains(rows.Eq(6).Text(), "R$\u00a01.000,00") ||
		!strings.Contains(rows.Eq(13).Text(), "R$\u00a0150,00") {
		t.Errorf("the table has %d rows: %q", rows.Length(), rows.Eq(6).Text())
	}
	// The one of the legend: nothing was paid before.
	if bars := page.Find("#volume").Parent().Find("svg rect.fill-chart-2"); bars.Length() != 1 {
		t.Errorf("%d bars of before", bars.Length())
	}
	s.Clock.Advance(14 * 24 * time.Hour)
	c = s.Member(t) // nobody stays logged in for so long
	page = c.Get("/app")
	if bars := page.Find("#volume").Parent().Find("svg rect.fill-chart-2"); bars.Length() != 3 {
		t.Errorf("%d bars of before, a fortnight later", bars.Length())
	}
	if row := page.Find("#volume").Parent().Find("tbody tr").Eq(6); !strings.Contains(row.Text(), "R$\u00a01.000,00") {
		t.Errorf("a fortnight later the table says %q", row.Text())
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get("/app"); strings.Contains(a.Text(), "Disponível para saque") ||
		strings.Contains(a.Body, "/app/cobrancas/nova") {
		t.Error("a viewer sees the balance, or the way to a new charge")
	}
}

// Everything with an id is found by it, in its environment; one hit leads on.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	sold := s.Sale(t, nil)
	endpoint, _ := s.Endpoint(t, "https://shop.example/hook")
	first := s.Checkout(t, payments.NewCheckout{ExternalID: "order-1"})
	s.Checkout(t, payments.NewCheckout{ExternalID: "twice"})
	s.Checkout(t, payments.NewCheckout{ExternalID: "twice"})
	var event, delivery string
	event = modelstest.One[string](t, s.DB, "SELECT id FROM events WHERE checkout_id = $1", first.ID)
	delivery = modelstest.One[string](t, s.DB, "SELECT id FROM webhook_deliveries WHERE event_id = $1", event)
	for text, want := range map[string]string{
		first.ID: "/app/cobrancas/" + first.ID, "order-1": "/app/cobrancas/" + first.ID,
		first.TxID: "/app/cobrancas/" + first.ID,
		sold.Link:  "/app/links/" + sold.Link, event: "/app/eventos/" + event,
		delivery: "/app/webhooks/" + endpoint.ID + "/entregas/" + delivery, endpoint.ID: "/app/webhooks/" + endpoint.ID,
	} {
		if a := c.Get("/app/busca?q=+" + text); a.Status != http.StatusSeeOther || a.Header.Get("Location") != want {
			t.Errorf("%q: %d to %s, want %s", text, a.Status, a.Header.Get("Location"), want)
		} else if next := c.Get(want); next.Status != http.StatusOK {
			t.Errorf("%s: %d", want, next.Status)
		}
	}
	if a := c.Get("/app/busca?q=twice"); a.Status != http.StatusOK || a.Find("main li a").Length() != 2 {
		t.Errorf("two charges: %d, %d", a.Status, a.Find("main li a").Length())
	}
	for _, text := range []string{"", "nobody", "chk_", "%00%ff", "wdr_00000000000000000000",
		strings.Repeat("x", 2000)} {
		if a := c.Get("/app/busca?q=" + text); a.Status != http.StatusOK || a.Find("main li a").Length() != 0 {
			t.Errorf("%q: %d", text, a.Status)
		}
	}
	c.Post("/app/ambiente", "env", "live")
	for _, text := range []string{first.ID, event, delivery, sold.Link, "vaso", endpoint.ID} {
		a := c.Get("/app/busca?q=" + text)
		if there := a.Find("main form[action='/app/ambiente']"); a.Status != http.StatusOK ||
			there.Find("button").Text() != "Ver em Teste" ||
			there.Find("[name=next]").AttrOr("value", "") != "/app/busca?q="+text {
			t.Errorf("%q from live: %d %s", text, a.Status, a.Find("main").Text())
		}
	}
	if a := c.Get("/app/busca?q=nobody"); a.Find("main form[action='/app/ambiente']").Length() != 0 {
		t.Error("what is nowhere is said to be in test")
	}
}

// Developers find every call that came with a key, with what went wrong in it, and
// nothing of the customer.
func TestRequests(t *testing.T) {
	t.Parallel()
	var calls *requestlog.Log
	s := webtest.NewWithAPI(t, func(*web.Options) {}, func(o *api.Options) {
		calls = requestlog.Start(o.DB.Pool)
		o.Log = calls
	})
	c := s.Member(t)
	if a := c.Get("/app/requisicoes"); !strings.Contains(a.Text(), "Nenhuma requisição ainda") {
		t.Errorf("without calls: %d", a.Status)
	}
	key := s.Key(t, s.Test, models.PermissionCheckoutCreate)
	s.Call(t, key, "POST", "/v1/checkouts",
		`{"amount": 4990, "description": "Vaso", "externalId": "1",
			"customer": {"name": "Carla", "email": "carla@example.com", "phone": "11 98765-4321"}}`,
		"Request-Id", "made")
	s.Call(t, key, "POST", "/v1/checkouts", `{"amount": "much"}`, "Request-Id", "wrong")
	s.Call(t, key, "GET", "/v1/balance", "", "Request-Id", "scope")
	s.Call(t, key, "GET", "/v1/nothing", "", "Request-Id", "lost")
	charged := modelstest.One[string](t, s.DB, "SELECT id FROM checkouts")
	s.Call(t, s.Key(t, s.Test, models.PermissionCheckoutRead), "GET", "/v1/checkouts/"+charged, "",
		"Request-Id", "looked")
	s.Call(t, "svc_test_nobody", "GET", "/v1/balance", "", "Request-Id", "stranger")
	calls.Close()
	a := c.Get("/app/requisicoes")
	if got := a.Find("tbody tr").Length(); got != 4 {
		t.Fatalf("%d calls: %s", got, a.Find("tbody").Text())
	}
	for query, want := range map[string]int{"class=2xx": 2, "class=4xx": 2, "class=5xx": 0, "method=GET": 2,
		"q=wrong": 1, "q=/v1/bal": 1, "q=/v1": 4, "key=nope": 4, "before=1": 0, "before=x": 4, "class=x": 4} {
		if got := c.Get("/app/requisicoes?" + query).Find("tbody tr").Length(); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	wrong := c.Get("/app/busca?q=wrong").Header.Get("Location")
	if page := c.Get(wrong); !strings.Contains(page.Text(), "invalid_request_body") ||
		!strings.Contains(page.Text(), `"much"`) {
		t.Errorf("%s does not tell what was wrong", wrong)
	}
	calling := c.Get("/app/busca?q=made").Header.Get("Location")
	made := c.Get(calling)
	charge, _ := made.Find(`main a[href^="/app/cobrancas/chk_"]`).Attr("href")
	if !strings.Contains(made.Text(), `"amount": 4990`) || charge == "" {
		t.Fatalf("the page of a call: %s", made.Find("main").Text())
	}
	id := strings.TrimPrefix(charge, "/app/cobrancas/")
	if a := c.Get(charge); a.Find(`main a[href="`+calling+`"]`).Length() != 1 ||
		a.Find(`main a[href="/app/requisicoes?q=`+id+`"]`).Length() != 1 {
		t.Errorf("the charge does not lead to its call: %s", a.Find("main").Text())
	}
	if got := c.Get("/app/requisicoes?q=" + id).Find("tbody tr").Length(); got != 2 {
		t.Errorf("%d calls about the charge", got)
	}
	masks(t, made, key)
	c.Post("/app/ambiente", "env", "live")
	if a := c.Get(wrong); a.Status != http.StatusNotFound {
		t.Errorf("a test call from live: %d", a.Status)
	}
	s.GiveRole(t, models.RoleFinance)
	if a := c.Get("/app/requisicoes"); a.Status != http.StatusForbidden ||
		c.Get("/app").Find(`a[href="/app/requisicoes"]`).Length() != 0 {
		t.Errorf("finance: %d", a.Status)
	}
}

// masks reports whether the page of a call shows neither the key nor who buys.
func masks(t *testing.T, call webtest.Answer, key string) {
	t.Helper()
	if strings.Contains(call.Body, key) {
		t.Error("the page of a call shows the key")
	}
	for _, private := range []string{"Carla", "carla@", "98765", "base64"} {
		if strings.Contains(webtest.WithoutRandom(call.Body), private) {
			t.Errorf("the page of a call shows %q", private)
		}
	}
}

// The log of calls, which developers read, has a call for the audit log and not its answer.
func TestRequests_Audit(t *testing.T) {
	t.Parallel()
	var calls *requestlog.Log
	s := webtest.NewWithAPI(t, func(*web.Options) {}, func(o *api.Options) {
		calls = requestlog.Start(o.DB.Pool)
		o.Log = calls
	})
	s.Approve(t)
	key := s.Key(t, s.Live, models.PermissionPaymentLinkRead)
	modelstest.Exec(t, s.DB, "UPDATE api_keys SET audit = true")
	if status, answer := s.Call(t, key, "GET", "/v1/audit", ""); status != 200 || answer["data"] == nil {
		t.Fatalf("%d %v", status, answer)
	}
	calls.Close()
	if got := modelstest.One[string](t, s.DB, "SELECT path || ' ' || status || ' ' || answer FROM api_requests"); got !=
		"/v1/audit 200 " {
		t.Errorf("the log of calls has %s", got)
	}
}
