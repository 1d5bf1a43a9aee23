package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Who asks for another address proves who they are again, and is told what is wrong with it.
func TestNewEmail_Proof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if c.Get("/app/configuracoes/seguranca").Find("main a[href='"+webtest.NewEmailPage+"']").Length() != 1 {
		t.Error("the page of security does not lead there")
	}
	s.Clock.Advance(time.Hour)
	if a := c.Post(webtest.NewEmailPage, "email", "ana.nova@example.com"); a.Find("input[name="+webtest.ProofField+
		"]").Length() != 1 ||
		a.Find("input[type=hidden][name=email]").AttrOr("value", "") != "ana.nova@example.com" {
		t.Errorf("unproven, it is not asked who they are: %d", a.Status)
	}
	if a := c.Post("/confirmar", webtest.ProofField, paymentstest.Password, "next",
		webtest.NewEmailPage); a.Status != http.StatusSeeOther {
		t.Fatalf("proof: %d", a.Status)
	}
	for _, wrong := range []string{"ana@", s.Email} {
		if a := c.Post(webtest.NewEmailPage, "email", wrong); a.Status != http.StatusUnprocessableEntity ||
			a.Find("#email").AttrOr("value", "") != wrong || a.Find("#email-error").Length() != 1 {
			t.Errorf("%s: %d", wrong, a.Status)
		}
	}
}

// A member shows who they are, asks for another address, reads the mail there and
// changes it; the browser that does stays logged in, others do not.
func TestNewEmail(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if _, err := s.Merchants.SignUp(t.Context(), webtest.Bruno, ""); err != nil {
		t.Fatal(err)
	}
	c, other := s.Member(t), s.Member(t)
	security := func() webtest.Answer { return c.Get("/app/configuracoes/seguranca") }
	texts := map[string]bool{}
	for _, email := range []string{webtest.Bruno.Email, "ana.nova@example.com"} {
		s.Clock.Advance(2 * time.Minute)
		if a := c.Post(webtest.NewEmailPage, "email", email); a.Status != http.StatusSeeOther ||
			a.Header.Get("Location") != "/app/configuracoes/seguranca" {
			t.Fatalf("%s: %d", email, a.Status)
		}
		a := security()
		card := strings.ReplaceAll(a.Find("main [role=status]").Text()+
			a.Find("section[aria-labelledby=email-title]").Text(), email, "")
		texts[strings.Join(strings.FieldsFunc(card, func(r rune) bool { return r >= '0' && r <= '9' }), "")] = true
	}
	if len(texts) != 1 {
		t.Errorf("an address of somebody else is answered in another way: %v", texts)
	}
	if a := c.Post(webtest.NewEmailPage, "email", "terceiro@example.com"); a.Status != http.StatusTooManyRequests {
		t.Errorf("again at once: %d", a.Status)
	}

	link := "/confirmar-email?token=" + s.Link(t, models.MailEmailChange, "ana.nova@example.com")
	a := s.Client(t).Get(link)
	if a.Status != http.StatusOK || !strings.Contains(a.Find("main").Text(), "ana.nova@example.com") ||
		strings.Contains(a.Find("main").Text(), s.Email) {
		t.Errorf("the link leads to %d", a.Status)
	}
	token := a.Find("input[name=token]").AttrOr("value", "")
	if a := c.Post("/confirmar-email", "token", token); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/app" {
		t.Fatalf("changing: %d", a.Status)
	}
	if a := security(); !strings.Contains(a.Find("section[aria-labelledby=email-title]").Text(),
		"ana.nova@example.com") {
		t.Error("the browser is logged out, or the address is the one before")
	}
	if a := other.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("another browser: %d", a.Status)
	}
	for _, dead := range []string{token, "", "x"} {
		if a := s.Client(t).Get("/confirmar-email?token=" + dead); a.Status != http.StatusNotFound {
			t.Errorf("a dead link: %d", a.Status)
		}
		if a := s.Client(t).Post("/confirmar-email", "token", dead); a.Status != http.StatusNotFound {
			t.Errorf("a dead link, sent: %d", a.Status)
		}
	}
}

// What waits is taken back; an address that was lost meanwhile is said so; staff have
// theirs from who runs the server; attempts are bounded.
func TestNewEmail_Refused(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{LogIn: ratelimit.New(ratelimit.Rate{Tokens: 5, Per: time.Hour, Burst: 5})})
	c := s.Member(t)
	if a := c.Post(webtest.NewEmailPage, "email", webtest.Bruno.Email); a.Status != http.StatusSeeOther {
		t.Fatal(a.Status)
	}
	lost := s.Link(t, models.MailEmailChange, webtest.Bruno.Email)
	if _, err := s.Merchants.SignUp(t.Context(), webtest.Bruno, ""); err != nil {
		t.Fatal(err)
	}
	if a := s.Client(t).Post("/confirmar-email", "token", lost); a.Status != http.StatusConflict ||
		!strings.Contains(a.Find("h1").Text(), "já é de outra conta") {
		t.Errorf("an address that was lost: %d", a.Status)
	}
	if a := c.Post(webtest.NewEmailPage + "/cancelar"); a.Status != http.StatusSeeOther ||
		c.Get("/app/configuracoes/seguranca").Find("form[action='"+webtest.NewEmailPage+"/cancelar']").Length() != 0 {
		t.Errorf("taking it back: %d", a.Status)
	}
	if a := s.Client(t).Get("/confirmar-email?token=" + lost); a.Status != http.StatusNotFound {
		t.Errorf("then the link: %d", a.Status)
	}
	for i := range 5 {
		if a := c.Post(webtest.NewEmailPage, "email", "x"); (a.Status == http.StatusTooManyRequests) != (i == 4) {
			t.Errorf("attempt %d: %d", i+2, a.Status)
		}
	}
	modelstest.Exec(t, s.DB, "UPDATE users SET staff_role = 'REVIEWER' WHERE id = $1", s.Owner.UserID)
	if a := c.Get(webtest.NewEmailPage); a.Status != http.StatusSeeOther ||
		c.Get("/app/configuracoes/seguranca").Find("main a[href='"+webtest.NewEmailPage+"']").Length() != 0 {
		t.Errorf("staff: %d", a.Status)
	}
}
