package api

import (
	"encoding/json"

	"garoupa/api/openapi"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// one returns a body with a component's schema and one example.
func one(schema, name string, example json.RawMessage) openapi.Named[openapi.Media] {
	return openapi.Named[openapi.Media]{{Name: "application/json", Value: openapi.Media{
		Schema:   openapi.Ref(schema),
		Examples: openapi.Named[openapi.Example]{{Name: name, Value: openapi.Example{Value: example}}},
	}}}
}

// success returns an authenticated answer whose body has a component's schema.
func success(status, description, schema, name string, example json.RawMessage) openapi.Entry[openapi.Response] {
	headers := openapi.Named[openapi.Header]{{Name: "Request-Id", Value: openapi.HeaderRef("RequestId")}}
	return openapi.Entry[openapi.Response]{Name: status, Value: openapi.Response{
		Description: description, Headers: append(headers, rateHeaders...), Content: one(schema, name, example),
	}}
}

// made returns the two answers of a creation.
func made(what, schema, name string, example json.RawMessage) openapi.Named[openapi.Response] {
	return openapi.Named[openapi.Response]{
		success("201", "Created.", schema, name, example),
		success("200", "The Idempotency-Key and body were sent before: the "+what+" that they made, as it is now.",
			schema, name, example),
	}
}

func found(description, schema, name string, example json.RawMessage) openapi.Named[openapi.Response] {
	return openapi.Named[openapi.Response]{success("200", description, schema, name, example)}
}

func send(schema, name string, example json.RawMessage) *openapi.RequestBody {
	return &openapi.RequestBody{Required: true, Content: one(schema, name, example)}
}

func idempotencyParameter(required bool) openapi.Parameter {
	description := "Identifies this request: a text of your choice, the same on every retry. A retry with the same " +
		"body returns what the first one created; another body is refused. A key never expires."
	if !required {
		description += " Recommended; without one, or with a blank one, every request creates."
	}
	key := openapi.Bounded("", 0, 255)
	key.Pattern = texts().plain
	if required {
		key.MinLength, key.Pattern = new(1), texts().key
	}
	return openapi.Parameter{Name: "Idempotency-Key", In: "header", Description: description, Required: required,
		Schema: key, Example: "pedido-10482"}
}

var requestIDParameter = openapi.Parameter{
	Name: "Request-Id", In: "header", Schema: openapi.Text(""),
	Description: "Your own name for the request, which the response repeats: 1 to 128 letters, digits and `. _ : -`. " +
		"X-Request-Id does as well; any other text is ignored.",
}

func idParameter(name, description string, example string) openapi.Parameter {
	return openapi.Parameter{Name: name, In: "path", Description: description, Required: true, Schema: openapi.Text(""),
		Example: example}
}

func pageParameters() []openapi.Parameter {
	limit := openapi.Integer("", 1, maxLimit)
	limit.Default = defaultLimit
	return []openapi.Parameter{
		{Name: "limit", In: "query", Description: "How many to list.", Schema: limit, Example: defaultLimit},
		{Name: "cursor", In: "query",
			Description: "The `nextCursor` of the page before; none for the first page. It is opaque.",
			Schema:      openapi.Text("")},
		requestIDParameter,
	}
}

func createCheckoutOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "createCheckout", Tags: []string{tagCheckouts}, Summary: "Create a checkout",
		Security: needs(models.PermissionCheckoutCreate),
		Description: "Creates a Pix code for the amount and a hosted page to pay it on. The event `checkout.created` " +
			"goes out. Live keys need an approved account.",
		Parameters:  []openapi.Parameter{idempotencyParameter(false), requestIDParameter},
		RequestBody: send("NewCheckout", "checkout", exampleNewCheckout),
		Responses: withErrors(made("checkout", "Checkout", "pending", x.pending), everyCall, []refusal.Code{
			refusal.InvalidJSON, refusal.Forbidden, refusal.AccountSuspended, refusal.LiveOperationsBlocked,
			refusal.IdempotencyConflict, refusal.InvalidExpiresIn, refusal.ProviderUnavailable,
		}),
	}
}

func listCheckoutsOperation(x examples) *openapi.Operation {
	externalID := openapi.Bounded("", 1, 255)
	externalID.Pattern = texts().printable
	return &openapi.Operation{
		OperationID: "listCheckouts", Tags: []string{tagCheckouts}, Summary: "List checkouts",
		Security:    needs(models.PermissionCheckoutRead),
		Description: "Newest first. What is created while you page neither shifts nor repeats a page.",
		Parameters: append([]openapi.Parameter{
			{Name: "status", In: "query", Description: "Only those with this status.",
				Schema: openapi.Choice("", models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired,
					models.CheckoutCancelled), Example: models.CheckoutPaid},
			{Name: "externalId", In: "query", Description: "Only those with exactly this reference.",
				Schema: externalID},
		}, pageParameters()...),
		Responses: withErrors(found("A page of checkouts.", "CheckoutList", "page", page(x.paid)),
			everyCall),
	}
}

func readCheckoutOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readCheckout", Tags: []string{tagCheckouts}, Summary: "Read a checkout",
		Security: needs(models.PermissionCheckoutRead),
		Description: "For confirmation, reconciliation and support; to learn of payments, use webhooks. Live keys " +
			"can read without an approved account.",
		Parameters: []openapi.Parameter{idParameter("checkoutId", "The checkout's id.", exampleCheckoutID),
			requestIDParameter},
		Responses: withErrors(found("The checkout.", "Checkout", "paid", x.paid), everyCall,
			[]refusal.Code{refusal.CheckoutNotFound}),
	}
}

func createPaymentLinkOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "createPaymentLink", Tags: []string{tagPaymentLinks}, Summary: "Create a payment link",
		Security: needs(models.PermissionPaymentLinkCreate),
		Description: "Creates a link for an active product. The link's id is derived from the Idempotency-Key. Live " +
			"keys need an approved account.",
		Parameters:  []openapi.Parameter{idempotencyParameter(true), requestIDParameter},
		RequestBody: send("NewPaymentLink", "link", exampleNewPaymentLink),
		Responses: withErrors(made("link", "PaymentLink", "link", x.link), everyCall, []refusal.Code{
			refusal.IdempotencyKeyRequired, refusal.Forbidden, refusal.AccountSuspended, refusal.LiveOperationsBlocked,
			refusal.ProductNotFound, refusal.IdempotencyConflict, refusal.InvalidExpiresIn,
		}),
	}
}

func listPaymentLinksOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "listPaymentLinks", Tags: []string{tagPaymentLinks}, Summary: "List payment links",
		Security:    needs(models.PermissionPaymentLinkRead),
		Description: "Newest first.", Parameters: pageParameters(),
		Responses: withErrors(found("A page of links.", "PaymentLinkList", "page", page(x.link)), everyCall),
	}
}

func readPaymentLinkOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readPaymentLink", Tags: []string{tagPaymentLinks}, Summary: "Read a payment link",
		Security:    needs(models.PermissionPaymentLinkRead),
		Description: "Links are turned on and off in the dashboard.",
		Parameters: []openapi.Parameter{idParameter("paymentLinkId", "The link's id.", exampleLinkID),
			requestIDParameter},
		Responses: withErrors(found("The link.", "PaymentLink", "link", x.link), everyCall,
			[]refusal.Code{refusal.PaymentLinkNotFound}),
	}
}

func readBalanceOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readBalance", Tags: []string{tagBalance}, Summary: "Read the balance",
		Security: needs(models.PermissionBalanceRead),
		Description: "The account's money in the key's environment, all of one moment. Live keys need an approved " +
			"account.",
		Parameters: []openapi.Parameter{requestIDParameter},
		Responses: withErrors(found("The balance.", "Balance", "balance", x.balance), everyCall,
			[]refusal.Code{refusal.Forbidden}),
	}
}

func createWithdrawalOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "createWithdrawal", Tags: []string{tagWithdrawals}, Summary: "Request a withdrawal",
		Security: needs(models.PermissionWithdrawalCreate),
		Description: "Reserves the amount and queues it for review. Live keys only, of an approved account with an " +
			"approved destination for the rail.",
		Parameters:  []openapi.Parameter{idempotencyParameter(true), requestIDParameter},
		RequestBody: send("NewWithdrawal", "pix", exampleNewWithdrawal),
		Responses: withErrors(made("withdrawal", "Withdrawal", "review", x.inReview), everyCall,
			[]refusal.Code{
				refusal.IdempotencyKeyRequired, refusal.TestWithdrawalsNotSupported, refusal.Forbidden,
				refusal.AccountSuspended, refusal.WithdrawalsBlocked,
				refusal.WithdrawalReadinessRequired, refusal.IdempotencyConflict, refusal.InvalidAmount,
				refusal.InsufficientBalance, refusal.QuoteUnavailable,
			}),
	}
}

func listWithdrawalsOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "listWithdrawals", Tags: []string{tagWithdrawals}, Summary: "List withdrawals",
		Security:    needs(models.PermissionWithdrawalRead),
		Description: "Newest first.", Parameters: pageParameters(),
		Responses: withErrors(found("A page of withdrawals.", "WithdrawalList", "page", page(x.completed)),
			everyCall),
	}
}

func readWithdrawalOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readWithdrawal", Tags: []string{tagWithdrawals}, Summary: "Read a withdrawal",
		Security:    needs(models.PermissionWithdrawalRead),
		Description: "The withdrawal as it is now.",
		Parameters: []openapi.Parameter{idParameter("withdrawalId", "The withdrawal's id.", exampleWithdrawalID),
			requestIDParameter},
		Responses: withErrors(found("The withdrawal.", "Withdrawal", "quoted", x.quoted), everyCall,
			[]refusal.Code{refusal.WithdrawalNotFound}),
	}
}

func simulateOperation(id, summary, description, name string, example json.RawMessage) *openapi.Operation {
	return &openapi.Operation{
		OperationID: id, Tags: []string{tagTest}, Summary: summary,
		Description: description + " To a live key this endpoint does not exist.",
		Security:    needs(models.PermissionCheckoutCreate),
		Parameters: []openapi.Parameter{idParameter("checkoutId", "The checkout's id.", exampleCheckoutID),
			requestIDParameter},
		Responses: withErrors(found("The checkout afterwards.", "Checkout", name, example), everyCall,
			[]refusal.Code{refusal.NotFound, refusal.CheckoutNotFound, refusal.CheckoutNotPending}),
	}
}

func streamTestEventsOperation(x examples) *openapi.Operation {
	stream := "retry: 1000\nid: " + models.EventStreamStart + "\n: new test events follow\n\n" +
		"id: " + exampleEventID + "\nevent: " + models.EventCheckoutPaid + "\ndata: " +
		string(x.events[models.EventCheckoutPaid]) + "\n\n"
	headers := openapi.Named[openapi.Header]{{Name: "Request-Id", Value: openapi.HeaderRef("RequestId")}}
	return &openapi.Operation{
		OperationID: "streamTestEvents", Tags: []string{tagTest}, Summary: "Stream test events",
		Security: needs(models.PermissionCheckoutRead),
		Description: "The project's test events as they happen, as server-sent events: what endpoints would receive, " +
			"unsigned. It is for development; `garoupa listen` forwards them, signed, to your machine. " +
			"The stream ends after ten minutes or when the key is revoked: connect again with the last `id`, and " +
			"nothing is left out. An event may come twice then. To a live key this endpoint does not exist.",
		Parameters: []openapi.Parameter{
			{
				Name: "Last-Event-ID", In: "header", Schema: openapi.Text(""), Example: exampleEventID,
				Description: "The last `id` that you have: events after it come first. `" + models.EventStreamStart +
					"` stands before the first event. None: only new events.",
			},
			requestIDParameter,
		},
		Responses: withErrors(openapi.Named[openapi.Response]{{Name: "200", Value: openapi.Response{
			Description: "A stream without end: of each event the id, the type and, on one line, the body. A comment " +
				"every 5 seconds keeps it open.",
			Headers: append(headers, rateHeaders...),
			Content: openapi.Named[openapi.Media]{{Name: "text/event-stream", Value: openapi.Media{
				Schema: openapi.Text(""),
				Examples: openapi.Named[openapi.Example]{{Name: "paid",
					Value: openapi.Example{Value: payload.AppendString(nil, stream)}}},
			}}},
		}}}, everyCall, []refusal.Code{refusal.NotFound}),
	}
}

func healthOperation() *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readHealth", Tags: []string{tagAvailability}, Summary: "Check availability", Security: public,
		Description: "Responds while the service is up.", Parameters: []openapi.Parameter{requestIDParameter},
		Responses: withErrors(openapi.Named[openapi.Response]{{Name: "200", Value: openapi.Response{
			Description: "The service answers.",
			Headers:     openapi.Named[openapi.Header]{{Name: "Request-Id", Value: openapi.HeaderRef("RequestId")}},
			Content:     one("Health", "ok", json.RawMessage(`{"status":"ok","version":"`+Version+`"}`)),
		}}}, everyRequest),
	}
}

func descriptionOperation() *openapi.Operation {
	etag := openapi.Header{Description: "Changes when the description does.", Required: true, Schema: openapi.Text("")}
	headers := openapi.Named[openapi.Header]{{Name: "Request-Id", Value: openapi.HeaderRef("RequestId")},
		{Name: "ETag", Value: etag}}
	return &openapi.Operation{
		OperationID: "readDescription", Tags: []string{tagAvailability}, Summary: "Read this description",
		Security:    public,
		Description: "The API as OpenAPI 3.1, for generators and tools.",
		Parameters: []openapi.Parameter{
			{Name: "If-None-Match", In: "header",
				Description: "The ETag that you have; the answer is 304 if it still holds.", Schema: openapi.Text("")},
			requestIDParameter,
		},
		Responses: withErrors(openapi.Named[openapi.Response]{
			{Name: "200", Value: openapi.Response{Description: "The description.", Headers: headers,
				Content: openapi.Named[openapi.Media]{
					{Name: "application/json",
						Value: openapi.Media{Schema: &openapi.Schema{Type: openapi.Types{"object"},
							Description: "An OpenAPI 3.1 document."}}},
				}}},
			{Name: "304", Value: openapi.Response{Description: "You have it already.", Headers: headers}},
		}, everyRequest, []refusal.Code{refusal.RateLimitExceeded, refusal.Internal}),
	}
}
