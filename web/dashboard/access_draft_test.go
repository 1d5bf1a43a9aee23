package dashboard_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// Answers are kept half done, told part by part, come back as they were typed, sealed in
// the database, and are gone once they are sent.
func TestAccess_Draft(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	half := with(with(webtest.AccessAnswers("save"), "monthlyVolume", "uns 20 mil"), "contactPhone", "")
	if a := c.Post("/app/producao/pedido", half...); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app/producao" {
		t.Fatalf("saved: %d %s", a.Status, a.Find("#errors").Text())
	}
	a := c.Get("/app/producao")
	var states []string
	for _, badge := range a.Find("main ol h3 span").EachIter() {
		states = append(states, strings.TrimSpace(badge.Text()))
	}
	if got := strings.Join(states, " "); got != "Concluído A fazer A fazer" ||
		!strings.Contains(a.Text(), "Respostas salvas em") || !strings.Contains(a.Text(), "Continuar a solicitação") {
		t.Errorf("the tasks are %q: %s", got, a.Find("main").Text())
	}
	if href := a.Find("main ol a").Eq(1).AttrOr("href", ""); href != "/app/producao/pedido#part-trade" {
		t.Errorf("the second task leads to %q", href)
	}
	a = c.Get("/app/producao/pedido")
	if a.Find("#monthlyVolume").AttrOr("value", "") != "uns 20 mil" ||
		a.Find("#document").AttrOr("value", "") != "12.abc.345/01de-35" || a.Find("#part-trade").Length() != 1 {
		t.Errorf("come back: %s", a.Find("form").Text())
	}
	var kept []byte
	if err := s.DB.Pool.QueryRow(t.Context(), "SELECT answers FROM access_drafts WHERE id = $1",
		s.Account.ID).Scan(&kept); err != nil ||
		strings.Contains(string(kept), "Aurora") {
		t.Errorf("kept as %q, %v", kept, err)
	}
	if a := c.Post("/app/producao/pedido", with(half, "sells",
		strings.Repeat("x", 5000))...); a.Status != http.StatusUnprocessableEntity ||
		len(a.Find("#sells").Text()) != 5000 {
		t.Errorf("too long: %d", a.Status)
	}
	s.GiveRole(t, models.RoleDeveloper)
	if a := c.Post("/app/producao/pedido", half...); a.Status != http.StatusForbidden {
		t.Errorf("a developer keeps answers: %d", a.Status)
	}
	s.GiveRole(t, models.RoleOwner)
	c.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	if draft, _, err := s.Merchants.AccessDraftOf(t.Context(), s.Account.ID); draft != nil || err != nil {
		t.Errorf("sent, it is there still: %v", err)
	}
	if a := c.Get("/app/producao"); !strings.Contains(a.Text(), "A análise leva até 24 horas") {
		t.Error("nobody says how long it takes")
	}
	if err := s.Merchants.SaveAccessDraft(t.Context(), s.Owner, merchants.AccessDraft{}); !errors.Is(err,
		merchants.ErrChanged) {
		t.Errorf("kept while in review: %v", err)
	}
}

// The team shows who is protected, by a code or by a passkey, and when a member who has
// logged out was last there.
func TestTeam_Safety(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	row := func() string { return c.Get("/app/equipe").Find("main li").First().Text() }
	if got := row(); !strings.Contains(got, "Sem duas etapas") {
		t.Errorf("by a password alone: %q", got)
	}
	modelstest.Exec(t, s.DB, `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count,
		synced, created_at)
		VALUES ('pky_00000000000000000000', $1, 'Celular', 'a', 'b', 0, false, now())`, s.Owner.UserID)
	if got := row(); strings.Contains(got, "Sem duas etapas") || !strings.Contains(got, "Duas etapas") {
		t.Errorf("with a passkey: %q", got)
	}
	if facts := c.Get("/app/equipe/" + s.Owner.UserID).Find("dl").Text(); !strings.Contains(facts, "Chave de acesso") ||
		strings.Contains(facts, "Aplicativo") {
		t.Errorf("its page says %q", facts)
	}

	c.Post("/app/equipe/convites", "email", "bia@example.com", "role", "VIEWER")
	bia := joins(t, s)
	s.Clock.Advance(3 * time.Hour)
	bia.Get("/app")
	left := s.Clock.Now()
	awaitSeen(t, s, left)
	bia.Post("/sair")
	s.Clock.Advance(2 * time.Hour)
	seen := s.Member(t).Get("/app/equipe").Find("main li:has(a[href^='/app/equipe/usr_'])").Last()
	if at := seen.Find("time").AttrOr("datetime", ""); !strings.Contains(seen.Text(), "Último acesso") ||
		at != left.UTC().Format(time.RFC3339) {
		t.Errorf("who logged out at %s: %q at %q", left.UTC(), seen.Text(), at)
	}
}

// awaitSeen waits until a session keeps that it was used at this moment, which is written
// beside the request.
func awaitSeen(t *testing.T, s *webtest.Site, at time.Time) {
	t.Helper()
	deadline := time.Now().Add(webtest.Patience)
	for n := 0; n == 0; {
		if err := s.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM sessions WHERE last_seen_at = $1",
			at).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("no session was seen at %s", at)
		}
	}
}
