package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// Tabs, search and days narrow the list, in any combination, and stand in the
// address.
func TestCheckouts_Filters(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app/cobrancas"); !strings.Contains(a.Text(), "Nenhuma cobrança ainda") {
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
		c.Get("/app/cobrancas?" + query).Find("tbody a").Each(func(_ int, a *goquery.Selection) {
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
	a := c.Get("/app/cobrancas?q=nobody&status=PAID&from=2026-03-01")
	if !strings.Contains(a.Text(), "Nada com esses filtros") || a.Find("#q").AttrOr("value", "") != "nobody" ||
		a.Find("#from").AttrOr("value", "") != "2026-03-01" ||
		a.Find(`a[aria-current=page][href="/app/cobrancas?from=2026-03-01&q=nobody&status=PAID"]`).Length() != 2 {
		t.Error("a list without hits forgets what was asked for")
	}
	if got := strings.Join(strings.Fields(strings.ReplaceAll(c.Get("/app/cobrancas").Find("main nav").First().Text(),
		"s ", "s")), ""); got != "Todas2Pagas1Pendentes1Vencidas0Canceladas0" {
		t.Errorf("the tabs are %q", got)
	}
	for _, query := range []string{"from=x", "from=2026-03-02&until=2026-03-01", "until=2026-02-31"} {
		if a := c.Get("/app/cobrancas?" + query); a.Status != http.StatusUnprocessableEntity ||
			a.Find("[aria-invalid]").Length() != 1 {
			t.Errorf("%s: %d", query, a.Status)
		}
	}
}

// Periods are links that keep the rest of the filter, and a list says how many charges it has on all pages and
// what they amount to.
func TestCheckouts_Totals(t *testing.T) {
	t.Parallel()
	s := webtest.New(t) // 1 March 2026, 9:00 in Brasília
	s.Checkout(t, payments.NewCheckout{Amount: 1234_50})
	s.Clock.Advance(24 * time.Hour)
	c := s.Member(t)
	paid := s.Checkout(t, payments.NewCheckout{Amount: 50_00, ExternalID: "order-9"})
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	periods := c.Get("/app/cobrancas?status=PAID&q=order-9").Find(`main nav[aria-label="Período"] a`)
	sums := map[string]string{"": "2 cobranças · R$\u00a01.284,50", "status=PAID": "1 paga · R$\u00a050,00",
		"status=PENDING": "1 pendente · R$\u00a01.234,50", "q=order-9": "1 cobrança · R$\u00a050,00"}
	for i, want := range []struct{ label, query string }{
		{"Tudo", "q=order-9&status=PAID"},
		{"Hoje", "from=2026-03-02&q=order-9&status=PAID&until=2026-03-02"},
		{"7 dias", "from=2026-02-24&q=order-9&status=PAID&until=2026-03-02"},
		{"Este mês", "from=2026-03-01&q=order-9&status=PAID&until=2026-03-31"},
	} {
		a := periods.Eq(i)
		if got := a.AttrOr("href", ""); strings.TrimSpace(a.Text()) != want.label ||
			got != "/app/cobrancas?"+want.query {
			t.Errorf("%s leads to %s", a.Text(), got)
		}
		sums[want.query] = "1 paga · R$\u00a050,00"
	}
	for query, want := range sums {
		if got := strings.TrimSpace(c.Get("/app/cobrancas?" + query).Find("#sum").Text()); got != want {
			t.Errorf("%q sums to %q, want %q", query, got, want)
		}
	}
	modelstest.Exec(t, s.DB, `INSERT INTO checkouts (id, project_id, livemode, status, amount, description, external_id,
			txid, copy_paste, created_at, expires_at)
		SELECT 'chk_' || left(md5(i::text), 20), project_id, livemode, 'EXPIRED', 1, 'x', 'x', md5(i::text), 'x',
			created_at, expires_at
		FROM checkouts, generate_series(1, $1) i WHERE id = $2`, models.SummedCheckouts+1, paid.ID)
	many := c.Get("/app/cobrancas?status=EXPIRED").Find("#sum").Text()
	if got := strings.TrimSpace(many); got != "Mais de 10.000 vencidas" {
		t.Errorf("many sum to %q", got)
	}
}

// Who looks for an amount or a description in vain reads among how many charges it was
// looked for.
func TestSearch_BoundsTold(t *testing.T) {
	t.Parallel()
	c := webtest.New(t).Member(t)
	for lang, numbers := range map[string][]string{"pt-BR": {"20.000 cobranças mais recentes", "nas 100.000"},
		"en": {"latest 20,000 charges", "latest 100,000 charges"}} {
		c.Lang = lang
		for _, path := range []string{"/app/cobrancas?q=77,77", "/app/busca?q=77,77"} {
			text := c.Get(path).Find("main").Text()
			for _, number := range numbers {
				if !strings.Contains(text, number) {
					t.Errorf("%s in %s says %s", path, lang, text)
				}
			}
		}
	}
	if models.AmountsLookedThrough != 100_000 || models.LookedThrough != 20_000 {
		t.Errorf("they are looked for among %d and %d", models.AmountsLookedThrough, models.LookedThrough)
	}
}

// The file is the list, whole, with nothing in it that a spreadsheet would run.
func TestCheckouts_File(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for range 501 { // more than are read at a time
		s.Clock.Advance(time.Millisecond)
		s.Checkout(t, payments.NewCheckout{})
	}
	s.Clock.Advance(time.Second)
	name := "@SUM(A1)"
	paid := s.Checkout(t, payments.NewCheckout{Amount: 100_00, Description: "=1+1", ExternalID: "x,\"y\"",
		Customer: payments.Customer{Name: &name}})
	if err := s.ConfirmPayment(t.Context(), models.Test,
		simulator.Pay(paid.TxID, 100_00, s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	a := c.Get("/app/cobrancas/cobrancas.csv")
	if a.Status != http.StatusOK || !strings.Contains(a.Header.Get("Content-Disposition"), `"cobrancas-test.csv"`) ||
		!strings.HasPrefix(a.Body, "\uFEFF") {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	if list := c.Get("/app/cobrancas").Find("main table td:last-child time"); list.Length() != 1 ||
		list.Text() != "agora" {
		t.Errorf("the list says when charges were paid: %q", list.Text())
	}
	for lang, want := range map[string][]string{
		"pt-BR": {paid.ID, "01/03/2026 09:00:01", "Paga", "100,00", `x,"y"`, "'=1+1", "'@SUM(A1)", "", "",
			"01/03/2026 09:30:01", "01/03/2026 09:00:01", "", "0,99", "99,01", "A liberar"},
		"en": {paid.ID, "2026-03-01 09:00:01", "PAID", "100.00", `x,"y"`, "'=1+1", "'@SUM(A1)", "", "",
			"2026-03-01 09:30:01", "2026-03-01 09:00:01", "", "0.99", "99.01", "PENDING"},
	} {
		c.Lang = lang
		lines := records(t, lang, c.Get("/app/cobrancas/cobrancas.csv").Body)
		if len(lines) != 503 {
			t.Fatalf("%s: %d lines", lang, len(lines))
		}
		want[11] = lines[1][11]
		if got := strings.Join(lines[1], "|"); got != strings.Join(want, "|") || !strings.HasPrefix(want[11], "E") {
			t.Errorf("%s: the line is %s, want %s", lang, got, strings.Join(want, "|"))
		}
	}
	if a := c.Get("/app/cobrancas/cobrancas.csv?status=PAID"); strings.Count(a.Body, "chk_") != 1 {
		t.Error("the file is not narrowed as the list is")
	}
	if a := c.Get("/app/cobrancas/cobrancas.csv?from=x"); a.Status != http.StatusSeeOther {
		t.Errorf("a wrong day: %d", a.Status)
	}
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.Get("/app/cobrancas/cobrancas.csv"); a.Status != http.StatusForbidden {
		t.Errorf("a developer exports: %d", a.Status)
	}
}

// The page of a charge tells its whole story.
func TestCheckout_Story(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	paid := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	for range 2 { // the second is a duplicate
		if err := s.ConfirmPayment(t.Context(), models.Test,
			simulator.Pay(paid.TxID, 100_00, s.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	payment := modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE settles")
	modelstest.Exec(t, s.DB, "INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by, "+
		"created_at) VALUES ('rfd_00000000000000000000', $1, $2, false, 4000, 'x', $3, now())",
		payment, s.Account.ID, s.Owner.UserID)
	story := c.Get("/app/cobrancas/" + paid.ID).Text()
	for _, says := range []string{"R$\u00a0100,00", "−R$\u00a00,99", "R$\u00a099,01", "Valor disponível",
		"R$\u00a040,00 devolvidos", "A cobrança já estava paga", "Estamos analisando"} {
		if !strings.Contains(story, says) {
			t.Errorf("the story leaves out %q", says)
		}
	}
	if strings.Contains(story, "Cancelar cobrança") || strings.Contains(story, "Simular") {
		t.Error("a paid charge can be changed")
	}
	pending := s.Checkout(t, payments.NewCheckout{})
	a := c.Get("/app/cobrancas/" + pending.ID)
	share, err := url.Parse(a.Find(`a[href^="https://wa.me/"]`).AttrOr("href", ""))
	if err != nil || !strings.Contains(share.Query().Get("text"), "/pay/"+pending.ID) {
		t.Errorf("the message is %v", share)
	}
	c.Post("/app/cobrancas/" + pending.ID + "/cancelar")
	if story := c.Get("/app/cobrancas/" + pending.ID).Find("#progress + ol").Text(); !strings.Contains(story,
		"Cancelada") || strings.Count(story, "1 de mar. de 2026, 09:01:00") != 3 {
		t.Error("nothing tells when it was cancelled")
	}
	s.GiveRole(t, models.RoleViewer)
	another := s.Checkout(t, payments.NewCheckout{})
	for _, act := range []string{"cancelar", "simular", "expirar"} {
		if a := c.Post("/app/cobrancas/" + another.ID + "/" + act); a.Status != http.StatusForbidden {
			t.Errorf("a viewer: %s: %d", act, a.Status)
		}
	}
	if a := c.Get("/app/cobrancas/" + another.ID); a.Status != http.StatusOK || a.Find(`main form`).Length() != 0 {
		t.Errorf("a viewer's page has %d forms", a.Find("main form").Length())
	}
}

// Charges that ended in test tell when, and their events stand in the order in which
// they came even if the clock did not move.
func TestCheckout_EndedAtOnce(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for range 5 { // the ids of two events are in order by chance
		expired := s.Checkout(t, payments.NewCheckout{})
		if err := s.SimulateExpiry(t.Context(), expired.ID); err != nil {
			t.Fatal(err)
		}
		a := c.Get("/app/cobrancas/" + expired.ID)
		if story := a.Find("#progress + ol").Text(); strings.Contains(story, "09:30") ||
			strings.Count(story, "09:00") != 3 {
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
	s := webtest.New(t)
	c := s.Member(t)
	c.Post("/app/primeiros-passos", "way", "api")
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.Get(path); a.Find("#example").Length() != 1 ||
			a.Find("main a[href='/app/cobrancas/nova']").Length() != 1 || a.Find("main a.btn-primary").Length() != 1 {
			t.Errorf("%s in test: %d examples, %d primary buttons", path, a.Find("#example").Length(),
				a.Find("main a.btn-primary").Length())
		}
	}
	s.ToLive(t, c)
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.Get(path); a.Find("#example, main a[href='/app/cobrancas/nova']").Length() != 0 ||
			a.Find("main a[href='/app/producao']").Length() == 0 {
			t.Errorf("%s in live without access tells how to charge", path)
		}
	}
	s.GiveRole(t, models.RoleViewer)
	c.Post("/app/ambiente", "env", "test")
	for _, path := range []string{"/app", "/app/cobrancas"} {
		if a := c.Get(path); a.Find("#example, #steps, main a[href='/app/cobrancas/nova']").Length() != 0 {
			t.Errorf("%s tells a viewer how to charge", path)
		}
	}
}

func TestCheckouts(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	var ids []string
	for i := range 30 {
		s.Clock.Advance(time.Second)
		ids = append(ids, s.Checkout(t, payments.NewCheckout{ExternalID: "order-" + string(rune('a'+i%26))}).ID)
	}
	first := c.Get("/app/cobrancas")
	next := first.Find("a[rel=next]").AttrOr("href", "")
	second := c.Get(next)
	for i, id := range ids {
		inFirst, inSecond := strings.Contains(first.Body, id), strings.Contains(second.Body, id)
		if inFirst == inSecond || inFirst != (i >= 5) {
			t.Errorf("checkout %d: on page one %v, two %v", i, inFirst, inSecond)
		}
	}
	if a := c.Get("/app/cobrancas?q=order-a"); strings.Count(a.Body, "/app/cobrancas/chk_") == 0 ||
		strings.Contains(a.Body, ids[1]) {
		t.Error("search by order")
	}
	if a := c.Get("/app/cobrancas?q=" + ids[3]); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app/cobrancas/"+ids[3] {
		t.Errorf("search by id: %d", a.Status)
	}
	for _, odd := range []string{"?cursor=nonsense", "?status=NOPE", "?q=%00%ff", "?q=chk_%00", "?cursor=%00"} {
		if a := c.Get("/app/cobrancas" + odd); a.Status != http.StatusOK {
			t.Errorf("%s: %d", odd, a.Status)
		}
	}
	_, withoutScript, _ := strings.Cut(c.Get("/app/cobrancas/"+ids[0]).Body, "<noscript")
	if form, _, _ := strings.Cut(withoutScript, "</noscript>"); !strings.Contains(form, ids[0]+"/cancelar") {
		t.Errorf("without a script the charge cannot be canceled: %q", form)
	}
	if a := c.Post("/app/cobrancas/" + ids[0] + "/cancelar"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get("/app/cobrancas/"+ids[0]).Text(), "Cobrança cancelada") {
		t.Errorf("cancelled: %d", a.Status)
	}
	if a := c.Post("/app/cobrancas/" + ids[0] + "/simular"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get("/app/cobrancas/"+ids[0]).Text(), "não está mais pendente") {
		t.Errorf("paid after that: %d", a.Status)
	}
	if err := s.SimulatePayment(t.Context(), ids[2]); err != nil {
		t.Fatal(err)
	}
	if a := c.Post("/app/cobrancas/" + ids[2] + "/cancelar"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get("/app/cobrancas/"+ids[2]).Text(), "acabou de pagar") {
		t.Errorf("cancelled after it was paid: %d", a.Status)
	}
	s.ToLive(t, c)
	for _, act := range []string{"", "/cancelar", "/simular", "/expirar"} {
		method := http.MethodPost
		if act == "" {
			method = http.MethodGet
		}
		if a := c.Do(method, "/app/cobrancas/"+ids[1]+act, url.Values{}); a.Status != http.StatusNotFound {
			t.Errorf("%s%s from live: %d", ids[1], act, a.Status)
		}
	}
}
