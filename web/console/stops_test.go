package console_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/webtest"
)

// The page of a withdrawal of a stopped account says who stopped it and why, leads there
// and offers no approval; the merchant reads that it waits, in both languages.
func TestOps_StoppedWithdrawal(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, by := s.Console(t, models.StaffReviewer)
	merchant := s.Member(t)
	s.ToLive(t, merchant)
	w := s.Withdraw(t, 200_00)
	path := "/ops/saques/" + w.ID
	turn := func(on bool) {
		t.Helper()
		err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, merchants.SwitchTurn{
			Switch: models.SwitchWithdrawalsBlocked, On: on, Reason: "Contestações em aberto.",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	turn(true)
	page := c.Get(path)
	link := page.Find(`main a[href="/ops/contas/` + s.Account.ID + `/travas/WITHDRAWALS_BLOCKED"]`)
	if text := page.Find("main").Text(); !strings.Contains(text, "Saques bloqueados: nada é aprovado nem pago") ||
		!strings.Contains(text, "Por Eva Reis") ||
		!strings.Contains(text, "Contestações em aberto.") || link.Length() != 1 ||
		page.Find("main input[value=APPROVE]").Length() != 0 || page.Find("main input[value=REJECT]").Length() != 1 {
		t.Errorf("the stopped withdrawal: %s", text)
	}
	if a := c.Post(path, "version", "1", "outcome", "APPROVE", "do",
		"send"); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#errors").Text(), "A conta está parada") {
		t.Errorf("approving it: %d %s", a.Status, a.Find("#errors").Text())
	}
	for lang, says := range map[string]string{"pt-BR": "Este saque está parado", "en": "This withdrawal is stopped"} {
		merchant.Lang = lang
		merchant.Post("/preferencias", "lang", lang, "next", "/app")
		if text := merchant.Get("/app/saques/" + w.ID).Find("main").Text(); !strings.Contains(text, says) ||
			!strings.Contains(text, "Contestações em aberto.") {
			t.Errorf("%s: the merchant reads %s", lang, text)
		}
	}
	turn(false)
	if _, done := carryOut(t, c, path, "outcome", "APPROVE"); done.Header.Get("Location") != path {
		t.Errorf("approving it afterwards: %d", done.Status)
	}
}

// That the merchant removed the destination stands on the page and before the approval,
// and who looked before that looks again.
func TestOps_RemovedDestination(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	w := s.Withdraw(t, 200_00)
	if err := s.RemoveDestination(t.Context(), s.Owner, s.Account.ID, w.Destination.ID); err != nil {
		t.Fatal(err)
	}
	path := "/ops/saques/" + w.ID
	if a := c.Post(path, "version", "1", "outcome", "APPROVE", "do", "send"); a.Status != http.StatusConflict ||
		!strings.Contains(a.Find("[role=alert]").Text(), "Ana Lima") {
		t.Errorf("approving what was seen before: %d %s", a.Status, a.Find("[role=alert]").Text())
	}
	if text := c.Get(path).Find("main").Text(); !strings.Contains(text, "O lojista removeu o destino deste saque") {
		t.Errorf("the page: %s", text)
	}
	shown, done := carryOut(t, c, path, "outcome", "APPROVE")
	if !strings.Contains(shown.Find("main").Text(), "O saque vai para ele mesmo assim") ||
		shown.Find("button[value=send]").Text() != "Aprovar para o destino removido" ||
		done.Header.Get("Location") != path {
		t.Errorf("approving it knowingly: %d %s", done.Status, shown.Find("main").Text())
	}
}
