package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Members of a project may not ask for any number of test events and resends: both forms count, and what exceeds
// the limit is not sent and says so.
func TestResends_Limit(t *testing.T) {
	t.Parallel()
	limit := ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 2})
	s := webtest.NewLimited(t, web.Limits{Resends: limit})
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	d := charged(t, s, e.ID, answered500)
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	c.Post(at+"/testar", "type", "checkout.paid")
	c.Post(at+"/entregas/"+d.ID+"/reenviar", "token", "a")
	if n := countRows(t, s, "webhook_resends"); n != 1 {
		t.Fatalf("%d resends within the limit", n)
	}
	before := countRows(t, s, "events")
	for _, form := range []string{"/testar", "/entregas/" + d.ID + "/reenviar"} {
		c.Post(at+form, "type", "checkout.paid", "token", "b")
		if !strings.Contains(c.Get(at).Text(), "Muitos envios") {
			t.Errorf("%s does not say that it was too much", form)
		}
	}
	if n, events := countRows(t, s, "webhook_resends"), countRows(t, s, "events"); n != 1 || events != before {
		t.Errorf("beyond the limit there are %d resends and %d more events", n, events-before)
	}
}
