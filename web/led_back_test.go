package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
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
