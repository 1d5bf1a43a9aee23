package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// The mail about a new device leads to a page that ends its sessions and then to choosing a password.
// Only the button does that.
func TestNewDevice(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	mine := s.Member(t)
	stranger := s.Client(t)
	a := stranger.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	cookie := a.Header.Values("Set-Cookie")
	if text := strings.Join(cookie, "\n"); !strings.Contains(text, "garoupa_browser=") ||
		!strings.Contains(text, "max-age=34560000") || !strings.Contains(text, "HttpOnly") {
		t.Errorf("the browser got %q", cookie)
	}
	link := "/nao-fui-eu?token=" + s.Link(t, models.MailNewDevice, s.Email)
	page := s.Client(t).Get(link)
	if page.Status != http.StatusOK || page.Find("main form[action='/nao-fui-eu'] button").Length() != 1 {
		t.Fatalf("the link: %d %s", page.Status, page.Text())
	}
	if a := stranger.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("opening the link ended the session: %d", a.Status)
	}
	token := page.Find("main input[name=token]").AttrOr("value", "")
	a = s.Client(t).Post("/nao-fui-eu", "token", token)
	next, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.Status != http.StatusSeeOther || next.Path != "/redefinir-senha" {
		t.Fatalf("the button led to %d %s, %v", a.Status, next, err)
	}
	if a := s.Client(t).Get(next.String()); a.Status != http.StatusOK {
		t.Errorf("choosing a password: %d", a.Status)
	}
	if a := stranger.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("the device is still logged in: %d", a.Status)
	}
	if a := mine.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("another device was logged out: %d", a.Status)
	}
	for _, dead := range []webtest.Answer{s.Client(t).Get(link), s.Client(t).Post("/nao-fui-eu", "token", token)} {
		if dead.Status != http.StatusNotFound || dead.Find("main a[href='/esqueci-senha']").Length() != 1 {
			t.Errorf("the link that was used: %d", dead.Status)
		}
	}
}

// A browser keeps its device when it logs out and in again.
func TestNewDevice_Known(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Client(t).Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	for range 2 {
		c.Post("/sair")
		c.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	}
	n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = $1", models.MailNewDevice)
	if n != 1 {
		t.Errorf("%d mails about two devices", n)
	}
}

// The security page lists log-ins and failures.
func TestSecurity_LogIns(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Client(t).Post("/entrar", "email", s.Email, "password", "wrong")
	c := s.Member(t)
	list := c.Get("/app/configuracoes/seguranca").Find("section[aria-labelledby=log-ins-title] li")
	if list.Length() != 2 || !strings.Contains(list.Eq(0).Text(), "Entrou") ||
		!strings.Contains(list.Eq(0).Text(), "Senha") || !strings.Contains(list.Eq(1).Text(), "Recusada") {
		t.Errorf("the list is %q", list.Text())
	}
}

// knowsDevice fails the test unless the person's session names the person's only device.
func knowsDevice(t *testing.T, s *webtest.Site, email string) {
	t.Helper()
	if n := modelstest.One[int](t, s.DB, `SELECT count(*) FROM users u JOIN devices d ON d.user_id = u.id
		JOIN sessions s ON s.device_id = d.id WHERE u.email = $1`, email); n != 1 {
		t.Errorf("%s has %d devices", email, n)
	}
}
