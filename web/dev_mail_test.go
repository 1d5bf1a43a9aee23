package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

// Mails that nobody sends can be read, by this machine and in a frame that runs
// nothing; where they are sent, the pages do not exist.
func TestDevMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMails(tx, models.Mail{
			Fact: "invite/1", To: "bia@example.com", Language: "en", Kind: models.MailInvite, CreatedAt: s.Clock.Now(),
			Params: map[string]string{"inviter": "Ana", "account": "<i>Ateliê</i>", "role": "ADMIN", "token": "tok_1"},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	c := s.client(t)
	list := c.get("/dev/mail")
	path := list.Find("main a[href^='/dev/mail/']").AttrOr("href", "")
	if list.status != http.StatusOK || !strings.Contains(list.Find("main").Text(), "bia@example.com") || path == "" {
		t.Fatalf("the list: %d %s", list.status, list.Find("main").Text())
	}
	one := c.get(path)
	link := "http://localhost/convite/" + s.Vault.Token("tok_1")
	if one.status != http.StatusOK || !strings.Contains(one.Text(), link) || one.Find("iframe[sandbox=''][src='"+path+"/html']").Length() != 1 {
		t.Errorf("the mail: %d %s", one.status, one.Find("main").Text())
	}
	if policy := one.header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("the page's policy is %q", policy)
	}
	html := c.get(path + "/html")
	if policy := html.header.Get("Content-Security-Policy"); html.status != http.StatusOK || html.Find("i").Length() != 0 || !strings.HasSuffix(policy, "; sandbox") {
		t.Errorf("the HTML: %d under %q", html.status, policy)
	}
	for _, missing := range []string{"/dev/mail/mail_0", "/dev/mail/mail_00000000000000000000/html"} {
		if a := c.get(missing); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", missing, a.status)
		}
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	request.Header.Set("X-Forwarded-For", "127.0.0.1")
	if a, err := http.DefaultClient.Do(request); err != nil || a.StatusCode != http.StatusNotFound {
		t.Errorf("by a proxy: %v, %v", a.StatusCode, err)
	} else {
		a.Body.Close()
	}

	sending := newSiteWith(t, func(o *web.Options) { o.Mails = nil })
	for _, p := range []string{"/dev/mail", path} {
		if a := sending.client(t).get(p); a.status != http.StatusNotFound {
			t.Errorf("%s exists where mails are sent: %d", p, a.status)
		}
	}
}

// Mails follow the language of the page that somebody signed up on, and then the one
// that they switch to.
func TestLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(t)
	c.lang = "en"
	if a := c.post("/cadastro", "name", "Bia", "business", "Loja", "email", "bia@example.com", "password", paymentstest.Password); a.status != http.StatusSeeOther {
		t.Fatalf("sign up: %d", a.status)
	}
	language := func() (l string) {
		if err := s.DB.Raw("SELECT language FROM users WHERE email = 'bia@example.com'").Row().Scan(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := language(); l != "en" {
		t.Errorf("signed up in %s", l)
	}
	c.post("/preferencias", "lang", "pt-BR", "next", "/app")
	if l := language(); l != "pt-BR" {
		t.Errorf("switched to %s", l)
	}
}
