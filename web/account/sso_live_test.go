package account_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// In live, and where the owner requires it of all members, a second factor that was shown to the provider counts
// as one of ours.
func TestSSO_LiveMoney(t *testing.T) {
	t.Parallel()
	s, there := webtest.NewWithSSO(t)
	s.GoLive(t)
	who := owner(s, "ana")
	enter := func(methods string) *webtest.Client {
		t.Helper()
		who.Methods = methods
		there.Set(t, who)
		c := s.Client(t)
		s.SSO(t, c, there.Browser(t), "/entrar/sso", "ana")
		c.Post("/app/ambiente", "env", "live")
		return c
	}
	weak, strong := enter("pwd"), enter("pwd mfa")
	const sensitive = "/app/saques/destinos/novo"
	if to := webtest.URL(t, weak.Get(sensitive).Header.Get("Location")); to.Path != "/2fa/ativar" {
		t.Errorf("without a second factor there: to %s", to)
	}
	if a := strong.Get(sensitive); a.Status != http.StatusOK || a.Find("#address").Length() != 1 {
		t.Errorf("with a second factor there: %d to %q", a.Status, a.Header.Get("Location"))
	}
	modelstest.Exec(t, s.DB, "UPDATE accounts SET second_factor_required = true")
	if to := webtest.URL(t, weak.Get("/app").Header.Get("Location")); to.Path != "/2fa/ativar" {
		t.Errorf("a member without one, where all need one: to %s", to)
	}
	if a := strong.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("a member with one at the provider, where all need one: %d to %q", a.Status, a.Header.Get("Location"))
	}
	s.Clock.Advance(11 * time.Minute)
	if a := strong.Get(sensitive); a.Find("main a[href^='/entrar/sso?']").Length() != 1 {
		t.Errorf("later it is not proven at the provider: %d %s", a.Status, a.Find("main").Text())
	}
}
