package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// The page of an account shows all of it, and from there it is stopped and let go,
// its money held back and released, and its access ended.
func TestOps_Account(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	s.Approve(t)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := "/ops/contas/" + s.Account.ID
	text := c.Get(path).Find("main").Text()
	for _, want := range []string{"Ateliê Aurora", "Ana Lima", "ana@example.com", s.Owner.UserID, "Suspensão da conta",
		"R$\u00a099,01", "0 em produção, 1 em teste"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if a := c.Get("/ops/contas"); a.Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Error("the account is not in the list")
	}

	stopsAndLetsGo(t, s, c, path)
	holdsBack(t, s, c, path)
	endsAccess(t, s, c, path)
}

// stopsAndLetsGo suspends the account, which takes its last characters and a reason, and
// resumes it.
func stopsAndLetsGo(t *testing.T, s *webtest.Site, c *webtest.Client, path string) {
	t.Helper()
	suspend, last4 := path+"/travas/SUSPENDED", path[len(path)-4:]
	page := c.Get(suspend)
	form, version := page.Find("main").Text(), page.Find("input[name=version]").AttrOr("value", "")
	for _, want := range []string{"Digite os 4\u00a0últimos caracteres do ID", "Para Ana Lima (ana@example.com)",
		"“Conta suspensa: Ateliê Aurora”", "Motivo: (o motivo que você escrever)"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form does not say %q: %s", want, form)
		}
	}
	for field, form := range map[string][]string{
		"#confirm-error": {"turn", "on", "version", version, "reason", "Ordem judicial 12."},
		"#reason-error":  {"turn", "on", "version", version, "confirm", last4, "reason", "curto"},
	} {
		if a := c.Post(suspend, form...); !strings.Contains(a.Find("main").Text(),
			"Motivo: "+form[slices.Index(form, "reason")+1]) || a.Status != http.StatusUnprocessableEntity ||
			a.Find(field).Length() != 1 {
			t.Errorf("%s: %d", field, a.Status)
		}
	}
	turn := func(to string, pairs ...string) webtest.Answer {
		return c.Post(suspend, append(pairs, "turn", to, "reason", "Ordem judicial 12.", "confirm", last4)...)
	}
	if a := turn("on"); a.Status != http.StatusConflict {
		t.Errorf("without a version: %d", a.Status)
	}
	if a := turn("on", "version", version, "ticket", strings.Repeat("x", 101)); !strings.Contains(
		a.Find("#ticket-error").Text(), "Escreva o chamado em até 100 caracteres") {
		t.Errorf("a long number of a case: %d %s", a.Status, a.Find("#ticket-error").Text())
	}
	if a := turn("on", "version", version, "ticket", "HELP-77"); a.Header.Get("Location") != path {
		t.Fatalf("suspending: %d", a.Status)
	}
	if a := turn("on", "version", version); a.Status != http.StatusConflict ||
		!strings.Contains(a.Find("[role=alert]").Text(), "Eva Reis agora") {
		t.Errorf("suspending twice: %d %s", a.Status, a.Find("[role=alert]").Text())
	}
	merchant := s.Member(t)
	if text := merchant.Get("/app").Find("main").Text(); !strings.Contains(text, "Ordem judicial 12.") {
		t.Error("the merchant is not told")
	}
	if a := merchant.Get("/app/auditoria"); strings.Contains(a.Body, "HELP-77") ||
		strings.Contains(merchant.Get("/app/auditoria.csv").Body, "HELP-77") {
		t.Error("the merchant learns the number of the case")
	}
	if a := c.Get("/ops/auditoria?subject=switch"); !strings.Contains(a.Find("main").Text(), "HELP-77") {
		t.Error("the log does not show the number of the case")
	}
	off := c.Get(suspend).Find("input[name=version]").AttrOr("value", "")
	if a := c.Post(suspend, "turn", "off", "version", off, "reason", "A ordem foi revogada."); off == version ||
		a.Header.Get("Location") != path {
		t.Errorf("letting go: %d", a.Status)
	}
	if a := turn("on", "version", version); a.Status != http.StatusConflict { // on and off since
		t.Errorf("a form of before two changes: %d", a.Status)
	}
	if text := c.Get(path).Find("main").Text(); !strings.Contains(text, "Desligada em ") ||
		!strings.Contains(text, "Motivo: A ordem foi revogada.") {
		t.Error("a switch that is off does not say since when and why")
	}
	if a := c.Get(path + "/travas/PRODUCTION"); a.Status != http.StatusNotFound {
		t.Errorf("a switch that there is not: %d", a.Status)
	}
}

// holdsBack blocks a part of the 99,01 that are available, and releases it.
func holdsBack(t *testing.T, s *webtest.Site, c *webtest.Client, path string) {
	t.Helper()
	block := path + "/bloqueios"
	if a := c.Post(block, "version", "0", "outcome", "TEST", "amount", "99,02", "reason",
		"Disputa 77 em análise."); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#amount-error").Length() != 1 || a.Find("#amount").AttrOr("value", "") != "99,02" {
		t.Errorf("blocking too much: %d", a.Status)
	}
	if a := c.Post(block, "version", "0", "outcome", "TEST", "amount", "50,00", "reason",
		"x"); a.Status != http.StatusUnprocessableEntity || a.Find("#reason-error").Length() != 1 {
		t.Errorf("blocking for a reason of one character: %d", a.Status)
	}
	if a := c.Post(block, "version", "0", "outcome", "ALL", "amount", "x", "reason",
		"Disputa 77 em análise."); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#outcome-error").Length() != 1 || a.Find("#amount-error").Length() != 1 {
		t.Errorf("blocking nothing anywhere: %d", a.Status)
	}
	form := []string{"outcome", "TEST", "amount", "50,00", "reason", "Disputa 77 em análise."}
	if _, done := carryOut(t, c, block, form...); done.Header.Get("Location") != path {
		t.Fatalf("blocking: %d %s", done.Status, done.Find("#errors").Text())
	}
	if a := c.Post(block, append(form, "version", "0", "do", "send")...); a.Status != http.StatusConflict ||
		!strings.Contains(a.Find("[role=alert]").Text(), "Eva Reis") {
		t.Errorf("blocking again with the form of before: %d", a.Status)
	}
	held := c.Get(path).Find(`a[href^="` + block + `/blk_"]`)
	if !strings.Contains(held.Text(), "Disputa 77 em análise.") {
		t.Fatal("the blocked amount is not shown")
	}
	release := held.AttrOr("href", "")
	if a := c.Get("/ops/buscar?q=" + release[len(block)+1:]); a.Header.Get("Location") != release {
		t.Errorf("a search of the amount leads to %q", a.Header.Get("Location"))
	}
	if a := c.Get("/ops/contas/acc_00000000000000000000" + release[len(path):]); a.Status != http.StatusNotFound {
		t.Errorf("the amount of another account: %d", a.Status)
	}
	carryOut(t, c, release, "reason", "A disputa acabou.")
	if a := c.Post(release, "version", "1", "reason", "A disputa acabou.", "do",
		"send"); a.Status != http.StatusConflict || !strings.Contains(a.Find("main").Text(), "A disputa acabou.") {
		t.Errorf("releasing again: %d", a.Status)
	}
	if b, err := s.Books(t.Context(), s.Account.ID, models.Test); err != nil || b.Blocked != 0 || b.Available != 99_01 {
		t.Errorf("the books have %+v, %v", b, err)
	}
}

// endsAccess ends the access to production from the page of an account, after a look at
// what the merchant will read.
func endsAccess(t *testing.T, s *webtest.Site, c *webtest.Client, path string) {
	t.Helper()
	end := path + "/encerrar"
	a := c.Post(end, "reasonCode", "RISK", "reason", "Fraude confirmada pelo banco.")
	if !strings.Contains(a.Find("main").Text(), "Seu acesso à produção foi encerrado") {
		t.Fatalf("the preview: %d %s", a.Status, a.Find("main").Text())
	}
	if a := c.Post(end, append(webtest.HiddenFields(a), "do", "send")...); a.Header.Get("Location") != path ||
		s.ProductionAccess(t) != models.AccessRejected {
		t.Errorf("ending: %d, it is %s", a.Status, s.ProductionAccess(t))
	}
	if a := c.Post(end, "reasonCode", "RISK", "reason", "Fraude confirmada pelo banco.", "do",
		"send"); a.Status != http.StatusConflict {
		t.Errorf("ending twice: %d", a.Status)
	}
}

// Where the choice of a language leads from the answer to a form that has no page at its address: to the page that
// the form was on, or to the nearest one above.
func TestOps_LedBack(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffSupervisor)
	account := "/ops/contas/" + s.Account.ID
	if err := s.Merchants.SaveReason(t.Context(), by, models.ReasonDispute, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	reason := "/ops/motivos/" + modelstest.One[string](t, s.DB, "SELECT id FROM decision_reasons")
	charge := "/ops/cobrancas/" + s.Checkout(t, payments.NewCheckout{}).ID
	for _, tc := range []struct{ path, from, want string }{
		{account + "/notas", "", account},
		{account + "/notas", account + "?tab=x", account + "?tab=x"},
		{account + "/notas", account + "/notas", account},
		{account + "/notas", charge + "/pagador", charge}, // from another answer without an address
		{account + "/notas", "/ops/bancos/nova", "/ops/bancos/nova"},
		{reason, "", "/ops/motivos"},
		{reason, "/ops/motivos?kind=dispute", "/ops/motivos?kind=dispute"},
		{charge + "/pagador", "", charge},
	} {
		from := tc.from
		if from != "" {
			from = s.URL + from
		}
		a := c.CameFrom(http.MethodPost, tc.path, from, "version", "1")
		forms := a.Find("form[action='/preferencias']:has([name=lang],[name=theme],[name=rows])")
		forms.Each(func(_ int, form *goquery.Selection) {
			if to := form.Find("[name=next]").AttrOr("value", ""); to != tc.want {
				t.Errorf("from %s on %q it leads to %q, want %q", tc.path, tc.from, to, tc.want)
			}
		})
		if forms.Length() != 3 {
			t.Errorf("%s: %d with %d choices", tc.path, a.Status, forms.Length())
		}
	}
	for _, from := range []string{"https://evil.example/ops", "://", s.URL + "//evil.example"} {
		a := c.CameFrom(http.MethodPost, account+"/notas", from)
		if to := a.Find("form[action='/preferencias'] [name=next]").AttrOr("value", ""); to != account {
			t.Errorf("from %s it leads to %q", from, to)
		}
	}
}
