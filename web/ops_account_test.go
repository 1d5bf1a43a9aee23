package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
)

// The page of an account shows all of it, and from there it is stopped and let go,
// its money held back and released, and its access ended.
func TestOps_Account(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c, _ := s.console(t, models.StaffSupervisor)
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
	text := c.get(path).Find("main").Text()
	for _, want := range []string{"Ateliê Aurora", "Ana Lima", "ana@example.com", s.Owner.UserID, "Suspensão da conta", "R$\u00a099,01", "0 em produção, 1 em teste"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if a := c.get("/ops/contas"); a.Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Error("the account is not in the list")
	}

	s.stopsAndLetsGo(t, c, path)
	s.holdsBack(t, c, path)
	s.endsAccess(t, c, path)
}

// stopsAndLetsGo suspends the account, which takes its last characters and a reason, and
// resumes it.
func (s *site) stopsAndLetsGo(t *testing.T, c *client, path string) {
	t.Helper()
	suspend, last4 := path+"/travas/SUSPENDED", path[len(path)-4:]
	page := c.get(suspend)
	form, version := page.Find("main").Text(), page.Find("input[name=version]").AttrOr("value", "")
	for _, want := range []string{"Digite os 4\u00a0últimos caracteres do ID", "Para Ana Lima (ana@example.com)", "“Conta suspensa: Ateliê Aurora”", "Motivo: (o motivo que você escrever)"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form does not say %q: %s", want, form)
		}
	}
	for field, form := range map[string][]string{
		"#confirm-error": {"turn", "on", "version", version, "reason", "Ordem judicial 12."}, "#reason-error": {"turn", "on", "version", version, "confirm", last4, "reason", "curto"},
	} {
		if a := c.post(suspend, form...); !strings.Contains(a.Find("main").Text(), "Motivo: "+form[slices.Index(form, "reason")+1]) || a.status != http.StatusUnprocessableEntity || a.Find(field).Length() != 1 {
			t.Errorf("%s: %d", field, a.status)
		}
	}
	turn := func(to string, pairs ...string) answer {
		return c.post(suspend, append(pairs, "turn", to, "reason", "Ordem judicial 12.", "confirm", last4)...)
	}
	if a := turn("on"); a.status != http.StatusConflict {
		t.Errorf("without a version: %d", a.status)
	}
	if a := turn("on", "version", version, "ticket", "HELP-77"); a.header.Get("Location") != path {
		t.Fatalf("suspending: %d", a.status)
	}
	if a := turn("on", "version", version); a.status != http.StatusConflict || !strings.Contains(a.Find("[role=alert]").Text(), "Eva Reis agora") {
		t.Errorf("suspending twice: %d %s", a.status, a.Find("[role=alert]").Text())
	}
	merchant := s.member(t)
	if text := merchant.get("/app").Find("main").Text(); !strings.Contains(text, "Ordem judicial 12.") {
		t.Error("the merchant is not told")
	}
	if a := merchant.get("/app/auditoria"); strings.Contains(a.body, "HELP-77") || strings.Contains(merchant.get("/app/auditoria.csv").body, "HELP-77") {
		t.Error("the merchant learns the number of the case")
	}
	if a := c.get("/ops/auditoria?subject=switch"); !strings.Contains(a.Find("main").Text(), "HELP-77") {
		t.Error("the log does not show the number of the case")
	}
	off := c.get(suspend).Find("input[name=version]").AttrOr("value", "")
	if a := c.post(suspend, "turn", "off", "version", off, "reason", "A ordem foi revogada."); off == version || a.header.Get("Location") != path {
		t.Errorf("letting go: %d", a.status)
	}
	if a := turn("on", "version", version); a.status != http.StatusConflict { // on and off since
		t.Errorf("a form of before two changes: %d", a.status)
	}
	if text := c.get(path).Find("main").Text(); !strings.Contains(text, "Desligada em ") || !strings.Contains(text, "Motivo: A ordem foi revogada.") {
		t.Error("a switch that is off does not say since when and why")
	}
	if a := c.get(path + "/travas/PRODUCTION"); a.status != http.StatusNotFound {
		t.Errorf("a switch that there is not: %d", a.status)
	}
}

// holdsBack blocks a part of the 99,01 that are available, and releases it.
func (s *site) holdsBack(t *testing.T, c *client, path string) {
	t.Helper()
	block := path + "/bloqueios"
	if a := c.post(block, "env", "test", "amount", "99,02", "reason", "Disputa 77 em análise."); a.status != http.StatusUnprocessableEntity || a.Find("#amount-error").Length() != 1 || a.Find("details[open] #amount").AttrOr("value", "") != "99,02" {
		t.Errorf("blocking too much: %d", a.status)
	}
	c.post(block, "env", "test", "amount", "50,00", "reason", "Disputa 77 em análise.")
	a := c.get(path)
	if !strings.Contains(a.Find("main").Text(), "Disputa 77 em análise.") {
		t.Fatal("the blocked amount is not shown")
	}
	release, _ := a.Find(`form[action*="/bloqueios/blk_"]`).Attr("action")
	c.post(release, "reason-"+release[strings.LastIndex(release, "/")+1:], "A disputa acabou.")
	if b, err := s.Books(t.Context(), s.Account.ID, false); err != nil || b.Blocked != 0 || b.Available != 99_01 {
		t.Errorf("the books have %+v, %v", b, err)
	}
}

// endsAccess ends the access to production from the page of an account, after a look at
// what the merchant will read.
func (s *site) endsAccess(t *testing.T, c *client, path string) {
	t.Helper()
	end := path + "/encerrar"
	a := c.post(end, "reasonCode", "RISK", "reason", "Fraude confirmada pelo banco.")
	if !strings.Contains(a.Find("main").Text(), "Seu acesso à produção foi encerrado") {
		t.Fatalf("the preview: %d %s", a.status, a.Find("main").Text())
	}
	if a := c.post(end, append(fields(a), "do", "send")...); a.header.Get("Location") != path || s.state(t) != models.AccessRejected {
		t.Errorf("ending: %d, it is %s", a.status, s.state(t))
	}
	if a := c.post(end, "reasonCode", "RISK", "reason", "Fraude confirmada pelo banco.", "do", "send"); a.status != http.StatusConflict {
		t.Errorf("ending twice: %d", a.status)
	}
}
