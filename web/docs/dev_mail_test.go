package docs_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Mails that are not sent can be read, by this machine and in a frame that runs
// nothing; where they are sent, the pages do not exist.
func TestDevMail(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMails(tx, models.Mail{
			Fact: "invite/1", To: "bia@example.com", Language: "en", Kind: models.MailInvite, CreatedAt: s.Clock.Now(),
			Params: map[string]string{"inviter": "Ana", "account": "<i>Ateliê</i>", "role": "ADMIN", "token": "tok_1"},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client(t)
	list := c.Get("/dev/mail")
	path := list.Find("main a[href^='/dev/mail/']").AttrOr("href", "")
	if list.Status != http.StatusOK || !strings.Contains(list.Find("main").Text(), "bia@example.com") || path == "" {
		t.Fatalf("the list: %d %s", list.Status, list.Find("main").Text())
	}
	one := c.Get(path)
	link := "http://localhost/convite/" + s.Vault.Token("tok_1")
	if one.Status != http.StatusOK || !strings.Contains(one.Text(), link) ||
		one.Find("iframe[sandbox=''][src='"+path+"/html']").Length() != 1 {
		t.Errorf("the mail: %d %s", one.Status, one.Find("main").Text())
	}
	if policy := one.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") ||
		strings.Contains(policy, "unsafe") {
		t.Errorf("the page's policy is %q", policy)
	}
	html := c.Get(path + "/html")
	if policy := html.Header.Get("Content-Security-Policy"); html.Status != http.StatusOK ||
		html.Find("i").Length() != 0 || !strings.HasSuffix(policy, "; sandbox") {
		t.Errorf("the HTML: %d under %q", html.Status, policy)
	}
	for _, missing := range []string{"/dev/mail/mail_0", "/dev/mail/mail_00000000000000000000/html"} {
		if a := c.Get(missing); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", missing, a.Status)
		}
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	request.Header.Set("X-Forwarded-For", "127.0.0.1")
	if a, err := http.DefaultClient.Do(request); err != nil || a.StatusCode != http.StatusNotFound {
		t.Errorf("by a proxy: %v, %v", a.StatusCode, err)
	} else {
		a.Body.Close()
	}

	sending := webtest.NewWith(t, func(o *web.Options) { o.Mails = nil })
	for _, p := range []string{"/dev/mail", path} {
		if a := sending.Client(t).Get(p); a.Status != http.StatusNotFound {
			t.Errorf("%s exists where mails are sent: %d", p, a.Status)
		}
	}
}

// A site that lets its own name lead to this machine gets none of the pages below /dev.
func TestDev_OwnHost(t *testing.T) {
	t.Parallel()
	s := webtest.NewWith(t, func(o *web.Options) { o.AppURL = "http://pix.lan:8080" })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "app.localhost": 200, "127.0.0.1:1": 200, "[::1]:8080": 200,
		"192.168.0.7:8080": 200, "pix.lan:8080": 200,
		"evil.example": 404, "evil.example:8080": 404, "localhost.evil.example": 404, "pix.lan": 404, "8.8.8.8": 404,
		"127.0.0.1.evil.example": 404, "evil.example@localhost": 404,
	} {
		for _, path := range []string{"/dev/mail", "/dev/components"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			a, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if a.StatusCode != want {
				t.Errorf("%s with Host %s: %d, want %d", path, host, a.StatusCode, want)
			}
		}
	}
}
