package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"garoupa/api/openapi"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
)

// codeText describes a code: its meaning, with what to do, and an example message.
type codeText struct{ meaning, message string }

var codeTexts = map[refusal.Code]codeText{
	refusal.InvalidJSON: {"The body is not JSON, not an object, or names a member twice. Correct the " +
		"body.", "The body is not valid JSON: unexpected end at byte 12."},
	refusal.InvalidRequestBody: {"A member, parameter or header breaks a rule; the message names it. " +
		"Correct the request.", "amount is required."},
	refusal.IdempotencyKeyRequired: {"The operation needs an Idempotency-Key. Send one, the same at every retry.",
		"This operation needs an Idempotency-Key header: a text of your own that names this request, the same at " +
			"every retry."},
	refusal.Unauthorized: {"The API key is missing, malformed, unknown, revoked or ended, or may not be used from " +
		"this address. Check the Authorization header.",
		"The API key is missing, malformed, unknown, revoked or ended, or may not be used from this address. " +
			"Send it as: Authorization: Bearer <API_KEY>."},
	refusal.Forbidden: {"A live key of an account without production access. Ask for access in the " +
		"dashboard, or use a test key.",
		"This account has no production access yet. Ask for it in the dashboard, or use a test key."},
	refusal.APIKeyScopeForbidden: {"The key lacks the permission that the message names. Make a key that has it.",
		"The API key lacks the permission CHECKOUT:CREATE. Make a key that has it in the dashboard."},
	refusal.AccountSuspended: {"The account is suspended. Its members see the reason in the dashboard.",
		"This account is suspended. Its members see the reason in the dashboard."},
	refusal.LiveOperationsBlocked: {"New live checkouts and links of the account are blocked. Its members see " +
		"the reason in the dashboard.",
		"Live operations of this account are blocked. Its members see the reason in the dashboard."},
	refusal.TestWithdrawalsNotSupported: {"Withdrawals exist in live mode only. Use a live key.",
		"Withdrawals exist in live mode only. Use a live key."},
	refusal.WithdrawalReadinessRequired: {"The account has no approved destination for the rail. Add one in the " +
		"dashboard.", "The account has no approved destination for the rail BRL_PIX."},
	refusal.WithdrawalsBlocked: {"Withdrawals of the account are blocked. Its members see the reason in the " +
		"dashboard.", "Withdrawals of this account are blocked. Its members see the reason in the dashboard."},
	refusal.NotFound: {"No endpoint has this path, or the endpoint is not for this key. Check the address.",
		"No endpoint has this path. They are listed at /v1/openapi.json."},
	refusal.CheckoutNotFound: {"No checkout of the key's project and environment has this id.",
		"No checkout has this id."},
	refusal.PaymentLinkNotFound: {"No payment link of the key's project and environment has this id.",
		"No payment link has this id."},
	refusal.ProductNotFound: {"No active product of the key's project and environment has this slug.",
		"No active product has this productId."},
	refusal.WithdrawalNotFound: {"No withdrawal of the key's account and environment has this id.",
		"No withdrawal has this id."},
	refusal.MethodNotAllowed: {"The path exists, but not with this method. The Allow header lists those it takes.",
		"The endpoint does not take this method; the Allow header lists those it does."},
	refusal.IdempotencyConflict: {"The Idempotency-Key was used before with another body. Use a new key for a new " +
		"request.", "This Idempotency-Key was used with another body. Use a new key for a new request."},
	refusal.CheckoutNotPending: {"The checkout is paid, expired or cancelled, so it cannot change any more.",
		"The checkout is PAID, so it cannot change any more."},
	refusal.RequestTooLarge: {"The body is larger than 128 KiB.", "The body is larger than 128 KiB."},
	refusal.UnsupportedMediaType: {"The body's Content-Type is not JSON. Send application/json.",
		"The body's Content-Type must be application/json."},
	refusal.InvalidExpiresIn: {"The expiry is out of range.", "expiresIn must be 60 to 86400 seconds."},
	refusal.InvalidAmount:    {"The amount is below the minimum or above a limit.", "amount must be at least 5.00."},
	refusal.InsufficientBalance: {"The available balance is less than the amount. Nothing was reserved.",
		"The available balance is 120.00, less than the amount."},
	refusal.RefundNotFound: {"No refund of this project and environment has the id.", "No refund has this id."},
	refusal.EventNotFound:  {"No event of the key's project and environment has this id.", "No event has this id."},
	refusal.WebhookEndpointNotFound: {"No webhook endpoint of the key's project and environment has this id, or the " +
		"event has no delivery to it.", "No webhook endpoint has this id."},
	refusal.WebhookEndpointDisabled: {"The webhook endpoint is disabled, so nothing was queued. Enable it in the " +
		"dashboard.", "The webhook endpoint is disabled. Enable it in the dashboard, then replay."},
	refusal.RefundNotPossible: {"The checkout is not paid, was paid more than 90 days ago, the bank account that " +
		"received it is closed, or its buyer contests it.",
		"A Pix can be returned for 90 days; this one is older."},
	refusal.QuoteUnavailable: {"There is no trustworthy exchange rate now. Nothing was reserved. Try again in a " +
		"few minutes.", "There is no exchange rate for USDT now. Try again in a few minutes."},
	refusal.RateLimitExceeded: {"Too many requests. Wait as long as Retry-After says, then go on with backoff.",
		"Too many requests. Wait as long as the Retry-After header says, then go on with backoff."},
	refusal.Internal: {"Something went wrong on our side. Retry with the same Idempotency-Key; quote the " +
		"requestId if you ask about it.",
		"An unexpected error occurred. It was recorded; quote the requestId if you ask about it."},
	refusal.ProviderUnavailable: {"The institution behind Pix does not answer. Retry with the same Idempotency-Key " +
		"and body.", "The institution did not answer. Retry with the same Idempotency-Key and body."},
}

// outageText is the codeText of the answer in an outage.
var outageText = codeText{
	"The service cannot answer now. Wait as long as Retry-After says, " +
		"then retry with the same Idempotency-Key and body.",
	outageWrite,
}

// ErrorCode is one code of the API, with one status.
type ErrorCode struct {
	Code    string
	Status  int
	Type    string
	Meaning string // when it occurs and what to do, in English
}

// ErrorCodes lists all codes, by status and then by name. A code with two statuses appears
// twice.
func ErrorCodes() []ErrorCode {
	var codes []ErrorCode
	for _, a := range everyAnswer() {
		codes = append(codes, ErrorCode{string(a.code), a.status, a.kind, a.text.meaning})
	}
	return codes
}

// answered is one combination of a code with a status and type.
type answered struct {
	response
	code refusal.Code
	text codeText
}

// answersOf returns all answers with the code. Internal has two: one for an error of the
// program and one for an outage.
func answersOf(code refusal.Code) []answered {
	all := []answered{{responses[code], code, codeTexts[code]}}
	if code == refusal.Internal {
		all = append(all, answered{outage, code, outageText})
	}
	return all
}

// everyAnswer returns the answers of all codes, by status and then by code.
func everyAnswer() (all []answered) {
	for code := range responses {
		all = append(all, answersOf(code)...)
	}
	slices.SortFunc(all, func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.status, b.status), cmp.Compare(a.code, b.code))
	})
	return all
}

// everyRequest are the codes of any call, also without a key or a body.
var everyRequest = []refusal.Code{refusal.RequestTooLarge, refusal.UnsupportedMediaType}

// everyCall are the codes of any authenticated call.
var everyCall = append([]refusal.Code{refusal.Unauthorized, refusal.APIKeyScopeForbidden, refusal.InvalidRequestBody,
	refusal.RateLimitExceeded, refusal.Internal}, everyRequest...)

// withErrors adds the error answers of codes to those of an operation, one for each status.
func withErrors(answers openapi.Named[openapi.Response], codes ...[]refusal.Code) openapi.Named[openapi.Response] {
	byStatus := map[int][]answered{}
	for _, code := range slices.Concat(codes...) {
		for _, a := range answersOf(code) {
			byStatus[a.status] = append(byStatus[a.status], a)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		all := byStatus[status]
		slices.SortFunc(all, func(a, b answered) int { return cmp.Compare(a.code, b.code) })
		answer := errorResponse(status, all)
		if len(all) == 1 {
			answer = openapi.ResponseRef(all[0].component())
		}
		answers = append(answers, openapi.Entry[openapi.Response]{Name: strconv.Itoa(status), Value: answer})
	}
	return answers
}

// errorComponents returns the answers with one code alone to which operations refer, and the
// examples to which these and the answers with several codes refer.
func errorComponents(paths openapi.Named[openapi.PathItem]) (
	answers openapi.Named[openapi.Response], examples openapi.Named[openapi.Example],
) {
	referred, shown := map[string]bool{}, map[refusal.Code]bool{refusal.Internal: true}
	for _, item := range paths {
		for _, o := range []*openapi.Operation{item.Value.Post, item.Value.Get} {
			if o == nil {
				continue
			}
			for _, answer := range o.Responses {
				referred[answer.Value.Ref] = true
				for _, media := range answer.Value.Content {
					for _, example := range media.Value.Examples {
						shown[refusal.Code(example.Name)] = true
					}
				}
			}
		}
	}
	for _, a := range everyAnswer() {
		if referred[openapi.ResponseRef(a.component()).Ref] {
			answers = append(answers, openapi.Entry[openapi.Response]{
				Name: a.component(), Value: errorResponse(a.status, []answered{a}),
			})
		} else if !shown[a.code] {
			continue // no operation has it, such as the wrong method
		}
		examples = append(examples, openapi.Entry[openapi.Example]{Name: a.component(), Value: openapi.Example{
			Value: json.RawMessage(payload.AppendError(nil, a.kind, string(a.code), a.text.message, exampleRequestID)),
		}})
	}
	return answers, examples
}

// component names the answer among the components: RateLimitExceeded of rate_limit_exceeded.
// The names are part of the code that generators write, so they depend on the code alone.
func (a answered) component() string {
	if a.status == outage.status && a.code == refusal.Internal {
		return "Outage"
	}
	var name strings.Builder
	for word := range strings.SplitSeq(string(a.code), "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

// errorResponse returns the answer with a status and any of the codes.
func errorResponse(status int, all []answered) openapi.Response {
	r := openapi.Response{Headers: openapi.Named[openapi.Header]{{Name: "Request-Id",
		Value: openapi.HeaderRef("RequestId")}}}
	switch status {
	case 401:
		r.Headers = append(r.Headers, openapi.Entry[openapi.Header]{Name: "WWW-Authenticate",
			Value: openapi.HeaderRef("WWWAuthenticate")})
	case 429, 503:
		r.Headers = append(r.Headers, openapi.Entry[openapi.Header]{Name: "Retry-After",
			Value: openapi.HeaderRef("RetryAfter")})
	}
	if status != 401 {
		r.Headers = append(r.Headers, rateHeaders...)
	}
	media := openapi.Media{Schema: openapi.Ref("Error")}
	for i, a := range all {
		if i > 0 {
			r.Description += "\n"
		}
		r.Description += fmt.Sprintf("`%s`: %s", a.code, a.text.meaning)
		media.Examples = append(media.Examples, openapi.Entry[openapi.Example]{
			Name: string(a.code), Value: openapi.ExampleRef(a.component()),
		})
	}
	r.Content = openapi.Named[openapi.Media]{{Name: "application/json", Value: media}}
	return r
}
