package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/web/page"
	"garoupa/web/webtest"
)

// A person unlinks the company's account on the security page, after a fresh proof. The session that began there ends,
// and the form that is sent again changes nothing.
func TestSSO_Unlink(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	there.Set(t, owner(s, "ana"))
	c := s.Member(t)
	form := "form[action='" + page.SecurityPath + "/provedor/desligar']"
	if c.Get(page.SecurityPath).Find(form).Length() != 0 {
		t.Error("there is a form before there is a link")
	}
	away := s.Client(t)
	enters(t, "linked", away, s.SSO(t, away, there.Browser(t), "/entrar/sso", "ana"))
	unlink := func(c *webtest.Client) webtest.Answer { return c.Post(page.SecurityPath + "/provedor/desligar") }

	s.Clock.Advance(11 * time.Minute)
	if a := unlink(c); a.Status != http.StatusOK || a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
		count(t, s, "SELECT count(*) FROM person_identities") != 1 {
		t.Errorf("without a fresh proof: %d %q", a.Status, a.Header.Get("Location"))
	}
	modelstest.Exec(t, s.DB, "UPDATE sessions SET proven_at = $1", s.Clock.Now())
	for range 2 { // the second finds it done
		if a := unlink(c); a.Status != http.StatusSeeOther || a.Header.Get("Location") != page.SecurityPath {
			t.Errorf("unlinked: %d %q", a.Status, a.Header.Get("Location"))
		}
	}
	if said := c.Get(page.SecurityPath).Find("[role=status]").Text(); !strings.Contains(said, "desligada") {
		t.Errorf("the page says %q", said)
	}
	if in := away.Get("/app"); in.Status != http.StatusSeeOther {
		t.Errorf("the session of the provider goes on: %d", in.Status)
	}
	for table, want := range map[string]int{"person_identities": 0, "mails WHERE kind = 'identity_unlinked'": 1,
		"audit_log WHERE action = 'user.identity_unlinked'": 1} {
		if n := count(t, s, "SELECT count(*) FROM "+table); n != want {
			t.Errorf("%d of %s, want %d", n, table, want)
		}
	}
}
