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

// says reports the texts that a page leaves out.
func says(t *testing.T, a webtest.Answer, when string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.Text(), text) {
			t.Errorf("%s leaves out %q", when, text)
		}
	}
}

// shop pays charges of 100 and 900 on Sunday, 1 March 2026, at 9:00 and 11:00 in Brasília, and of
// 150 a week later at 10:00, when one is pending and one has expired.
func shop(t *testing.T, s *webtest.Site) {
	t.Helper()
	pay := func(amount int64) {
		t.Helper()
		checkout := s.Checkout(t, payments.NewCheckout{})
		modelstest.Exec(t, s.DB, "UPDATE checkouts SET amount = $1 WHERE id = $2", amount, checkout.ID)
		if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
			t.Fatal(err)
		}
	}
	pay(100_00)
	s.Clock.Advance(2 * time.Hour)
	pay(900_00)
	s.Clock.Advance(7*24*time.Hour - time.Hour)
	pay(150_00)
	s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulateExpiry(t.Context(), s.Checkout(t, payments.NewCheckout{}).ID); err != nil {
		t.Fatal(err)
	}
}

// The start page tells how a period went, to the centavo, compared with the one before up to the
// same moment; pending charges decide nothing.
func TestHome_Overview(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if a := s.Member(t).Get("/app"); a.Find("#volume").Length() != 0 {
		t.Error("an empty account has a chart")
	}
	shop(t, s)
	c := s.Member(t) // the session was not used for so long
	for _, period := range []struct {
		query string
		rows  int
		says  []string
		row   int    // of the table
		cells string // volume, before, paid
	}{
		{"", 7, []string{"R$\u00a0150,00", "50,0%", "50,0 p.p.", "vs. período anterior"}, 6,
			"R$\u00a0150,00 R$\u00a0100,00 1"},
		{"?period=nonsense", 7, nil, 6, "R$\u00a0150,00 R$\u00a0100,00 1"},
		{"?period=today", 24, []string{"vs. domingo passado, até esta hora", "50,0%"}, 10,
			"R$\u00a0150,00 R$\u00a00,00 1"},
		{"?period=today", 24, nil, 9, "R$\u00a00,00 R$\u00a0100,00 0"},
		{"?period=today", 24, nil, 11, "R$\u00a00,00 R$\u00a00,00 0"}, // 900 were later than now
		{"?period=this_month", 31, []string{"R$\u00a01.150,00", "R$\u00a0383,33", "75,0%"}, 0,
			"R$\u00a01.000,00 R$\u00a00,00 2"},
		{"?period=days30", 30, []string{"R$\u00a01.150,00"}, 22, "R$\u00a01.000,00 R$\u00a00,00 2"},
		{"?period=last_month", 28, []string{"R$\u00a00,00"}, 27, "R$\u00a00,00 R$\u00a00,00 0"},
		{"?from=2026-03-01&until=2026-03-01", 24, []string{"R$\u00a0500,00", "100,0%"}, 11,
			"R$\u00a0900,00 R$\u00a00,00 1"},
		{"?from=2025-03-09", 13, []string{"R$\u00a01.150,00"}, 12, "R$\u00a01.150,00 R$\u00a00,00 3"},
	} {
		page := c.Get("/app" + period.query)
		says(t, page, period.query, period.says...)
		rows := page.Find("#volume").Parent().Find("tbody tr")
		if period.query == "?period=last_month" {
			if rows.Length() != 0 || !strings.Contains(page.Text(), "Nada neste período.") {
				t.Errorf("a month without charges has %d rows", rows.Length())
			}
			continue
		}
		var cells []string
		for _, cell := range rows.Eq(period.row).Find("td").EachIter() {
			cells = append(cells, cell.Text())
		}
		if got := strings.Join(cells, " "); rows.Length() != period.rows || got != period.cells {
			t.Errorf("%q: %d rows, row %d: %q", period.query, rows.Length(), period.row, got)
		}
		if page.Find("nav [aria-current=page]").Length() == 0 {
			t.Errorf("%q: no period is chosen", period.query)
		}
	}
	for query, problem := range map[string]string{"from=x": "Digite um dia",
		"from=2026-03-02&until=2026-03-01": "vem antes",
		"from=2025-03-07&until=2026-03-08": "até 366 dias", "until=2026-02-30": "Digite um dia"} {
		if a := c.Get("/app?" + query); a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Text(), problem) || a.Find("#from").Length() != 1 {
			t.Errorf("%s: %d %s", query, a.Status, a.Find("main").Text())
		}
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get("/app"); strings.Contains(a.Text(), "Disponível para saque") ||
		strings.Contains(a.Body, "/app/cobrancas/nova") || !strings.Contains(a.Text(), "R$\u00a0150,00") {
		t.Error("a viewer sees the balance, or the way to a new charge, or no figures")
	}
	c.Post("/app/ambiente", "env", "live")
	if a := c.Get("/app?from=2026-03-01"); strings.Contains(a.Text(), "R$\u00a01.150,00") {
		t.Error("live tells what was paid in test")
	}
}

// The page of selling times sums up a period by hour and weekday in Brasília, with the conversion of
// what was created then.
func TestAnalytics(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	shop(t, s)
	c := s.Member(t)
	cells := func(a webtest.Answer, chart string, row int) string {
		var cells []string
		for _, cell := range a.Find("#" + chart).Parent().Find("tbody tr").Eq(row).Find("td").EachIter() {
			cells = append(cells, strings.ReplaceAll(cell.Text(), "\u00a0", " "))
		}
		return strings.Join(cells, ", ")
	}
	all := c.Get("/app/analises?from=2026-03-01")
	for _, want := range []struct {
		chart string
		row   int
		cells string
	}{
		{"hours", 9, "R$ 100,00, 1, R$ 100,00, 100,0%"},
		{"hours", 10, "R$ 150,00, 1, R$ 150,00, 50,0%"}, // one is pending, one expired
		{"hours", 11, "R$ 900,00, 1, R$ 900,00, 100,0%"},
		{"hours", 12, "R$ 0,00, 0, –, –"},
		{"weekdays", 0, "R$ 1.150,00, 3, R$ 383,33, 75,0%"},
		{"weekdays", 1, "R$ 0,00, 0, –, –"},
	} {
		if got := cells(all, want.chart, want.row); got != want.cells {
			t.Errorf("%s %d: %q, want %q", want.chart, want.row, got, want.cells)
		}
	}
	if got := cells(c.Get("/app/analises?period=today"), "weekdays", 0); got != "R$ 150,00, 1, R$ 150,00, 50,0%" {
		t.Errorf("today: %q", got)
	}
	if a := c.Get("/app/analises?from=x"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("no day: %d", a.Status)
	}
	if c.Get("/app?period=days30").Find(`main a[href="/app/analises?period=days30"]`).Length() != 1 {
		t.Error("the start page does not lead there with its period")
	}
	c.Post("/app/ambiente", "env", "live")
	if a := c.Get("/app/analises?from=2026-03-01"); a.Status != http.StatusOK ||
		strings.Contains(a.Text(), "R$\u00a0900,00") {
		t.Error("live tells what was paid in test")
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
