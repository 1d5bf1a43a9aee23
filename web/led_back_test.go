package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/views/layouts"
	"garoupa/web"
	"garoupa/web/webtest"
)

// leadsBack returns where the choice of a language leads from a page, and how it answers there.
func leadsBack(c *webtest.Client, page webtest.Answer) (to string, status int) {
	c.T.Helper()
	form := page.Find("form[action='" + layouts.PreferencesPath + "']:has([name=lang])").First()
	to = form.Find("[name=next]").AttrOr("value", "")
	return to, c.Get(to).Status
}

// The page that answers a form has no address of its own. Whichever form it is, the choice of a language, of colors or
// of rows leads from there to a page, and never to an address to which forms alone are sent.
func TestLedBack_EveryForm(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	b := newBuilding(t, s)
	owner, tried := b.enter(t, string(models.RoleOwner)), 0
	for _, r := range s.App.GetRoutes(true) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Path, "/app/") {
			continue
		}
		path, _ := b.fill(r.Path)
		held := owner.Post(path, layouts.ScopeField, s.Account.ID+"/test") // the owner looks at live
		if held.Status != http.StatusConflict {
			t.Fatalf("%s with a form of test: %d", path, held.Status)
		}
		to, status := leadsBack(owner, held)
		if strings.Contains(to, "/x") {
			continue // about something that the building does not have
		}
		if tried++; status >= http.StatusBadRequest {
			t.Errorf("from %s it leads to %q: %d", path, to, status)
		}
	}
	if tried < 60 {
		t.Errorf("%d forms were tried", tried)
	}
}

// Staff whose twelve hours are over are led to the log-in, and from there to a page, whatever they sent.
func TestLedBack_Staff(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	b := newBuilding(t, s)
	s.Clock.Advance(12*time.Hour + time.Second)
	led := map[string]string{}
	for _, r := range s.App.GetRoutes(true) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Path, "/ops/") {
			continue
		}
		path, _ := b.fill(r.Path)
		a := b.supervisor.Post(path, "password", webtest.NewPassword) // which is not kept
		to := webtest.URL(t, a.Header.Get("Location"))
		if a.Status != http.StatusSeeOther || to.Path != "/entrar" {
			t.Errorf("%s: %d to %s", path, a.Status, to)
		}
		if next := to.Query().Get("next"); !strings.Contains(next, "/x") {
			led[path] = next
		}
	}
	if len(led) < 30 {
		t.Errorf("%d forms were tried", len(led))
	}
	s.AddStaff(t, "rita@staff.example", models.StaffSupervisor)
	again := s.Client(t)
	again.Post("/entrar", "email", "rita@staff.example", "password", paymentstest.Password)
	s.Enroll(t, again, again.Get("/ops").Header.Get("Location"))
	for path, to := range led {
		if a := again.Get(to); a.Status >= http.StatusBadRequest {
			t.Errorf("from %s it leads to %q: %d", path, to, a.Status)
		}
	}
}
