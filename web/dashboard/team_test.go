package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// An owner invites a newcomer, who joins by the link, gets another role and is removed.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Post("/app/equipe/convites", "email", "bia@", "role",
		"ADMIN"); a.Status != http.StatusUnprocessableEntity || a.Find("#email").AttrOr("value", "") != "bia@" ||
		a.Find("option[value=ADMIN][selected]").Length() != 1 {
		t.Errorf("no address: %d", a.Status)
	}
	if a := c.Post("/app/equipe/convites", "email", s.Email, "role",
		"ADMIN"); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "já está na equipe") {
		t.Errorf("a member: %d", a.Status)
	}
	if a := c.Post("/app/equipe/convites", "email", "bia@example.com", "role",
		"FINANCE"); a.Status != http.StatusSeeOther {
		t.Fatalf("invited: %d", a.Status)
	}
	page := c.Get("/app/equipe")
	resend := page.Find("form[action$='/reenviar']").AttrOr("action", "")
	if !strings.Contains(page.Text(), "bia@example.com") || !strings.Contains(page.Text(), "Convite enviado") ||
		resend == "" {
		t.Errorf("the page: %s", page.Find("main").Text())
	}
	if a := c.Post(resend); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get("/app/equipe").Text(), "Espere um minuto") {
		t.Errorf("sent again at once: %d", a.Status)
	}

	bia := joins(t, s)
	person := c.Get("/app/equipe").Find("a[href^='/app/equipe/usr_']").Last().AttrOr("href", "")
	if a := bia.Post(person+"/papel", "role", "ADMIN"); a.Status != http.StatusForbidden {
		t.Errorf("a member gives themselves a role: %d", a.Status)
	}
	if a := bia.Get("/app/equipe/convidar"); a.Status != http.StatusForbidden {
		t.Errorf("a member invites: %d", a.Status)
	}
	if a := c.Post(person+"/papel", "role", "ADMIN"); a.Status != http.StatusSeeOther ||
		bia.Get("/app/equipe/convidar").Status != http.StatusOK {
		t.Errorf("another role: %d", a.Status)
	}
	owner := c.Get("/app/equipe").Find("a[href^='/app/equipe/usr_']").First().AttrOr("href", "")
	if a := c.Get(owner); a.Find("form[action$='/remover']").Length() != 0 ||
		!strings.Contains(a.Text(), "exatamente um dono") {
		t.Error("the owner may leave")
	}
	if a := bia.Post(owner + "/remover"); a.Status != http.StatusSeeOther ||
		!strings.Contains(bia.Get("/app/equipe").Text(), "precisa de um dono") {
		t.Errorf("the owner was removed: %d", a.Status)
	}
	if a := bia.Post(person + "/transferir"); a.Status != http.StatusForbidden {
		t.Errorf("an administrator takes the account: %d", a.Status)
	}
	if a := c.Post(person + "/transferir"); a.Status != http.StatusSeeOther ||
		c.Post(person+"/transferir").Status != http.StatusForbidden {
		t.Errorf("handed over: %d", a.Status)
	}
	if a := c.Post(owner + "/remover"); a.Status != http.StatusSeeOther || c.Get("/app").Status != http.StatusSeeOther {
		t.Errorf("left: %d", a.Status)
	}
	if a := bia.Get("/app/equipe"); strings.Contains(a.Text(), s.Email) {
		t.Error("who left is there still")
	}
	for _, path := range []string{"/app/equipe/usr_00000000000000000000", "/app/equipe/x", "/app/equipe/%00"} {
		if a := bia.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// joins follows the link to bia@example.com, which is good for one newcomer.
func joins(t *testing.T, s *webtest.Site) *webtest.Client {
	t.Helper()
	link := "/convite/" + s.Link(t, models.MailInvite, "bia@example.com")
	bia := s.Client(t)
	if a := bia.Get(link); a.Status != http.StatusOK || !strings.Contains(a.Text(), "Ateliê Aurora") ||
		a.Find("#password").Length() != 1 || a.Header.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("the link: %d", a.Status)
	}
	if a := bia.Post(link, "name", "Bia Souza", "password", "short"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#name").AttrOr("value", "") != "Bia Souza" {
		t.Errorf("a short password: %d", a.Status)
	}
	if a := bia.Post(link, "name", "Bia Souza", "password", webtest.NewPassword); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app" || bia.Get("/app").Status != http.StatusOK {
		t.Errorf("joined: %d", a.Status)
	}
	for _, a := range []webtest.Answer{bia.Get(link), bia.Post(link, "name", "X", "password", webtest.NewPassword),
		bia.Post(link + "/aceitar"), s.Client(t).Get("/convite/x")} {
		if a.Status != http.StatusNotFound || !strings.Contains(a.Text(), "não vale mais") {
			t.Errorf("a dead link: %d", a.Status)
		}
	}
	return bia
}

// A person who has a log-in accepts with it, and goes between their accounts.
func TestInvite_Known(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	owner, bruno, eva := s.Member(t), s.Client(t), s.Client(t)
	for email, c := range map[string]*webtest.Client{"bruno@example.com": bruno, "eva@example.com": eva} {
		if a := c.Post("/cadastro", "name", "B", "business", "Padaria", "email", email, "password",
			paymentstest.Password); a.Status != http.StatusSeeOther {
			t.Fatal(a.Status)
		}
	}
	if a := bruno.Get("/app"); a.Find("a[href='/app/contas']").Length() != 0 {
		t.Error("one account, and a way to another")
	}
	owner.Post("/app/equipe/convites", "email", "bruno@example.com", "role", "VIEWER")
	link := "/convite/" + s.Link(t, models.MailInvite, "bruno@example.com")
	if a := s.Client(t).Get(link); a.Find("main a[href^='/entrar?next=']").Length() != 1 ||
		a.Find("#password").Length() != 0 {
		t.Errorf("a known address, logged out: %d", a.Status)
	}
	if a := s.Client(t).Post(link, "name", "X", "password", webtest.NewPassword); a.Status != http.StatusOK ||
		a.Find("main a[href^='/entrar?next=']").Length() != 1 {
		t.Errorf("joined as a newcomer: %d", a.Status)
	}
	if a := eva.Get(link); !strings.Contains(a.Text(), "eva@example.com") ||
		a.Find("form[action$='/aceitar']").Length() != 0 {
		t.Errorf("somebody else: %d", a.Status)
	}
	if a := eva.Post(link + "/aceitar"); a.Status != http.StatusOK || !strings.Contains(a.Text(), "Você entrou como") {
		t.Errorf("accepted by somebody else: %d", a.Status)
	}
	if a := eva.Post("/sair", "next", link); a.Header.Get("Location") != link {
		t.Errorf("log out leads to %q", a.Header.Get("Location"))
	}
	if a := bruno.Get(link); a.Find("form[action='"+link+"/aceitar']").Length() != 1 {
		t.Errorf("the person themselves: %d", a.Status)
	}
	if a := bruno.Post(link + "/aceitar"); a.Status != http.StatusSeeOther ||
		!strings.Contains(bruno.Get("/app").Text(), "Ateliê Aurora") {
		t.Errorf("accepted: %d", a.Status)
	}
	accounts := bruno.Get("/app/contas")
	other := accounts.Find("button[name=account]").AttrOr("value", "")
	if accounts.Find("button[name=account]").Length() != 1 ||
		bruno.Get("/app").Find("a[href='/app/contas']").Length() == 0 {
		t.Errorf("the accounts: %s", accounts.Find("main").Text())
	}
	if a := bruno.Post("/app/contas", "account", other); a.Status != http.StatusSeeOther ||
		!strings.Contains(bruno.Get("/app").Text(), "Padaria") {
		t.Errorf("the other account: %d", a.Status)
	}
	if a := owner.Post("/app/contas", "account", other); a.Status != http.StatusNotFound {
		t.Errorf("an account of others: %d", a.Status)
	}
}

// Changing the team needs a fresh proof.
func TestTeam_StepUp(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Clock.Advance(time.Hour)
	if a := c.Get("/app/equipe"); a.Status != http.StatusOK ||
		a.Find("input[name="+webtest.ProofField+"]").Length() != 0 {
		t.Errorf("looking needs a proof: %d", a.Status)
	}
	if a := c.Post("/app/equipe/convites", "email", "bia@example.com", "role",
		"VIEWER"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
		t.Errorf("inviting needs none: %d", a.Status)
	}
}
