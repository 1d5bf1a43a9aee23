package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/views/i18n"
	"garoupa/web/webtest"
)

// A replay begins at any moment in Brasília time and takes, if asked, what was delivered; its form sends once.
func TestReplay_AllFromMoment(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	five := []models.Attempt{answered500, answered500, answered500, answered500, answered500}
	charged(t, s, e.ID, answered200)
	s.Clock.Advance(time.Minute)
	moment := s.Clock.Now()
	got := charged(t, s, e.ID, answered200)
	charged(t, s, e.ID, five...)
	charged(t, s, e.ID, answered500)
	s.Clock.Advance(time.Hour)
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID + "/repetir"
	from := "&from=" + i18n.FieldMoment(moment)
	for query, want := range map[string]string{
		"?only=all" + from: "2 eventos serão reenviados", "?only=undelivered" + from: "1 evento será reenviado",
		"?only=x" + from: "1 evento será reenviado", "?since=3d&only=all": "3 eventos serão reenviados",
		"?only=all&from=" + i18n.FieldMoment(moment)[:16]: "2 eventos serão reenviados", // without seconds
	} {
		if a := c.Get(at + query); a.Status != http.StatusOK || !strings.Contains(a.Text(), want) {
			t.Errorf("%s: %d %q", query, a.Status, a.Find("main section").Text())
		}
	}
	for _, odd := range []string{"x", "2026-02-30T10:00", "2026-03-01"} {
		if a := c.Get(at + "?from=" + odd); a.Status != http.StatusUnprocessableEntity ||
			a.Find("form[method=post][action$=repetir]").Length() != 0 || a.Find("#errors").Length() != 1 {
			t.Errorf("from %q: %d", odd, a.Status)
		}
	}
	form := hiddenPairs(c.Get(at + "?only=all" + from).Find("form[method=post][action$=repetir]"))
	for i, says := range []string{"Reenvio na fila", "já está na fila"} {
		if a := c.Post(at, form...); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get("/app/webhooks/"+e.ID).Text(), says) {
			t.Errorf("sent %d times: %d", i+1, a.Status)
		}
		s.Clock.Advance(time.Second)
		s.Attempt(t, got.ID, answered200) // so that the form could take it once more
	}
}

// A replay that cannot take all leads to the form for the rest.
func TestReplay_Rest(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	modelstest.Exec(t, s.DB, `WITH v AS (INSERT INTO events (id, project_id, livemode, type, body, created_at)
			SELECT 'evt_' || left(md5(i::text), 24), $1, false, 'checkout.paid', '{}',
				$2::timestamptz + i * interval '1 millisecond' FROM generate_series(0, $3 - 1) AS i
			RETURNING id, created_at)
		INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, attempts, created_at, finished_at)
		SELECT 'dlv_' || left(md5(id), 24), id, $4, 'FAILED', 5, created_at, created_at FROM v`,
		s.Gateway.Test.ProjectID, s.Clock.Now(), payments.MaxReplay+5, e.ID)
	s.Clock.Advance(time.Minute)
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID + "/repetir"
	a := c.Post(at, hiddenPairs(c.Get(at).Find("form[method=post][action$=repetir]"))...)
	to := a.Header.Get("Location")
	if rest := c.Get(to); !strings.HasPrefix(to, at+"?from=") || !strings.Contains(rest.Text(), "Havia mais") ||
		!strings.Contains(rest.Text(), "5 eventos serão reenviados") {
		t.Errorf("%d leads to %q: %q", a.Status, to, rest.Find("main section").Text())
	}
}

// Events are found by their day, and by any id or the merchant's own reference, in the environment.
func TestEvents_Search(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	first := charged(t, s, e.ID, answered500)
	s.Clock.Advance(24 * time.Hour)
	c := s.Checkout(t, payments.NewCheckout{ExternalID: "pedido-77"})
	second := s.LatestDelivery(t, e.ID)
	member := s.Member(t)
	day := func(at time.Time) string { return i18n.Day(at) }
	for query, want := range map[string][2]bool{
		"q=" + first.Event.ID: {true, false}, "q=" + second.ID: {false, true}, "q=" + c.ID: {false, true},
		"q=+pedido-77+": {false, true}, "q=pedido-7": {}, "q=dlv_000000000000000000000000": {},
		"q=evt_000000000000000000000000": {}, "q=" + first.ID + "&delivery=undelivered": {true, false},
		"q=" + second.ID + "&delivery=undelivered": {}, "day=" + day(first.CreatedAt): {true, false},
		"day=" + day(second.CreatedAt): {false, true}, "day=" + day(second.CreatedAt) + "&q=" + first.ID: {},
		"day=" + day(first.CreatedAt) + "&delivery=undelivered&type=checkout.created": {true, false},
		"day=2020-01-01": {},
	} {
		a := member.Get("/app/eventos?" + query)
		for i, d := range []models.Delivery{first, second} {
			if shown := a.Find(`main a[href="/app/eventos/`+d.Event.ID+`"]`).Length() > 0; shown != want[i] {
				t.Errorf("%s shows event %d: %t", query, i+1, shown)
			}
		}
	}
	if a := member.Get("/app/eventos?day=ontem"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#day-error").Length()+a.Find("#day").Length() == 0 {
		t.Errorf("another day: %d", a.Status)
	}
	member.Post("/app/ambiente", "env", "live")
	for _, text := range []string{first.Event.ID, first.ID, c.ID, "pedido-77"} {
		if a := member.Get("/app/eventos?q=" + text); strings.Contains(a.Body, "/app/eventos/evt_") {
			t.Errorf("live finds %s", text)
		}
	}
}
