package web_test

import (
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
)

// walkWebhooks sees endpoints, deliveries and events, those that arrived and those that
// did not.
func walkWebhooks(t *testing.T, w *walk) {
	s := newSite(t)
	e, _, err := s.Merchants.CreateEndpoint(t.Context(), s.Owner, s.Test, merchants.NewEndpoint{
		URL: "https://loja.example/webhooks/pix", Description: "ERP da loja", Types: append([]string{models.EventCheckoutCancelled}, models.EventTypes...),
	})
	if err != nil {
		t.Fatal(err)
	}
	off, _ := s.Endpoint(t, "https://antigo.loja.example/integracao/v1/recebimentos/pix")
	ok := models.Attempt{StatusCode: 200, Duration: 84 * time.Millisecond}
	broken := models.Attempt{StatusCode: 500, ErrorClass: "status", Detail: "answered 500", Duration: 143 * time.Millisecond, Response: []byte("<h1>Erro interno</h1>\n<pre>KeyError: 'externalId'\n  em app/webhooks.py, linha 42</pre>")}
	deliver := func(attempts ...models.Attempt) string {
		s.Checkout(t, payments.NewCheckout{Amount: 49_90})
		d := s.latestDelivery(t, e.ID)
		for i, a := range attempts {
			a.Duration += time.Duration(i*37) * time.Millisecond
			s.attempt(t, d.ID, a)
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
	delivered := s.latestDelivery(t, e.ID).ID
	failed := deliver(broken, broken, broken, broken, broken)
	deliver(models.Attempt{ErrorClass: "timeout", Detail: "timed out waiting for the answer", Duration: 5 * time.Second}, broken)
	s.Clock.Advance(-36 * time.Minute)
	retrying := deliver(models.Attempt{ErrorClass: "timeout", Detail: "timed out waiting for the answer", Duration: 5 * time.Second})
	s.Clock.Advance(-36*time.Minute - 50*time.Second)
	if err := s.Merchants.SwitchEndpoint(t.Context(), s.Owner, s.Test, off.ID, false); err != nil {
		t.Fatal(err)
	}
	s.DB.Exec("UPDATE webhook_endpoints SET active = false, disabled_at = ?, disabled_reason = 'failing' WHERE id = ?", s.Clock.Now(), off.ID)
	s.DB.Exec("UPDATE webhook_deliveries SET status = 'SKIPPED', next_attempt_at = NULL, finished_at = created_at WHERE endpoint_id = ?", off.ID)
	skipped := s.latestDelivery(t, off.ID).ID
	test, err := s.SendTestEvent(t.Context(), s.Test, e.ID, models.EventCheckoutPaid, "Evento de teste: esta cobrança não existe")
	if err != nil {
		t.Fatal(err)
	}
	event := s.latestDelivery(t, off.ID).Event.ID
	at := "/app/webhooks/" + e.ID
	paths := map[string]string{
		"hooks": "/app/webhooks", "hook": at, "hook-retrying": at + "?status=RETRYING", "hook-edit": at + "/editar", "hook-off": "/app/webhooks/" + off.ID,
		"hook-test": at + "?teste=" + test, "delivery-signature": at + "/entregas/" + failed + "?assinatura=x",
		"hook-secret": at + "/segredo", "hook-replay": at + "/repetir", "hook-replay-off": "/app/webhooks/" + off.ID + "/repetir", "hook-new": "/app/webhooks/novo",
		"delivery-ok": at + "/entregas/" + delivered, "delivery-failed": at + "/entregas/" + failed, "delivery-retrying": at + "/entregas/" + retrying,
		"delivery-test": at + "/entregas/" + test, "delivery-skipped": "/app/webhooks/" + off.ID + "/entregas/" + skipped,
		"events": "/app/eventos", "events-undelivered": "/app/eventos?entrega=pendente", "events-none": "/app/eventos?cobranca=chk_0", "event": "/app/eventos/" + event,
		"home-trouble": "/app",
	}
	page := w.enter(t, s)
	page.visits(paths)
	page.Goto(s.url + "/app/webhooks/novo")
	page.fails("hook-new-wrong")
	page.Goto(s.url + at)
	page.Click("button[commandfor=delete]")
	page.WaitVisible("dialog#delete[open]")
	page.look("hook-delete")
	s.Clock.Advance(2 * time.Hour)
	page.visit("hook-replay-none", at+"/repetir?desde=1h")
	page.WaitTrue(`!document.querySelector("main form[method=post]")`)
}

// attempt records how an attempt of a delivery ended, as the worker would.
func (s *site) attempt(t *testing.T, deliveryID string, a models.Attempt) {
	t.Helper()
	d, err := models.DeliveryOf(t.Context(), s.DB.Pool, s.Test, deliveryID)
	if err != nil {
		t.Fatal(err)
	}
	a.StartedAt = s.Clock.Now()
	a.Headers = map[string][]string{
		"Content-Type": {"application/json"}, "User-Agent": {"Garoupa-Webhooks/1.0"}, "X-Svc-Event-Id": {d.Event.ID}, "X-Svc-Attempt": {"1"},
		"X-Svc-Signature": {"5f0c4d1f8f0b3f9d2f6f4d7c1e0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a"}, "X-Svc-Timestamp": {"2026-03-01T12:00:00.000Z"},
	}
	if err := s.RecordAttempt(t.Context(), 0, d, a); err != nil { // of no job: no worker runs
		t.Fatal(err)
	}
}

func (s *site) latestDelivery(t *testing.T, endpointID string) models.Delivery {
	t.Helper()
	all, err := models.EndpointDeliveries(t.Context(), s.DB.Pool, s.Test, endpointID, models.DeliveryFilter{Limit: 1})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d deliveries, %v", len(all), err)
	}
	return all[0]
}
