package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// An owner invites a newcomer, who joins by the link, gets another role and is removed.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	if a := c.post("/app/equipe/convites", "email", "bia@", "role", "ADMIN"); a.status != http.StatusUnprocessableEntity || a.Find("#email").AttrOr("value", "") != "bia@" || a.Find("option[value=ADMIN][selected]").Length() != 1 {
		t.Errorf("no address: %d", a.status)
	}
	if a := c.post("/app/equipe/convites", "email", s.Email, "role", "ADMIN"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "já está na equipe") {
		t.Errorf("a member: %d", a.status)
	}
	if a := c.post("/app/equipe/convites", "email", "bia@example.com", "role", "FINANCE"); a.status != http.StatusSeeOther {
		t.Fatalf("invited: %d", a.status)
	}
	page := c.get("/app/equipe")
	resend := page.Find("form[action$='/reenviar']").AttrOr("action", "")
	if !strings.Contains(page.Text(), "bia@example.com") || !strings.Contains(page.Text(), "Convite enviado") || resend == "" {
		t.Errorf("the page: %s", page.Find("main").Text())
	}
	if a := c.post(resend); a.status != http.StatusSeeOther || !strings.Contains(c.get("/app/equipe").Text(), "Espere um minuto") {
		t.Errorf("sent again at once: %d", a.status)
	}

	bia := s.joins(t)
	person := c.get("/app/equipe").Find("a[href^='/app/equipe/usr_']").Last().AttrOr("href", "")
	if a := bia.post(person+"/papel", "role", "ADMIN"); a.status != http.StatusForbidden {
		t.Errorf("a member gives themselves a role: %d", a.status)
	}
	if a := bia.get("/app/equipe/convidar"); a.status != http.StatusForbidden {
		t.Errorf("a member invites: %d", a.status)
	}
	if a := c.post(person+"/papel", "role", "ADMIN"); a.status != http.StatusSeeOther || bia.get("/app/equipe/convidar").status != http.StatusOK {
		t.Errorf("another role: %d", a.status)
	}
	owner := c.get("/app/equipe").Find("a[href^='/app/equipe/usr_']").First().AttrOr("href", "")
	if a := c.get(owner); a.Find("form[action$='/remover']").Length() != 0 || !strings.Contains(a.Text(), "exatamente um dono") {
		t.Error("the owner may leave")
	}
	if a := bia.post(owner + "/remover"); a.status != http.StatusSeeOther || !strings.Contains(bia.get("/app/equipe").Text(), "precisa de um dono") {
		t.Errorf("the owner was removed: %d", a.status)
	}
	if a := bia.post(person + "/transferir"); a.status != http.StatusForbidden {
		t.Errorf("an administrator takes the account: %d", a.status)
	}
	if a := c.post(person + "/transferir"); a.status != http.StatusSeeOther || c.post(person+"/transferir").status != http.StatusForbidden {
		t.Errorf("handed over: %d", a.status)
	}
	if a := c.post(owner + "/remover"); a.status != http.StatusSeeOther || c.get("/app").status != http.StatusSeeOther {
		t.Errorf("left: %d", a.status)
	}
	if a := bia.get("/app/equipe"); strings.Contains(a.Text(), s.Email) {
		t.Error("who left is there still")
	}
	for _, path := range []string{"/app/equipe/usr_00000000000000000000", "/app/equipe/x", "/app/equipe/%00"} {
		if a := bia.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// joins follows the link to bia@example.com, which is good for one newcomer.
func (s *site) joins(t *testing.T) *client {
	t.Helper()
	link := "/convite/" + s.Link(t, models.MailInvite, "bia@example.com")
	bia := s.client(t)
	if a := bia.get(link); a.status != http.StatusOK || !strings.Contains(a.Text(), "Ateliê Aurora") || a.Find("#password").Length() != 1 || a.header.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("the link: %d", a.status)
	}
	if a := bia.post(link, "name", "Bia Souza", "password", "short"); a.status != http.StatusUnprocessableEntity || a.Find("#name").AttrOr("value", "") != "Bia Souza" {
		t.Errorf("a short password: %d", a.status)
	}
	if a := bia.post(link, "name", "Bia Souza", "password", fresh); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app" || bia.get("/app").status != http.StatusOK {
		t.Errorf("joined: %d", a.status)
	}
	for _, a := range []answer{bia.get(link), bia.post(link, "name", "X", "password", fresh), bia.post(link + "/aceitar"), s.client(t).get("/convite/x")} {
		if a.status != http.StatusNotFound || !strings.Contains(a.Text(), "não vale mais") {
			t.Errorf("a dead link: %d", a.status)
		}
	}
	return bia
}

// Somebody who has a log-in accepts with it, and goes between their accounts.
func TestInvite_Known(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, bruno, eva := s.member(t), s.client(t), s.client(t)
	for email, c := range map[string]*client{"bruno@example.com": bruno, "eva@example.com": eva} {
		if a := c.post("/cadastro", "name", "B", "business", "Padaria", "email", email, "password", paymentstest.Password); a.status != http.StatusSeeOther {
			t.Fatal(a.status)
		}
	}
	if a := bruno.get("/app"); a.Find("a[href='/app/contas']").Length() != 0 {
		t.Error("one account, and a way to another")
	}
	owner.post("/app/equipe/convites", "email", "bruno@example.com", "role", "VIEWER")
	link := "/convite/" + s.Link(t, models.MailInvite, "bruno@example.com")
	if a := s.client(t).get(link); a.Find("main a[href^='/entrar?next=']").Length() != 1 || a.Find("#password").Length() != 0 {
		t.Errorf("a known address, logged out: %d", a.status)
	}
	if a := s.client(t).post(link, "name", "X", "password", fresh); a.status != http.StatusOK || a.Find("main a[href^='/entrar?next=']").Length() != 1 {
		t.Errorf("joined as a newcomer: %d", a.status)
	}
	if a := eva.get(link); !strings.Contains(a.Text(), "eva@example.com") || a.Find("form[action$='/aceitar']").Length() != 0 {
		t.Errorf("somebody else: %d", a.status)
	}
	if a := eva.post(link + "/aceitar"); a.status != http.StatusOK || !strings.Contains(a.Text(), "Você entrou como") {
		t.Errorf("accepted by somebody else: %d", a.status)
	}
	if a := eva.post("/sair", "next", link); a.header.Get("Location") != link {
		t.Errorf("log out leads to %q", a.header.Get("Location"))
	}
	if a := bruno.get(link); a.Find("form[action='"+link+"/aceitar']").Length() != 1 {
		t.Errorf("the person themselves: %d", a.status)
	}
	if a := bruno.post(link + "/aceitar"); a.status != http.StatusSeeOther || !strings.Contains(bruno.get("/app").Text(), "Ateliê Aurora") {
		t.Errorf("accepted: %d", a.status)
	}
	accounts := bruno.get("/app/contas")
	other := accounts.Find("button[name=account]").AttrOr("value", "")
	if accounts.Find("button[name=account]").Length() != 1 || bruno.get("/app").Find("a[href='/app/contas']").Length() == 0 {
		t.Errorf("the accounts: %s", accounts.Find("main").Text())
	}
	if a := bruno.post("/app/contas", "account", other); a.status != http.StatusSeeOther || !strings.Contains(bruno.get("/app").Text(), "Padaria") {
		t.Errorf("the other account: %d", a.status)
	}
	if a := owner.post("/app/contas", "account", other); a.status != http.StatusNotFound {
		t.Errorf("an account of others: %d", a.status)
	}
}

// Changing the team needs a fresh proof.
func TestTeam_StepUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	s.Clock.Advance(time.Hour)
	if a := c.get("/app/equipe"); a.status != http.StatusOK || a.Find("input[name="+proof+"]").Length() != 0 {
		t.Errorf("looking needs a proof: %d", a.status)
	}
	if a := c.post("/app/equipe/convites", "email", "bia@example.com", "role", "VIEWER"); a.Find("input[name="+proof+"]").Length() != 1 {
		t.Errorf("inviting needs none: %d", a.status)
	}
}
