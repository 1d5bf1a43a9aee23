package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// An account may not send any number of invitations to strangers: new ones and those that are
// sent again count, and what exceeds the limit is not sent and says so.
func TestInvites_Limit(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{
		Mails: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 2}),
	})
	c := s.Member(t)
	sent := func() int {
		return modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = $1", models.MailInvite)
	}
	for i, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		a := c.Post("/app/equipe/convites", "email", fmt.Sprintf("p%d@example.com", i), "role", "VIEWER")
		if a.Status != want || (want == http.StatusTooManyRequests) != (a.Header.Get("Retry-After") != "") {
			t.Errorf("invitation %d: %d, want %d", i+1, a.Status, want)
		}
	}
	if n := sent(); n != 2 {
		t.Errorf("%d invitations were sent", n)
	}
	s.Clock.Advance(2 * time.Minute) // sooner is refused anyway
	c.Post("/app/equipe/convites/" + modelstest.One[string](t, s.DB, "SELECT min(id) FROM invites") + "/reenviar")
	if n := sent(); n != 2 || !strings.Contains(c.Get("/app/equipe").Text(), "Muitos convites") {
		t.Errorf("after another one %d invitations were sent", n)
	}
}
