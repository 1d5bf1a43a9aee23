package pages_test

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/pages"
)

var eventTypes = []string{
	"checkout.created", "checkout.paid", "checkout.expired", "checkout.cancelled", "withdrawal.created", "withdrawal.completed",
	"withdrawal.rejected", "withdrawal.failed", "withdrawal.cancelled", "withdrawal.returned",
}

func webhookPages() []page {
	endpoint := pages.EndpointRow{ID: "we_1", URL: "https://loja.test/pix", Description: "Loja", Types: eventTypes, Enabled: true, Delivered: 1284, Missed: 1, Hours: []components.SparkBar{{Good: 1284}, {Bad: 1}}}
	failing, gaveUp := endpoint, pages.EndpointRow{ID: "we_2", URL: "https://loja.test/2"}
	failing.Trouble = pages.EndpointTrouble{ID: "we_1", URL: endpoint.URL, Failed: 3, Since: hence(-time.Hour)}
	gaveUp.Trouble = pages.EndpointTrouble{ID: "we_2", URL: gaveUp.URL, DisabledAt: hence(-time.Hour)}
	detail := pages.WebhookProps{
		Shell: shell(true), ID: "we_1", URL: endpoint.URL, Types: eventTypes, SecretDisplay: "whsec_…3a9f", PreviousUntil: hence(time.Hour),
		CreatedAt: now, Enabled: true, CanEdit: true, Sampled: 20000, Answers: pages.Answers{Median: 90 * time.Millisecond, Slow: 2 * time.Second},
		Deliveries: deliveries(), Pager: components.PagerProps{Previous: "?a", Next: "?b"}, Trouble: failing.Trouble,
	}
	for n := range 7 {
		day := pages.WebhookDay{Day: now.AddDate(0, 0, n-6), Delivered: n * 171, Retried: n * n, Failed: n / 5}
		if n > 0 {
			day.Answers = detail.Answers
		}
		detail.Days = append(detail.Days, day)
	}
	sent, sending := failed, failed
	sent.Attempts, sending.Status, sending.UnderWay = failures()[7:], pages.DeliveryPending, true
	detail.Test = &sent
	off := detail
	off.Enabled, off.Trouble, off.Deliveries, off.Status = false, pages.EndpointTrouble{}, nil, pages.DeliveryFailed
	disabled := off
	disabled.Trouble = gaveUp.Trouble
	fresh := detail
	fresh.Test = &sending
	fresh.Status, fresh.CanEdit, fresh.Deliveries, fresh.Days, fresh.Trouble, fresh.Pager = "", false, nil, make([]pages.WebhookDay, 7), pages.EndpointTrouble{}, components.PagerProps{}
	replay := pages.ReplayProps{Shell: shell(true), ID: "we_1", URL: endpoint.URL, Period: "7d", Since: now.Add(-time.Hour), Until: now, Count: 12, Limit: 10000}
	more := replay
	more.Enabled, more.More, more.Count = true, true, 10000
	none := replay
	none.Count = 0
	secret := pages.WebhookSecretProps{Shell: shell(true), ID: "we_1", URL: endpoint.URL, Secret: "whsec_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe", Seen: "6aQe"}
	rotated := secret
	rotated.PreviousUntil = hence(24 * time.Hour)
	return append(deliveryPages(), []page{
		{"webhooks", pages.Webhooks(pages.WebhooksProps{Shell: shell(true), CanCreate: true, Endpoints: []pages.EndpointRow{failing, gaveUp}})},
		{"webhooks empty", pages.Webhooks(pages.WebhooksProps{Shell: shell(true), CanCreate: true})},
		{"webhooks locked", pages.Webhooks(pages.WebhooksProps{Shell: shell(false)})},
		{"new webhook", pages.WebhookForm(pages.WebhookFormProps{Shell: shell(true), Types: eventTypes[:3], AllTypes: eventTypes})},
		{"edit webhook wrong", pages.WebhookForm(pages.WebhookFormProps{Shell: shell(false), ID: "we_1", URL: "x", Description: "y", AllTypes: eventTypes, HTTPAllowed: true, Errors: problem("url", "description", "types")})},
		{"webhook created", pages.WebhookCreated(pages.WebhookCreatedProps{Shell: shell(true), ID: "we_1", URL: endpoint.URL, Secret: "whsec_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe"})},
		{"webhook", pages.Webhook(detail)},
		{"webhook off", pages.Webhook(off)},
		{"webhook disabled", pages.Webhook(disabled)},
		{"webhook fresh", pages.Webhook(fresh)},
		{"replay", pages.Replay(replay)},
		{"replay more", pages.Replay(more)},
		{"replay none", pages.Replay(none)},
		{"secret", pages.WebhookSecret(secret)},
		{"secret rotated", pages.WebhookSecret(rotated)},
	}...)
}

// deliveries are in every state, with latest attempts that ended in every way.
func deliveries() []pages.DeliveryRow {
	var rows []pages.DeliveryRow
	for i, status := range []string{pages.DeliveryFailed, pages.DeliveryRetrying, pages.DeliveryDelivered, pages.DeliverySkipped, pages.DeliveryPending} {
		rows = append(rows, pages.DeliveryRow{
			ID: "dlv_1", EventID: "evt_9b1c2d3e4f5a6b7c8d9e0f1a", Type: "checkout.paid", Status: status, CreatedAt: now, Test: i == 1, Attempts: i, Last: failures()[i],
		})
	}
	return append(rows, pages.DeliveryRow{ID: "dlv_2", EventID: "evt_2", Type: "checkout.paid", Status: pages.DeliveryPending, CreatedAt: now})
}

// failures are attempts that ended in every way.
func failures() []pages.AttemptRow {
	var attempts []pages.AttemptRow
	for i, class := range []string{"", "dns", "connect", "tls", "timeout", "blocked", "redirect", "status", "status", "status", "status", "status"} {
		attempts = append(attempts, pages.AttemptRow{Number: i + 1, Manual: i == 3, At: now, Duration: time.Second, Error: class, Detail: class, Headers: "x-svc-event-id: evt_1"})
	}
	for i, status := range map[int]int{0: 200, 6: 302, 7: 500, 8: 403, 9: 404, 10: 429, 11: 418} {
		attempts[i].Status = status
	}
	attempts[7].Response = "<h1>Server Error</h1>"
	return attempts
}

// failed is a delivery that was given up.
var failed = pages.DeliveryProps{
	Shell: shell(true), ID: "dlv_1", Status: pages.DeliveryFailed, EventID: "evt_1", Type: "checkout.paid", CheckoutID: "chk_1", EndpointID: "we_1",
	URL: "https://loja.test/pix", CreatedAt: now, Scheduled: 5, CanResend: true, Token: "T", Body: pages.EventBody{Formatted: "{\n}", Raw: "{}"},
}

// deliveryPages are deliveries in every state, failed in every way, and events.
func deliveryPages() []page {
	delivery := failed
	var all []page
	for i, attempt := range failures() {
		failed := delivery
		failed.Attempts = []pages.AttemptRow{attempt}
		if i == 0 {
			failed.Status, failed.Attempts = pages.DeliveryDelivered, failures()
		}
		all = append(all, page{"delivery " + attempt.Error, pages.Delivery(failed)})
	}
	for _, result := range []string{
		pages.SignatureCurrent, pages.SignaturePrevious, pages.SignatureCase, pages.SignatureBase64, pages.SignatureRewritten,
		pages.SignaturePrefix, pages.SignatureHash, pages.SignatureOther,
	} {
		checked := delivery
		checked.Signature = pages.SignatureCheck{Typed: "5f0c", Result: result}
		all = append(all, page{"signature " + result, pages.Delivery(checked)})
	}
	retrying, queued, skipped, again := delivery, delivery, delivery, delivery
	retrying.Status, retrying.Attempts, retrying.NextAttemptAt, retrying.Scheduled = pages.DeliveryRetrying, failures()[4:5], hence(time.Minute), 1
	queued.Status, queued.UnderWay, queued.Test, queued.CheckoutID = pages.DeliveryPending, true, true, ""
	skipped.Status = pages.DeliverySkipped
	again.Status, again.Attempts = pages.DeliveryDelivered, failures()[1:2]

	states := func(statuses ...string) (all []pages.EventDelivery) {
		for _, status := range statuses {
			all = append(all, pages.EventDelivery{ID: "dlv_1", WebhookID: "we_1", URL: "https://loja.test/pix", Status: status, Gone: status == pages.DeliverySkipped})
		}
		return all
	}
	every := []string{pages.DeliveryFailed, pages.DeliveryRetrying, pages.DeliverySkipped, pages.DeliveryPending, pages.DeliveryDelivered}
	rows := []pages.EventRow{
		{ID: "evt_1", Type: "checkout.created", CreatedAt: now, CheckoutID: "chk_1", Deliveries: states(every...)},
		{ID: "evt_2", Type: "checkout.paid", CreatedAt: now, CheckoutID: "chk_1", Deliveries: states(append(every, every...)...)},
		{ID: "evt_3", Type: "checkout.cancelled", CreatedAt: now, Test: true},
	}
	list := pages.EventsProps{Shell: shell(true), Types: eventTypes, Events: rows, Type: "checkout.paid", Undelivered: true, CheckoutID: "chk_1", Pager: components.PagerProps{Next: "?b"}}
	return append(all,
		page{"delivery retrying", pages.Delivery(retrying)},
		page{"delivery queued", pages.Delivery(queued)},
		page{"delivery skipped", pages.Delivery(skipped)},
		page{"delivery again", pages.Delivery(again)},
		page{"events", pages.Events(list)},
		page{"events none", pages.Events(pages.EventsProps{Shell: shell(true), Types: eventTypes, CheckoutID: "x"})},
		page{"events delivered", pages.Events(pages.EventsProps{Shell: shell(true), Types: eventTypes, Undelivered: true})},
		page{"events empty", pages.Events(pages.EventsProps{Shell: shell(true), Types: eventTypes})},
		page{"event", pages.Event(pages.EventProps{Shell: shell(true), Event: rows[0], Body: delivery.Body})},
		page{"event test", pages.Event(pages.EventProps{Shell: shell(false), Event: rows[2], Body: delivery.Body})},
	)
}
