package pages_test

import (
	"slices"
	"time"

	"garoupa/views/components"
	"garoupa/views/pages/dashboard"
)

var eventTypes = []string{
	"checkout.created", "checkout.paid", "checkout.expired", "checkout.cancelled", "checkout.refunded",
	"withdrawal.created",
	"withdrawal.completed",
	"withdrawal.rejected", "withdrawal.failed", "withdrawal.cancelled", "withdrawal.returned",
}

func replayPages() []page {
	replay := dashboard.ReplayProps{Shell: shell(true), ID: "we_1", URL: "https://loja.test/pix", Period: "7d",
		Since: now.Add(-time.Hour), Until: now, Count: 12, Limit: 10000}
	more := replay
	more.Enabled, more.More, more.Count = true, true, 10000
	none := replay
	none.Count = 0
	all, noneAll, wrong := replay, none, none
	all.All, noneAll.All = true, true
	wrong.From, wrong.Errors = "x", components.FieldErrors{{Field: "from", Text: "Digite uma data e hora"}}
	return []page{
		{"replay", dashboard.Replay(replay)},
		{"replay more", dashboard.Replay(more)},
		{"replay none", dashboard.Replay(none)},
		{"replay all", dashboard.Replay(all)},
		{"replay none at all", dashboard.Replay(noneAll)},
		{"replay wrong", dashboard.Replay(wrong)},
	}
}

func webhookPages() []page {
	endpoint := dashboard.EndpointRow{ID: "we_1", URL: "https://loja.test/pix", Description: "Loja", Types: eventTypes,
		Enabled: true, Delivered: 1284, Missed: 1, Hours: []components.SparkBar{{Good: 1284}, {Bad: 1}}}
	failing, gaveUp := endpoint, dashboard.EndpointRow{ID: "we_2", URL: "https://loja.test/2"}
	failing.Trouble = dashboard.EndpointTrouble{ID: "we_1", URL: endpoint.URL, Failed: 3, Since: hence(-time.Hour)}
	gaveUp.Trouble = dashboard.EndpointTrouble{ID: "we_2", URL: gaveUp.URL, DisabledAt: hence(-time.Hour)}
	detail := dashboard.WebhookProps{
		Shell: shell(true), ID: "we_1", URL: endpoint.URL, Types: eventTypes, SecretDisplay: "whsec_…3a9f",
		PreviousUntil: hence(time.Hour),
		CreatedAt:     now, Enabled: true, CanEdit: true, Sampled: 20000,
		Answers:    dashboard.Answers{Median: 90 * time.Millisecond, Slow: 2 * time.Second},
		Deliveries: deliveries(), Pager: components.PagerProps{Previous: "?a", Next: "?b"}, Trouble: failing.Trouble,
	}
	for n := range 7 {
		day := dashboard.WebhookDay{Day: now.AddDate(0, 0, n-6), Delivered: n * 171, Retried: n * n, Failed: n / 5}
		if n > 0 {
			day.Answers = detail.Answers
		}
		detail.Days = append(detail.Days, day)
	}
	sent, sending := failed, failed
	sent.Attempts, sending.Status, sending.UnderWay = failures()[7:], dashboard.DeliveryPending, true
	detail.Test = &sent
	off := detail
	off.Enabled, off.Trouble = false, dashboard.EndpointTrouble{}
	off.Deliveries, off.Status = nil, dashboard.DeliveryFailed
	disabled, gone := off, off
	disabled.Trouble, gone.Trouble = gaveUp.Trouble, gaveUp.Trouble
	gone.Trouble.Gone = true
	fresh := detail
	fresh.Test = &sending
	fresh.Status, fresh.CanEdit, fresh.Deliveries = "", false, nil
	fresh.Days, fresh.Trouble = make([]dashboard.WebhookDay, 7), dashboard.EndpointTrouble{}
	fresh.Pager = components.PagerProps{}
	secret := dashboard.WebhookSecretProps{Shell: shell(true), ID: "we_1", URL: endpoint.URL,
		Secret: "whsec_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe", Seen: "6aQe"}
	rotated := secret
	rotated.PreviousUntil = hence(24 * time.Hour)
	return slices.Concat(deliveryPages(), replayPages(), []page{
		{"webhooks", dashboard.Webhooks(dashboard.WebhooksProps{Shell: shell(true), CanCreate: true,
			Endpoints: []dashboard.EndpointRow{failing, gaveUp}})},
		{"webhooks empty", dashboard.Webhooks(dashboard.WebhooksProps{Shell: shell(true), CanCreate: true})},
		{"webhooks locked", dashboard.Webhooks(dashboard.WebhooksProps{Shell: shell(false)})},
		{"new webhook",
			dashboard.WebhookForm(dashboard.WebhookFormProps{Shell: shell(true), Types: eventTypes[:3],
				AllTypes: eventTypes})},
		{"edit webhook wrong",
			dashboard.WebhookForm(dashboard.WebhookFormProps{Shell: shell(false), ID: "we_1", URL: "x",
				Description: "y", AllTypes: eventTypes, HTTPAllowed: true,
				Errors: problem("url", "description", "types")})},
		{"webhook created", dashboard.WebhookCreated(dashboard.WebhookCreatedProps{Shell: shell(true), ID: "we_1",
			URL: endpoint.URL, Secret: "whsec_Kq3vYw8ZrT1mN5bXc7LpD2hJ4sFg6aQe"})},
		{"webhook", dashboard.Webhook(detail)},
		{"webhook off", dashboard.Webhook(off)},
		{"webhook disabled", dashboard.Webhook(disabled)},
		{"webhook gone", dashboard.Webhook(gone)},
		{"webhook fresh", dashboard.Webhook(fresh)},
		{"secret", dashboard.WebhookSecret(secret)},
		{"secret rotated", dashboard.WebhookSecret(rotated)},
	})
}

// deliveries are in every state, with latest attempts that ended in every way.
func deliveries() []dashboard.DeliveryRow {
	var rows []dashboard.DeliveryRow
	for i, status := range []string{dashboard.DeliveryFailed, dashboard.DeliveryRetrying, dashboard.DeliveryDelivered,
		dashboard.DeliverySkipped, dashboard.DeliveryPending} {
		rows = append(rows, dashboard.DeliveryRow{
			ID: "dlv_1", EventID: "evt_9b1c2d3e4f5a6b7c8d9e0f1a", Type: "checkout.paid", Status: status, CreatedAt: now,
			Test: i == 1, Attempts: i, Last: failures()[i],
		})
	}
	return append(rows, dashboard.DeliveryRow{ID: "dlv_2", EventID: "evt_2", Type: "checkout.paid",
		Status: dashboard.DeliveryPending, CreatedAt: now})
}

// failures are attempts that ended in every way.
func failures() []dashboard.AttemptRow {
	var attempts []dashboard.AttemptRow
	for i, class := range []string{"", "dns", "connect", "tls", "timeout", "blocked", "redirect", "status", "status",
		"status", "status", "status", "status"} {
		attempts = append(attempts, dashboard.AttemptRow{Number: i + 1, Manual: i == 3, At: now, Duration: time.Second,
			Error: class, Detail: class, Headers: "x-svc-event-id: evt_1"})
	}
	for i, status := range map[int]int{0: 200, 6: 302, 7: 500, 8: 403, 9: 404, 10: 429, 11: 418, 12: 410} {
		attempts[i].Status = status
	}
	attempts[7].Response = "<h1>Server Error</h1>"
	return attempts
}

// failed is a delivery that was given up.
var failed = dashboard.DeliveryProps{
	Shell: shell(true), ID: "dlv_1", Status: dashboard.DeliveryFailed, EventID: "evt_1", Type: "checkout.paid",
	CheckoutID: "chk_1", EndpointID: "we_1",
	URL: "https://loja.test/pix", CreatedAt: now, Scheduled: 5, CanResend: true, Token: "T",
	Body: dashboard.EventBody{Formatted: "{\n}", Raw: "{}"},
}

// deliveryPages are deliveries in every state, failed in every way, and events.
func deliveryPages() []page {
	delivery := failed
	var all []page
	for i, attempt := range failures() {
		failed := delivery
		failed.Attempts = []dashboard.AttemptRow{attempt}
		if i == 0 {
			failed.Status, failed.Attempts = dashboard.DeliveryDelivered, failures()
		}
		all = append(all, page{"delivery " + attempt.Error, dashboard.Delivery(failed)})
	}
	for _, result := range []string{
		dashboard.SignatureCurrent, dashboard.SignaturePrevious, dashboard.SignatureCase, dashboard.SignatureBase64,
		dashboard.SignatureRewritten,
		dashboard.SignaturePrefix, dashboard.SignatureHash, dashboard.SignatureOther,
		dashboard.SignatureStandard, dashboard.SignatureStandardPrevious, dashboard.SignatureStandardKey,
		dashboard.SignatureStandardOther,
	} {
		checked := delivery
		checked.Signature = dashboard.SignatureCheck{Typed: "5f0c", Result: result}
		all = append(all, page{"signature " + result, dashboard.Delivery(checked)})
	}
	retrying, queued, skipped, again := delivery, delivery, delivery, delivery
	retrying.Status, retrying.Attempts = dashboard.DeliveryRetrying, failures()[4:5]
	retrying.NextAttemptAt, retrying.Scheduled = hence(time.Minute), 1
	queued.Status, queued.UnderWay, queued.Test, queued.CheckoutID = dashboard.DeliveryPending, true, true, ""
	skipped.Status = dashboard.DeliverySkipped
	again.Status, again.Attempts = dashboard.DeliveryDelivered, failures()[1:2]

	states := func(statuses ...string) (all []dashboard.EventDelivery) {
		for _, status := range statuses {
			all = append(all, dashboard.EventDelivery{ID: "dlv_1", WebhookID: "we_1", URL: "https://loja.test/pix",
				Status: status, Gone: status == dashboard.DeliverySkipped})
		}
		return all
	}
	every := []string{dashboard.DeliveryFailed, dashboard.DeliveryRetrying, dashboard.DeliverySkipped,
		dashboard.DeliveryPending, dashboard.DeliveryDelivered}
	rows := []dashboard.EventRow{
		{ID: "evt_1", Type: "checkout.created", CreatedAt: now, CheckoutID: "chk_1", Deliveries: states(every...)},
		{ID: "evt_2", Type: "checkout.paid", CreatedAt: now, CheckoutID: "chk_1",
			Deliveries: states(append(every, every...)...)},
		{ID: "evt_3", Type: "checkout.cancelled", CreatedAt: now, Test: true},
	}
	list := dashboard.EventsProps{Shell: shell(true), Types: eventTypes, Events: rows, Type: "checkout.paid",
		Undelivered: true, Text: "chk_1", Day: "2026-11-20", Pager: components.PagerProps{Next: "?b"}}
	return append(all,
		page{"delivery retrying", dashboard.Delivery(retrying)},
		page{"delivery queued", dashboard.Delivery(queued)},
		page{"delivery skipped", dashboard.Delivery(skipped)},
		page{"delivery again", dashboard.Delivery(again)},
		page{"events", dashboard.Events(list)},
		page{"events none",
			dashboard.Events(dashboard.EventsProps{Shell: shell(true), Types: eventTypes, Text: "x", Day: "y",
				Errors: components.FieldErrors{{Field: "day", Text: "Digite um dia como 20/11/2026"}}})},
		page{"events delivered",
			dashboard.Events(dashboard.EventsProps{Shell: shell(true), Types: eventTypes, Undelivered: true})},
		page{"events empty", dashboard.Events(dashboard.EventsProps{Shell: shell(true), Types: eventTypes})},
		page{"event", dashboard.Event(dashboard.EventProps{Shell: shell(true), Event: rows[0], Body: delivery.Body})},
		page{"event test",
			dashboard.Event(dashboard.EventProps{Shell: shell(false), Event: rows[2], Body: delivery.Body})},
	)
}
