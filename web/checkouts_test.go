package web_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/psp/simulator"
)

// Tabs, search and days narrow the list, in any combination, and stand in the
// address.
func TestCheckouts_Filters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	if a := c.get("/app/cobrancas"); !strings.Contains(a.Text(), "Nenhuma cobrança ainda") {
		t.Error("an empty account has no first-use text")
	}
	name := "Carla Menezes"
	first := s.Checkout(t, payments.NewCheckout{Amount: 1234_50, Customer: payments.Customer{Name: &name}})
	s.Clock.Advance(25 * time.Hour)
	second := s.Checkout(t, payments.NewCheckout{ExternalID: "order-9"})
	if err := s.SimulatePayment(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	rows := func(query string) string {
		var ids []string
		c.get("/app/cobrancas?" + query).Find("tbody a").Each(func(_ int, a *goquery.Selection) {
			ids = append(ids, strings.TrimPrefix(a.AttrOr("href", ""), "/app/cobrancas/"))
		})
		return strings.Join(ids, " ")
	}
	for query, want := range map[string]string{
		"":                                 second.ID + " " + first.ID,
		"q=R%24+1.234,50":                  first.ID,
		"q=1234.5":                         first.ID,
		"q=carla":                          first.ID,
		"q=" + second.TxID:                 second.ID,
		"q=order-9&status=PAID":            second.ID,
		"q=order-9&status=PENDING":         "",
		"from=2026-03-02":                  second.ID,
		"until=2026-03-01":                 first.ID,
		"from=2026-03-01&until=2026-03-02": second.ID + " " + first.ID,
		"q=%00%ff":                         second.ID + " " + first.ID,
		"status=NOPE&cursor=nope":          second.ID + " " + first.ID,
	} {
		if got := rows(query); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	a := c.get("/app/cobrancas?q=nobody&status=PAID&from=2026-03-01")
	if !strings.Contains(a.Text(), "Nada com esses filtros") || a.Find("#q").AttrOr("value", "") != "nobody" || a.Find("#from").AttrOr("value", "") != "2026-03-01" ||
		a.Find(`a[aria-current=page][href="/app/cobrancas?from=2026-03-01&q=nobody&status=PAID"]`).Length() != 1 {
		t.Error("a list without hits forgets what was asked for")
	}
	if got := strings.Join(strings.Fields(strings.ReplaceAll(c.get("/app/cobrancas").Find("main nav").First().Text(), "s ", "s")), ""); got != "Todas2Pagas1Pendentes1Vencidas0Canceladas0" {
		t.Errorf("the tabs are %q", got)
	}
	for _, query := range []string{"from=x", "from=2026-03-02&until=2026-03-01", "until=2026-02-31"} {
		if a := c.get("/app/cobrancas?" + query); a.status != http.StatusUnprocessableEntity || a.Find("[aria-invalid]").Length() != 1 {
			t.Errorf("%s: %d", query, a.status)
		}
	}
}

// Who looks for an amount or a description in vain reads among how many charges it was
// looked for.
func TestSearch_BoundsTold(t *testing.T) {
	t.Parallel()
	c := newSite(t).member(t)
	for lang, numbers := range map[string][]string{"pt-BR": {"20.000 cobranças mais recentes", "(nas 100.000)"}, "en": {"latest 20,000 charges", "(among 100,000)"}} {
		c.lang = lang
		for _, path := range []string{"/app/cobrancas?q=77,77", "/app/busca?q=77,77"} {
			text := c.get(path).Find("main").Text()
			for _, number := range numbers {
				if !strings.Contains(text, number) {
					t.Errorf("%s in %s says %s", path, lang, text)
				}
			}
		}
	}
	if models.AmountsLookedThrough != 100_000 || models.DescriptionsLookedThrough != 20_000 {
		t.Errorf("they are looked for among %d and %d", models.AmountsLookedThrough, models.DescriptionsLookedThrough)
	}
}

// The file is the list, whole, with nothing in it that a spreadsheet would run.
func TestCheckouts_File(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for range 501 { // more than are read at a time
		s.Clock.Advance(time.Millisecond)
		s.Checkout(t, payments.NewCheckout{})
	}
	s.Clock.Advance(time.Second)
	name := "@SUM(A1)"
	paid := s.Checkout(t, payments.NewCheckout{Amount: 100_00, Description: "=1+1", ExternalID: "x,\"y\"", Customer: payments.Customer{Name: &name}})
	if err := s.ConfirmPayment(t.Context(), false, simulator.Pay(paid.TxID, 100_00, s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	a := c.get("/app/cobrancas/cobrancas.csv")
	if a.status != http.StatusOK || !strings.Contains(a.header.Get("Content-Disposition"), `"cobrancas-test.csv"`) || !strings.HasPrefix(a.body, "\uFEFF") {
		t.Fatalf("%d %v", a.status, a.header)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\uFEFF"))).ReadAll()
	if err != nil || len(lines) != 503 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	want := []string{paid.ID, "2026-03-01 09:00:01", "PAID", "100.00", `x,"y"`, "'=1+1", "'@SUM(A1)", "", "", "2026-03-01 09:30:01", "2026-03-01 09:00:01", "", "0.99", "99.01", "PENDING"}
	want[11] = lines[1][11]
	if got := strings.Join(lines[1], "|"); got != strings.Join(want, "|") || !strings.HasPrefix(want[11], "E") {
		t.Errorf("the line is %s, want %s", got, strings.Join(want, "|"))
	}
	if a := c.get("/app/cobrancas/cobrancas.csv?status=PAID"); strings.Count(a.body, "chk_") != 1 {
		t.Error("the file is not narrowed as the list is")
	}
	if a := c.get("/app/cobrancas/cobrancas.csv?from=x"); a.status != http.StatusSeeOther {
		t.Errorf("a wrong day: %d", a.status)
	}
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.get("/app/cobrancas/cobrancas.csv"); a.status != http.StatusForbidden {
		t.Errorf("a developer exports: %d", a.status)
	}
}

// The page of a charge tells its whole story.
func TestCheckout_Story(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	paid := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	for range 2 { // the second is a duplicate
		if err := s.ConfirmPayment(t.Context(), false, simulator.Pay(paid.TxID, 100_00, s.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	var payment string
	s.DB.Raw("SELECT id FROM payments WHERE settles").Scan(&payment)
	if err := s.DB.Exec("INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by, created_at) VALUES ('rfd_00000000000000000000', ?, ?, false, 4000, 'x', ?, now())",
		payment, s.Account.ID, s.Owner.UserID).Error; err != nil {
		t.Fatal(err)
	}
	story := c.get("/app/cobrancas/" + paid.ID).Text()
	for _, says := range []string{"R$\u00a0100,00", "−R$\u00a00,99", "R$\u00a099,01", "Valor disponível", "R$\u00a040,00 devolvidos", "A cobrança já estava paga", "Estamos analisando"} {
		if !strings.Contains(story, says) {
			t.Errorf("the story leaves out %q", says)
		}
	}
	if strings.Contains(story, "Cancelar cobrança") || strings.Contains(story, "Simular") {
		t.Error("a paid charge can be changed")
	}
	pending := s.Checkout(t, payments.NewCheckout{})
	a := c.get("/app/cobrancas/" + pending.ID)
	share, err := url.Parse(a.Find(`a[href^="https://wa.me/"]`).AttrOr("href", ""))
	if err != nil || !strings.Contains(share.Query().Get("text"), "/pay/"+pending.ID) {
		t.Errorf("the message is %v", share)
	}
	c.post("/app/cobrancas/" + pending.ID + "/cancelar")
	if story := c.get("/app/cobrancas/" + pending.ID).Find("#progress + ol").Text(); !strings.Contains(story, "Cancelada") || !strings.Contains(story, "1 de mar. de 2026, 09:01") {
		t.Error("nothing tells when it was cancelled")
	}
	s.GiveRole(t, models.RoleViewer)
	another := s.Checkout(t, payments.NewCheckout{})
	for _, act := range []string{"cancelar", "simular", "expirar"} {
		if a := c.post("/app/cobrancas/" + another.ID + "/" + act); a.status != http.StatusForbidden {
			t.Errorf("a viewer: %s: %d", act, a.status)
		}
	}
	if a := c.get("/app/cobrancas/" + another.ID); a.status != http.StatusOK || a.Find(`main form`).Length() != 0 {
		t.Errorf("a viewer's page has %d forms", a.Find("main form").Length())
	}
}

// Charges that ended in test tell when, and their events stand in the order in which
// they came even if the clock did not move.
func TestCheckout_EndedAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for range 5 { // the ids of two events are in order by chance
		expired := s.Checkout(t, payments.NewCheckout{})
		if err := s.SimulateExpiry(t.Context(), expired.ID); err != nil {
			t.Fatal(err)
		}
		a := c.get("/app/cobrancas/" + expired.ID)
		if story := a.Find("#progress + ol").Text(); strings.Contains(story, "09:30") || strings.Count(story, "09:00") != 3 {
			t.Errorf("it expired later than it did: %q", story)
		}
		if first := a.Find("#events ~ ol > li").First().Text(); !strings.Contains(first, models.EventCheckoutCreated) {
			t.Errorf("the first event is %q", first)
		}
	}
}

// Who cannot charge where they look is not told to: in live without access, or with a
// role that only looks.
func TestCheckouts_EmptyTellsWhatCanBeDone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.get(path); a.Find("#example").Length() != 1 || a.Find("main a[href='/app/cobrancas/nova']").Length() != 1 || a.Find("main a.btn-primary").Length() != 1 {
			t.Errorf("%s in test: %d examples, %d primary buttons", path, a.Find("#example").Length(), a.Find("main a.btn-primary").Length())
		}
	}
	c.post("/app/ambiente", "env", "live")
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.get(path); a.Find("#example, main a[href='/app/cobrancas/nova']").Length() != 0 || a.Find("main a[href='/app/producao']").Length() == 0 {
			t.Errorf("%s in live without access tells how to charge", path)
		}
	}
	s.GiveRole(t, models.RoleViewer)
	c.post("/app/ambiente", "env", "test")
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.get(path); a.Find("#example, #steps, main a[href='/app/cobrancas/nova']").Length() != 0 {
			t.Errorf("%s tells a viewer how to charge", path)
		}
	}
}

// A charge made by hand follows the rules of the API, loses nothing that was typed,
// and is made once.
func TestNewCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	a := c.get("/app/cobrancas/nova")
	key, order := a.Find("input[name=key]").AttrOr("value", ""), a.Find("#externalId").AttrOr("value", "")
	if key == "" || order == "" {
		t.Fatalf("no key or no order: %q, %q", key, order)
	}
	form := []string{
		"key", key, "amount", "R$ 1.234,5", "description", " Vaso\r\nazul ", "externalId", order, "expiry", "other", "minutes", "90",
		"customer_name", "Carla", "customer_email", "carla@example.com", "customer_phone", "(11) 98765-4321",
		"metadata_key_0", "cor", "metadata_value_0", "azul", "metadata_key_1", "", "metadata_value_1", "",
	}
	var place string
	for range 2 {
		a := c.post("/app/cobrancas", form...)
		if a.status != http.StatusSeeOther || place != "" && place != a.header.Get("Location") {
			t.Fatalf("%d to %s, before to %s", a.status, a.header.Get("Location"), place)
		}
		place = a.header.Get("Location")
	}
	got, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(place, "/app/cobrancas/"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Amount != 1234_50 || got.Description != "Vaso\nazul" || got.ExternalID != order || got.ExpiresAt.Sub(got.CreatedAt) != 90*time.Minute ||
		*got.CustomerName != "Carla" || string(got.Metadata) != `{"cor": "azul"}` {
		t.Errorf("made %+v", got)
	}
	if page := c.get(place); !strings.Contains(page.Text(), "Cobrança criada") || strings.Contains(withoutChance(page.body), "98765") {
		t.Error("the page does not say so, or shows the phone")
	}
	form[3] = "20"
	if a := c.post("/app/cobrancas", form...); a.status != http.StatusUnprocessableEntity || a.Find("input[name=key]").AttrOr("value", key) == key {
		t.Errorf("the same form with another amount: %d", a.status)
	}
}

func TestNewCheckout_Wrong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	fine := map[string]string{"amount": "10", "description": "Vaso", "externalId": "1", "expiry": "1800"}
	for name, change := range map[string]map[string]string{
		"amount": {"amount": "0"}, "amount ": {"amount": "1,000,0"}, "amount  ": {"amount": "1000000,01"}, "description": {"description": " "},
		"externalId": {"externalId": "a\u200fb"}, "expiry": {"expiry": "1"}, "minutes": {"expiry": "other", "minutes": "1441"}, "minutes ": {"expiry": "other", "minutes": "99999999999999999999"},
		"customer_name": {"customer_email": "a@b.co"}, "customer_email": {"customer_name": "Carla"}, "customer_email ": {"customer_name": "C", "customer_email": "x"},
		"customer_document": {"customer_name": "C", "customer_document": "12"}, "customer_phone": {"customer_name": "C", "customer_phone": "call me"},
		"metadata_key_1":  {"metadata_key_0": "a", "metadata_value_0": "1", "metadata_key_1": "", "metadata_value_1": "2"},
		"metadata_key_1 ": {"metadata_key_0": "a", "metadata_value_0": "1", "metadata_key_1": "a", "metadata_value_1": "2"},
	} {
		typed := map[string]string{}
		var pairs []string
		for _, fields := range []map[string]string{fine, change} {
			for field, value := range fields {
				typed[field] = value
			}
		}
		for field, value := range typed {
			pairs = append(pairs, field, value)
		}
		a := c.post("/app/cobrancas", pairs...)
		field := strings.TrimSpace(name)
		if a.status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 1 || a.Find("#"+field+"-error").Length() != 1 {
			t.Errorf("%s: %d, %q", field, a.status, a.Find("#errors").Text())
		}
		for field, value := range typed {
			if field != "expiry" && a.Find("#"+field).AttrOr("value", a.Find("#"+field).Text()) != value {
				t.Errorf("%s: lost %s", name, field)
			}
		}
	}
	a := c.post("/app/cobrancas", "amount", "x", "metadata_more", "1", "metadata_key_0", "cor", "metadata_value_0", "azul", "metadata_key_1", "", "metadata_key_2", "")
	if a.status != http.StatusOK || a.Find("[id^=metadata_key_]").Length() != 6 || a.Find("#errors").Length() != 0 || a.Find("#amount").AttrOr("value", "") != "x" {
		t.Errorf("more rows: %d, %d", a.status, a.Find("[id^=metadata_key_]").Length())
	}
	if a := c.post("/app/cobrancas", "amount", "10,37", "description", "x", "externalId", "1", "expiry", "1800"); a.status != http.StatusServiceUnavailable || a.Find("#amount").AttrOr("value", "") != "10,37" {
		t.Errorf("the bank is down: %d", a.status)
	}
	var made int
	if s.DB.Raw("SELECT count(*) FROM checkouts").Scan(&made); made != 0 {
		t.Errorf("%d made", made)
	}
	s.GiveRole(t, models.RoleViewer)
	if get, post := c.get("/app/cobrancas/nova"), c.post("/app/cobrancas", "amount", "10"); get.status != http.StatusForbidden || post.status != http.StatusForbidden {
		t.Errorf("a viewer: %d, %d", get.status, post.status)
	}
}
