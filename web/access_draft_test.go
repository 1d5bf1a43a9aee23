package web_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
)

// Answers are kept half done, told part by part, come back as they were typed, sealed in
// the database, and are gone once they are sent.
func TestAccess_Draft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	half := with(with(accessAnswers("save"), "monthlyVolume", "uns 20 mil"), "contactPhone", "")
	if a := c.post("/app/producao/pedido", half...); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/producao" {
		t.Fatalf("saved: %d %s", a.status, a.Find("#errors").Text())
	}
	a := c.get("/app/producao")
	var states []string
	for _, badge := range a.Find("main ol h3 span").EachIter() {
		states = append(states, strings.TrimSpace(badge.Text()))
	}
	if got := strings.Join(states, " "); got != "Concluído A fazer A fazer" || !strings.Contains(a.Text(), "Respostas salvas em") || !strings.Contains(a.Text(), "Continuar o pedido") {
		t.Errorf("the tasks are %q: %s", got, a.Find("main").Text())
	}
	if href := a.Find("main ol a").Eq(1).AttrOr("href", ""); href != "/app/producao/pedido#part-trade" {
		t.Errorf("the second task leads to %q", href)
	}
	a = c.get("/app/producao/pedido")
	if a.Find("#monthlyVolume").AttrOr("value", "") != "uns 20 mil" || a.Find("#document").AttrOr("value", "") != "12.abc.345/01de-35" || a.Find("#part-trade").Length() != 1 {
		t.Errorf("come back: %s", a.Find("form").Text())
	}
	var kept []byte
	if err := s.DB.Raw("SELECT answers FROM access_drafts WHERE id = ?", s.Account.ID).Row().Scan(&kept); err != nil || strings.Contains(string(kept), "Aurora") {
		t.Errorf("kept as %q, %v", kept, err)
	}
	if a := c.post("/app/producao/pedido", with(half, "sells", strings.Repeat("x", 5000))...); a.status != http.StatusUnprocessableEntity || len(a.Find("#sells").Text()) != 5000 {
		t.Errorf("too long: %d", a.status)
	}
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.post("/app/producao/pedido", half...); a.status != http.StatusForbidden {
		t.Errorf("a developer keeps answers: %d", a.status)
	}
	s.GiveRole(t, models.RoleOwner)
	c.post("/app/producao/pedido", accessAnswers("send")...)
	if draft, _, err := s.Merchants.AccessDraftOf(t.Context(), s.Account.ID); draft != nil || err != nil {
		t.Errorf("sent, it is there still: %v", err)
	}
	if a := c.get("/app/producao"); !strings.Contains(a.Text(), "A análise leva até 24 horas") {
		t.Error("nobody says how long it takes")
	}
	if err := s.Merchants.SaveAccessDraft(t.Context(), s.Owner, merchants.AccessDraft{}); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("kept while in review: %v", err)
	}
}

// The team shows who is protected, by a code or by a passkey, and when somebody who has
// logged out was last there.
func TestTeam_Safety(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	row := func() string { return c.get("/app/equipe").Find("main li").First().Text() }
	if got := row(); !strings.Contains(got, "Sem duas etapas") {
		t.Errorf("by a password alone: %q", got)
	}
	s.DB.Exec(`INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, synced, created_at)
		VALUES ('pky_00000000000000000000', ?, 'Celular', 'a', 'b', 0, false, now())`, s.Owner.UserID)
	if got := row(); strings.Contains(got, "Sem duas etapas") || !strings.Contains(got, "Duas etapas") {
		t.Errorf("with a passkey: %q", got)
	}
	if facts := c.get("/app/equipe/" + s.Owner.UserID).Find("dl").Text(); !strings.Contains(facts, "Chave de acesso") || strings.Contains(facts, "Aplicativo") {
		t.Errorf("its page says %q", facts)
	}

	c.post("/app/equipe/convites", "email", "bia@example.com", "role", "VIEWER")
	bia := s.joins(t)
	s.Clock.Advance(3 * time.Hour)
	bia.get("/app")
	left := s.Clock.Now()
	bia.post("/sair")
	s.Clock.Advance(2 * time.Hour)
	seen := s.member(t).get("/app/equipe").Find("main li:has(a[href^='/app/equipe/usr_'])").Last()
	if at := seen.Find("time").AttrOr("datetime", ""); !strings.Contains(seen.Text(), "Último acesso") || at != left.UTC().Format(time.RFC3339) {
		t.Errorf("who logged out at %s: %q at %q", left.UTC(), seen.Text(), at)
	}
}

// Who would rather not prove who they are goes back to where they were.
func TestStepUp_Cancel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	s.Clock.Advance(time.Hour)
	cancel := func(method, path, from string, form ...string) string {
		t.Helper()
		a := c.cameFrom(method, path, from, form...)
		if a.Find("input[name="+proof+"]").Length() != 1 || a.Find("a[href^='/esqueci-senha']").Length() != 1 {
			t.Fatalf("%s %s: %d", method, path, a.status)
		}
		return a.Find("main > p a").Last().AttrOr("href", "")
	}
	for from, want := range map[string]string{
		s.url + "/app/chaves?cursor=x": "/app/chaves?cursor=x", "": "/app", "https://evil.example/app/chaves": "/app", s.url + "/app/chaves/nova": "/app", "://": "/app",
	} {
		if got := cancel(http.MethodGet, "/app/chaves/nova", from); got != want {
			t.Errorf("from %q it leads to %q", from, got)
		}
	}
	if got := cancel(http.MethodPost, "/app/chaves", s.url+"/app/chaves/nova", "name", "x", proof, "wrong horse battery", "garoupa_proof_back", "/app/chaves"); got != "/app/chaves" {
		t.Errorf("after a wrong password it leads to %q", got)
	}
	if got := cancel(http.MethodPost, "/app/chaves", "", "name", "x", "garoupa_proof_back", "//evil.example"); got != "/app" {
		t.Errorf("a form leads to %q", got)
	}
}
