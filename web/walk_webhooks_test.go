package web_test

import (
	"maps"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// walkWebhooks sees endpoints, deliveries and events, those that arrived and those that
// did not.
func walkWebhooks(t *testing.T, w *walk) {
	s := webtest.New(t)
	e, _, err := s.Merchants.CreateEndpoint(t.Context(), s.Owner, s.Test, merchants.NewEndpoint{
		URL: "https://loja.example/webhooks/pix", Description: "ERP da loja",
		Types: append([]string{models.EventCheckoutCancelled}, models.EventTypes...),
	})
	if err != nil {
		t.Fatal(err)
	}
	off, _ := s.Endpoint(t, "https://antigo.loja.example/integracao/v1/recebimentos/pix")
	at, offAt := "/app/webhooks/"+e.ID, "/app/webhooks/"+off.ID
	paths := deliveryPaths(t, s, e.ID)
	paths["delivery-skipped"] = skippedDelivery(t, s, off.ID)
	test, err := s.SendTestEvent(t.Context(), s.Owner, s.Test, e.ID, models.EventCheckoutPaid,
		"Evento de teste: esta cobrança não existe")
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(paths, map[string]string{
		"hooks": "/app/webhooks", "hook": at, "hook-retrying": at + "?status=RETRYING", "hook-edit": at + "/editar",
		"hook-off": offAt, "hook-test": at + "?test=" + test, "delivery-test": at + "/entregas/" + test,
		"hook-secret": at + "/segredo", "hook-replay": at + "/repetir",
		"hook-replay-all": at + "/repetir?only=all", "events-day": "/app/eventos?day=2026-03-01",
		"hook-replay-off": offAt + "/repetir",
		"hook-new":        "/app/webhooks/novo",
		"events":          "/app/eventos", "events-undelivered": "/app/eventos?delivery=undelivered",
		"events-none": "/app/eventos?q=chk_0", "event": "/app/eventos/" + s.LatestDelivery(t, off.ID).Event.ID,
		"home-trouble": "/app",
	})
	page := w.enter(t, s)
	page.visits(paths)
	page.Goto(s.URL + "/app/webhooks/novo")
	page.fails("hook-new-wrong")
	page.Goto(s.URL + at)
	page.Click("button[commandfor=delete]")
	page.WaitVisible("dialog#delete[open]")
	page.look("hook-delete")
	s.Clock.Advance(2 * time.Hour)
	page.visit("hook-replay-none", at+"/repetir?since=1h")
	page.WaitTrue(`!document.querySelector("main form[method=post]")`)
}

// deliveryPaths gives an endpoint a week of deliveries, some of which failed or are
// retried, and returns the pages of one of each kind.
func deliveryPaths(t *testing.T, s *webtest.Site, endpointID string) map[string]string {
	t.Helper()
	ok := models.Attempt{StatusCode: 200, Duration: 84 * time.Millisecond}
	broken := models.Attempt{
		StatusCode: 500, ErrorClass: "status", Detail: "answered 500", Duration: 143 * time.Millisecond,
		Response: []byte("<h1>Erro interno</h1>\n<pre>KeyError: 'externalId'\n  em app/webhooks.py, linha 42</pre>"),
	}
	late := models.Attempt{
		ErrorClass: "timeout", Detail: "timed out waiting for the answer", Duration: 5 * time.Second,
	}
	deliver := func(attempts ...models.Attempt) string {
		s.Checkout(t, payments.NewCheckout{Amount: 49_90})
		d := s.LatestDelivery(t, endpointID)
		for i, a := range attempts {
			a.Duration += time.Duration(i*37) * time.Millisecond
			s.Attempt(t, d.ID, a)
		}
		s.Clock.Advance(37 * time.Minute)
		return d.ID
	}
	for day := range 7 {
		for n := range 2 + day {
			slow := ok
			slow.Duration += time.Duration(n*n*17) * time.Millisecond
			deliver(slow)
		}
		if day%2 == 0 {
			deliver(broken, ok)
		}
		s.Clock.Advance(15 * time.Hour)
	}
	delivered := s.LatestDelivery(t, endpointID).ID
	failed := deliver(broken, broken, broken, broken, broken)
	deliver(late, broken)
	s.Clock.Advance(-36 * time.Minute)
	retrying := deliver(late)
	s.Clock.Advance(-36*time.Minute - 50*time.Second)
	at := "/app/webhooks/" + endpointID + "/entregas/"
	return map[string]string{
		"delivery-ok": at + delivered, "delivery-retrying": at + retrying,
		"delivery-failed": at + failed, "delivery-signature": at + failed + "?signature=x",
	}
}

// skippedDelivery switches an endpoint off, as the worker does with one that fails all the
// time, and returns the page of a delivery that was skipped because of that.
func skippedDelivery(t *testing.T, s *webtest.Site, endpointID string) string {
	t.Helper()
	if err := s.Merchants.SwitchEndpoint(t.Context(), s.Owner, s.Test, endpointID, false); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, `UPDATE webhook_endpoints SET active = false, disabled_at = $1, disabled_reason = 'failing'
		WHERE id = $2`, s.Clock.Now(), endpointID)
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries SET status = 'SKIPPED', next_attempt_at = NULL,
		finished_at = created_at
		WHERE endpoint_id = $1`, endpointID)
	return "/app/webhooks/" + endpointID + "/entregas/" + s.LatestDelivery(t, endpointID).ID
}
