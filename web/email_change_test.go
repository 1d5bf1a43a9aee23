package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

const newEmailPage = "/trocar-email"

// brunos is somebody else.
var brunos = merchants.NewMerchant{Name: "Bruno Reis", Business: "Café", Email: "bruno@example.com", Password: paymentstest.Password, Language: "en", Verified: true}

// A member shows who they are, asks for another address, reads the mail there and
// changes it; the browser that does stays logged in, others do not.
func TestNewEmail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, err := s.Merchants.SignUp(t.Context(), brunos, ""); err != nil {
		t.Fatal(err)
	}
	c, other := s.member(t), s.member(t)
	security := func() answer { return c.get("/app/configuracoes/seguranca") }
	if security().Find("main a[href='"+newEmailPage+"']").Length() != 1 {
		t.Error("the page of security does not lead there")
	}
	s.Clock.Advance(time.Hour)
	if a := c.post(newEmailPage, "email", "ana.nova@example.com"); a.Find("input[name="+proof+"]").Length() != 1 || a.Find("input[type=hidden][name=email]").AttrOr("value", "") != "ana.nova@example.com" {
		t.Errorf("unproven, it is not asked who they are: %d", a.status)
	}
	if a := c.post("/confirmar", proof, paymentstest.Password, "next", newEmailPage); a.status != http.StatusSeeOther {
		t.Fatalf("proof: %d", a.status)
	}
	for _, wrong := range []string{"ana@", s.Email} {
		if a := c.post(newEmailPage, "email", wrong); a.status != http.StatusUnprocessableEntity || a.Find("#email").AttrOr("value", "") != wrong || a.Find("#email-error").Length() != 1 {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}

	texts := map[string]bool{}
	for _, email := range []string{brunos.Email, "ana.nova@example.com"} {
		s.Clock.Advance(2 * time.Minute)
		if a := c.post(newEmailPage, "email", email); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/configuracoes/seguranca" {
			t.Fatalf("%s: %d", email, a.status)
		}
		a := security()
		card := strings.ReplaceAll(a.Find("main [role=status]").Text()+a.Find("section[aria-labelledby=email-title]").Text(), email, "")
		texts[strings.Join(strings.FieldsFunc(card, func(r rune) bool { return r >= '0' && r <= '9' }), "")] = true
	}
	if len(texts) != 1 {
		t.Errorf("an address of somebody else is answered in another way: %v", texts)
	}
	if a := c.post(newEmailPage, "email", "terceiro@example.com"); a.status != http.StatusTooManyRequests {
		t.Errorf("again at once: %d", a.status)
	}

	link := "/confirmar-email?token=" + s.Link(t, models.MailEmailChange, "ana.nova@example.com")
	a := s.client(t).get(link)
	if a.status != http.StatusOK || !strings.Contains(a.Find("main").Text(), "ana.nova@example.com") || strings.Contains(a.Find("main").Text(), s.Email) {
		t.Errorf("the link leads to %d", a.status)
	}
	token := a.Find("input[name=token]").AttrOr("value", "")
	if a := c.post("/confirmar-email", "token", token); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app" {
		t.Fatalf("changing: %d", a.status)
	}
	if a := security(); !strings.Contains(a.Find("section[aria-labelledby=email-title]").Text(), "ana.nova@example.com") {
		t.Error("the browser is logged out, or the address is the one before")
	}
	if a := other.get("/app"); a.status != http.StatusSeeOther {
		t.Errorf("another browser: %d", a.status)
	}
	for _, dead := range []string{token, "", "x"} {
		if a := s.client(t).get("/confirmar-email?token=" + dead); a.status != http.StatusNotFound {
			t.Errorf("a dead link: %d", a.status)
		}
		if a := s.client(t).post("/confirmar-email", "token", dead); a.status != http.StatusNotFound {
			t.Errorf("a dead link, sent: %d", a.status)
		}
	}
}

// What waits is taken back; an address that was lost meanwhile is said so; staff have
// theirs from who runs the server; attempts are bounded.
func TestNewEmail_Refused(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, web.Limits{LogIn: ratelimit.New(ratelimit.Rate{Tokens: 5, Per: time.Hour, Burst: 5})})
	c := s.member(t)
	if a := c.post(newEmailPage, "email", brunos.Email); a.status != http.StatusSeeOther {
		t.Fatal(a.status)
	}
	lost := s.Link(t, models.MailEmailChange, brunos.Email)
	if _, err := s.Merchants.SignUp(t.Context(), brunos, ""); err != nil {
		t.Fatal(err)
	}
	if a := s.client(t).post("/confirmar-email", "token", lost); a.status != http.StatusConflict || !strings.Contains(a.Find("h1").Text(), "já é de outra conta") {
		t.Errorf("an address that was lost: %d", a.status)
	}
	if a := c.post(newEmailPage + "/cancelar"); a.status != http.StatusSeeOther || c.get("/app/configuracoes/seguranca").Find("form[action='"+newEmailPage+"/cancelar']").Length() != 0 {
		t.Errorf("taking it back: %d", a.status)
	}
	if a := s.client(t).get("/confirmar-email?token=" + lost); a.status != http.StatusNotFound {
		t.Errorf("then the link: %d", a.status)
	}
	for i := range 5 {
		if a := c.post(newEmailPage, "email", "x"); (a.status == http.StatusTooManyRequests) != (i == 4) {
			t.Errorf("attempt %d: %d", i+2, a.status)
		}
	}
	s.DB.Exec("UPDATE users SET staff_role = 'REVIEWER' WHERE id = ?", s.Owner.UserID)
	if a := c.get(newEmailPage); a.status != http.StatusSeeOther || c.get("/app/configuracoes/seguranca").Find("main a[href='"+newEmailPage+"']").Length() != 0 {
		t.Errorf("staff: %d", a.status)
	}
}
