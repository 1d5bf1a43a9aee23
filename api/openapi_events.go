package api

import (
	"slices"

	"garoupa/api/openapi"
	"garoupa/models"
)

// webhooks are the requests that endpoints of merchants receive (contract 6).
func webhooks(x examples) openapi.Named[openapi.PathItem] {
	event := func(id, kind, summary string) openapi.Entry[openapi.PathItem] {
		schema, description := "Event", "Verify the signature over the raw body before you trust it. Events may come "+
			"twice and in any order: handle each id once."
		if slices.Contains(models.WithdrawalEventTypes, kind) {
			schema = "WithdrawalEvent"
		}
		if kind == models.EventCheckoutRefunded {
			schema = "RefundEvent"
		}
		if !slices.Contains(models.EventTypes, kind) {
			description += " Sent only to endpoints that asked for it."
		}
		body := &openapi.RequestBody{Required: true, Description: "The same bytes at every attempt.",
			Content: one(schema, "event", x.events[kind])}
		return openapi.Entry[openapi.PathItem]{Name: kind, Value: openapi.PathItem{Post: &openapi.Operation{
			OperationID: id, Summary: summary, Security: public, Parameters: deliveryHeaders(), RequestBody: body,
			Description: description,
			Responses: openapi.Named[openapi.Response]{
				{Name: "2XX",
					Value: openapi.Response{Description: "Received. Answer within 5 seconds; " +
						"do slow work afterwards."}},
				{Name: "default",
					Value: openapi.Response{Description: "Anything else, redirects included, is a failure: there are " +
						"up to five attempts, 1, 5, 15 and 60 minutes apart. Retry-After makes the next wait longer, " +
						"up to an hour. 410 disables the endpoint."}},
			},
		}}}
	}
	return openapi.Named[openapi.PathItem]{
		event("onCheckoutCreated", models.EventCheckoutCreated, "A checkout was created"),
		event("onCheckoutPaid", models.EventCheckoutPaid, "A checkout was paid"),
		event("onCheckoutExpired", models.EventCheckoutExpired, "A checkout expired"),
		event("onCheckoutCancelled", models.EventCheckoutCancelled, "A checkout was cancelled"),
		event("onCheckoutRefunded", models.EventCheckoutRefunded, "Money of a checkout was given back"),
		event("onWithdrawalCreated", models.EventWithdrawalCreated, "A withdrawal was requested"),
		event("onWithdrawalCancelled", models.EventWithdrawalCancelled, "A withdrawal was cancelled by a member"),
		event("onWithdrawalRejected", models.EventWithdrawalRejected, "A withdrawal was rejected"),
		event("onWithdrawalApproved", models.EventWithdrawalApproved, "A withdrawal was approved"),
		event("onWithdrawalProcessing", models.EventWithdrawalProcessing, "A withdrawal is being paid"),
		event("onWithdrawalCompleted", models.EventWithdrawalCompleted, "A withdrawal was completed"),
		event("onWithdrawalFailed", models.EventWithdrawalFailed, "A withdrawal failed"),
		event("onWithdrawalReturned", models.EventWithdrawalReturned, "A withdrawal's money came back"),
	}
}

func deliveryHeaders() []openapi.Parameter {
	const hash = `^[0-9a-f]{64}$`
	header := func(name, description string, required bool, schema *openapi.Schema, example any) openapi.Parameter {
		return openapi.Parameter{Name: name, In: "header", Description: description, Required: required, Schema: schema,
			Example: example}
	}
	at := instant("")
	at.Description = ""
	return []openapi.Parameter{
		header("x-svc-signature",
			"HMAC-SHA256 of the raw body, keyed with the endpoint's signing secret, in lower-case hex.", true,
			openapi.Pattern(hash, ""), "5c1e8a2bdd7f0c0a3c5b2c9d4be0f86a1b1f8a3de2c74b1c7b9c4f1f0e2d3a4b"),
		header("x-svc-signature-previous", "The same with the secret before, for 24 hours after a new one was made.",
			false, openapi.Pattern(hash, ""), nil),
		header("x-svc-event-id", "The event's id.", true, openapi.Pattern(`^evt_[0-9a-f]{24}$`, ""), exampleEventID),
		header("x-svc-timestamp", "When this attempt was made.", true, at, "2026-11-20T12:01:34.000Z"),
		header("x-svc-attempt", "Which attempt this is, from 1.", true,
			&openapi.Schema{Type: openapi.Types{"integer"}, Minimum: new(int64(1))}, 1),
		header("webhook-id", "The event's id, for libraries of Standard Webhooks.", true,
			openapi.Pattern(`^evt_[0-9a-f]{24}$`, ""), exampleEventID),
		header("webhook-timestamp", "When this attempt was made, in Unix seconds.", true,
			openapi.Pattern(`^[0-9]+$`, ""), "1795176094"),
		header("webhook-signature",
			"The signature of Standard Webhooks over webhook-id, webhook-timestamp and the raw body; for 24 hours "+
				"after a new secret was made, a second one with the secret before, after a space.", true,
			openapi.Pattern(`^v1,[0-9A-Za-z+/]{43}=( v1,[0-9A-Za-z+/]{43}=)?$`, ""),
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
	}
}
