package web_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/auth/oidc/oidctest"
	"garoupa/web/page"
	"garoupa/web/webtest"
)

// walkSSO sees the log-in at the company's provider, beside passwords and alone.
func walkSSO(t *testing.T, w *walk) {
	s, there := webtest.NewWithSSO(t)
	there.Set(t, oidctest.Person{Subject: "ana", Email: s.Email, Verified: true})
	there.Set(t, oidctest.Person{Subject: "bia", Email: "bia@example.com", Verified: true})
	there.Set(t, oidctest.Person{Subject: "caio", Email: "caio@example.com"})
	tab := w.open(t, s, "/entrar?next=/app")
	tab.visit("log-in", "/entrar?next=/ops")
	there.Break(t, true)
	tab.refused("down", "/entrar/sso", http.StatusServiceUnavailable)
	there.Break(t, false)
	tab.refused("stale", page.SSOReturnPath, http.StatusBadRequest)
	tab.AllowConsole("status of 403")
	for subject, picture := range map[string]string{"bia": "no-person", "caio": "unverified"} {
		other := w.open(t, s, "/entrar")
		other.AllowConsole("status of 403")
		other.sso(subject)
		other.WaitTrue(`location.pathname == "` + page.SSOReturnPath + `"`)
		other.look(picture)
	}
	tab.Goto(s.URL + "/entrar/sso")
	tab.WaitVisible("input[name=sub]")
	tab.Click("button[value=cancel]")
	tab.WaitTrue(`location.pathname == "` + page.SSOReturnPath + `"`)
	tab.look("cancelled")
	tab.sso("ana")
	tab.WaitTrue(`location.pathname == "/app"`)
	tab.visit("linked", page.SecurityPath)

	s.Merchants.SSOOnly = true
	s.Clock.Advance(11 * time.Minute)
	tab.visits(map[string]string{"step-up": "/trocar-email", "security": page.SecurityPath})
	only := w.open(t, s, "/entrar")
	only.visit("only-log-in", "/entrar")
	only.refused("only", "/esqueci-senha", http.StatusForbidden)
}

// sso logs in at the provider, from the page of the log-in.
func (w *walker) sso(subject string) {
	w.t.Helper()
	w.Goto(w.site.URL + "/entrar/sso")
	w.WaitVisible("input[name=sub]")
	w.Type("input[name=sub]", subject)
	w.Click(`button[value="log in"]`)
}
