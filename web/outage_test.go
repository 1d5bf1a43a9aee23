package web_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/web/webtest"
)

// What a member typed in the dashboard while the database takes no writes is kept on the
// page, and done when it is sent from there afterwards. Other forms are told of the
// outage alone.
func TestOutage_KeepsForm(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	form := append([]string{"name", `Vaso "Lua" <b>`, "slug", "lua", "amount", "10,00", "paymentCycle", "ONE_TIME",
		"active", "on"}, webtest.ScopeOf(t, c.Get("/app/produtos/novo"))...)
	restore := faulttest.ReadOnly(t, s.DB.Pool.Config().ConnString())
	reads := func(want int) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		// the connections that were there are gone
		for end := time.After(time.Minute); c.Get("/app/produtos").Status != want; {
			select {
			case <-tick.C:
			case <-end:
				t.Fatal("pages cannot be read")
			}
		}
	}
	reads(http.StatusOK)
	kept := c.Post("/app/produtos", form...)
	if kept.Status != http.StatusServiceUnavailable || kept.Header.Get("Retry-After") == "" ||
		len(webtest.HiddenFields(kept)) != len(form) {
		t.Fatalf("%d, Retry-After %q, %d fields: %s", kept.Status, kept.Header.Get("Retry-After"),
			len(webtest.HiddenFields(kept)),
			kept.Find("main").Text())
	}
	if form := kept.Find("main form"); form.AttrOr("action", "") != "/app/produtos" {
		t.Errorf("it would be sent to %q", form.AttrOr("action", ""))
	}
	password := c.Post("/esqueci-senha", "email", s.Email)
	if password.Status != http.StatusServiceUnavailable || len(webtest.HiddenFields(password)) != 0 {
		t.Errorf("another form: %d with %v", password.Status, webtest.HiddenFields(password))
	}
	restore()
	reads(http.StatusOK)
	if a := c.Post("/app/produtos", webtest.HiddenFields(kept)...); a.Status != http.StatusSeeOther {
		t.Fatalf("afterwards: %d %s", a.Status, a.Find("main").Text())
	}
	if a := c.Get("/app/produtos/lua"); a.Find("input[name=name]").AttrOr("value", "") != `Vaso "Lua" <b>` {
		t.Errorf("what was typed is %q", a.Find("input[name=name]").AttrOr("value", ""))
	}
}
