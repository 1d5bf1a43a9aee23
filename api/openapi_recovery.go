package api

import (
	"encoding/json"
	"time"

	"garoupa/api/openapi"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

const (
	tagEvents         = "Event recovery"
	exampleEndpointID = "we_1c9e4b7a2d5f8063b1a4"
)

var exampleNewReplay = json.RawMessage(`{"endpointId":"` + exampleEndpointID +
	`","from":"2026-11-20T12:00:00Z","to":"2026-11-20T15:30:00Z","only":"undelivered"}`)

// exampleEventDeliveries returns the example of a paid checkout that one endpoint did not take.
func exampleEventDeliveries(x examples) json.RawMessage {
	at := time.Date(2026, 11, 20, 13, 22, 41, 0, time.UTC)
	return payload.AppendEventDeliveries(nil, &models.Event{Body: x.events[models.EventCheckoutPaid]},
		[]models.Delivery{{ID: "dlv_4d7a1f0c9b2e6853d1a7c0f4", Status: models.DeliveryFailed, Attempts: 5,
			FinishedAt: &at, Endpoint: models.Endpoint{ID: exampleEndpointID},
			Last: models.Attempt{StatusCode: 500, ErrorClass: "status"}}})
}

func anyEventSchema() *openapi.Schema {
	return &openapi.Schema{Description: "An event with the body that webhooks send; `type` says which.",
		AnyOf: []*openapi.Schema{openapi.Ref("Event"), openapi.Ref("RefundEvent"), openapi.Ref("WithdrawalEvent")}}
}

func eventDeliveriesSchema() *openapi.Schema {
	count := openapi.Integer("How many attempts have ended.", 0, 1<<31-1)
	status := openapi.Nullable(openapi.Integer("The HTTP status of the last attempt's answer; null without one.", 100,
		999))
	delivery := openapi.Answer("The event on its way to one endpoint.",
		openapi.Property("id", openapi.Pattern(`^dlv_[0-9a-f]{24}$`, "The delivery's id.")),
		openapi.Property("endpointId", openapi.Pattern(`^we_[0-9a-f]{20}$`, "The webhook endpoint's id.")),
		openapi.Property("status", openapi.Choice("`PENDING` while an attempt is to come, then `DELIVERED` or "+
			"`FAILED`; `SKIPPED` if the endpoint was disabled.", models.DeliveryPending, models.DeliveryDelivered,
			models.DeliveryFailed, models.DeliverySkipped)),
		openapi.Property("attempts", count),
		openapi.Property("nextAttemptAt", openapi.Nullable(instant("When the next attempt is due; null if none is."))),
		openapi.Property("finishedAt", openapi.Nullable(instant("When it ended; null while `PENDING`."))),
		openapi.Property("lastStatusCode", status),
		openapi.Property("lastError", openapi.Nullable(openapi.Choice("Why the last attempt failed; null if it did "+
			"not.", "dns", "connect", "tls", "timeout", "redirect", "status", "blocked"))))
	return openapi.Answer("An event and its deliveries.",
		openapi.Property("event", openapi.Ref("AnyEvent")),
		openapi.Property("deliveries", &openapi.Schema{Type: openapi.Types{"array"}, Items: delivery,
			Description: "To endpoints that were not deleted; empty if none was to receive the event."}))
}

func newResendSchema() *openapi.Schema {
	endpoint := openapi.Nullable(openapi.Bounded("Only the delivery to this endpoint; all of them when absent.", 1, 64))
	endpoint.Pattern = texts().plain
	return openapi.Body("Which deliveries to attempt once more.", nil, openapi.Property("endpointId", endpoint))
}

func newReplaySchema() *openapi.Schema {
	at := func(description string) *openapi.Schema {
		s := openapi.Text(description + " RFC 3339, with any offset.")
		s.Format, s.Pattern = "date-time", momentPattern
		return s
	}
	endpoint := openapi.Bounded("The webhook endpoint.", 1, 64)
	endpoint.Pattern = texts().plain
	only := openapi.Nullable(openapi.Choice("`undelivered`: what is `FAILED` or `SKIPPED`. `all`: also what is "+
		"`DELIVERED`, for a server that lost what it had received. `undelivered` when absent.", onlyUndelivered,
		onlyAll))
	return openapi.Body("Deliveries to queue again.", []string{"endpointId", "from", "to"},
		openapi.Property("endpointId", endpoint),
		openapi.Property("from", at("Events created at this time or later.")),
		openapi.Property("to", at("Events created before this time.")),
		openapi.Property("only", only))
}

func replaySchema() *openapi.Schema {
	return openapi.Answer("What a replay queued.",
		openapi.Property("queued", openapi.Integer("How many deliveries this request queued.", 0, payments.MaxReplay)),
		openapi.Property("nextFrom", openapi.Nullable(instant("Not null if there are more than one replay takes: the "+
			"`from` of the next one."))))
}

// momentPattern is RFC 3339 in capital letters and without leap seconds, which the program's
// clock does not have.
const momentPattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`

// momentParameter describes a bound of a list in time.
func momentParameter(name, description string) openapi.Parameter {
	s := openapi.Pattern(momentPattern, "")
	s.Format = "date-time"
	return openapi.Parameter{Name: name, In: "query", Description: description + " RFC 3339.", Schema: s,
		Example: "2026-11-20T12:00:00Z"}
}

func listEventsOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "listEvents", Tags: []string{tagEvents}, Summary: "List events", Security: anyKey,
		Description: "Newest first, each with the body that webhooks send. Test events from the dashboard are not " +
			"listed. No permission covers events; a member allows the key in the dashboard.",
		Parameters: append([]openapi.Parameter{
			{Name: "type", In: "query", Description: "Only events of this type.",
				Schema: openapi.Choice("", eventTypes...), Example: models.EventCheckoutPaid},
			{Name: "checkoutId", In: "query", Description: "Only events about this checkout.",
				Schema: checkoutIDText(""), Example: exampleCheckoutID},
			momentParameter("createdFrom", "Only events created at this time or later."),
			momentParameter("createdTo", "Only events created before this time."),
			{Name: "delivered", In: "query", Description: "`false`: only events with a delivery that did not arrive: " +
				"failed, skipped, or pending after an attempt. `true`: only the others.",
				Schema: openapi.Choice("", "true", "false"), Example: "false"},
		}, pageParameters()...),
		Responses: withErrors(found("A page of events.", "EventList", "page", page(x.events[models.EventCheckoutPaid])),
			everyCall),
	}
}

var eventIDParameter = idParameter("eventId", "The event's id.", exampleEventID)

func readEventOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readEvent", Tags: []string{tagEvents}, Summary: "Read an event", Security: anyKey,
		Description: "The event, and how its deliveries stand.",
		Parameters:  []openapi.Parameter{eventIDParameter, requestIDParameter},
		Responses: withErrors(found("The event and its deliveries.", "EventDeliveries", "failed",
			exampleEventDeliveries(x)), everyCall, []refusal.Code{refusal.EventNotFound}),
	}
}

func resendEventOperation(x examples) *openapi.Operation {
	body := send("NewResend", "endpoint", json.RawMessage(`{"endpointId":"`+exampleEndpointID+`"}`))
	body.Required = false
	return &openapi.Operation{
		OperationID: "resendEvent", Tags: []string{tagEvents}, Summary: "Resend an event", Security: anyKey,
		Description: "Queues one more attempt of each delivery, also of those that arrived, or of the one to an " +
			"endpoint. It is not retried, and made even while the endpoint is disabled. The same Idempotency-Key " +
			"sends once.",
		Parameters:  []openapi.Parameter{eventIDParameter, idempotencyParameter(true), requestIDParameter},
		RequestBody: body,
		Responses: withErrors(found("Queued: the event, and how its deliveries stand now.", "EventDeliveries", "failed",
			exampleEventDeliveries(x)), everyCall, []refusal.Code{refusal.IdempotencyKeyRequired,
			refusal.EventNotFound, refusal.WebhookEndpointNotFound, refusal.IdempotencyConflict}),
	}
}

func replayEventsOperation() *openapi.Operation {
	return &openapi.Operation{
		OperationID: "replayEvents", Tags: []string{tagEvents}, Summary: "Replay events", Security: anyKey,
		Description: "Queues the deliveries of a period again, the oldest first, each with five new attempts: up " +
			"to 10,000. What is pending stays as it is. A repeated request goes on where the first one ended, and " +
			"queues nothing twice.",
		Parameters:  []openapi.Parameter{idempotencyParameter(true), requestIDParameter},
		RequestBody: send("NewReplay", "outage", exampleNewReplay),
		Responses: withErrors(found("What was queued.", "Replay", "queued",
			payload.AppendReplayed(nil, 148, nil)), everyCall, []refusal.Code{
			refusal.IdempotencyKeyRequired, refusal.WebhookEndpointNotFound, refusal.WebhookEndpointDisabled,
			refusal.IdempotencyConflict}),
	}
}
