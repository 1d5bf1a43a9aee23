package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"garoupa/api/openapi"
	"garoupa/fault"
	"garoupa/wire"
)

// codeText is what the description says of a code: when it comes and what to do,
// and a message as the answer has it.
type codeText struct{ meaning, message string }

var codeTexts = map[fault.Code]codeText{
	fault.InvalidJSON:                 {"The body is not JSON, not an object, or names a member twice. Correct the body.", "The body is not valid JSON: unexpected end at byte 12."},
	fault.InvalidRequestBody:          {"A member, parameter or header breaks a rule; the message names it. Correct the request.", "amount is required."},
	fault.IdempotencyKeyRequired:      {"The operation needs an Idempotency-Key. Send one, the same at every retry.", "This operation needs an Idempotency-Key header: a text of your own that names this request, the same at every retry."},
	fault.Unauthorized:                {"The API key is missing, malformed, unknown or revoked. Check the Authorization header.", "The API key is missing, malformed, unknown or revoked. Send it as: Authorization: Bearer <API_KEY>."},
	fault.Forbidden:                   {"A live key of an account without production access. Ask for access in the dashboard, or use a test key.", "This account has no production access yet. Ask for it in the dashboard, or use a test key."},
	fault.APIKeyScopeForbidden:        {"The key lacks the permission that the message names. Make a key that has it.", "The API key lacks the permission CHECKOUT:CREATE. Make a key that has it in the dashboard."},
	fault.AccountSuspended:            {"The account is suspended. Its members see the reason in the dashboard.", "This account is suspended. Its members see the reason in the dashboard."},
	fault.LiveOperationsBlocked:       {"New live checkouts and links of the account are blocked. Its members see the reason in the dashboard.", "Live operations of this account are blocked. Its members see the reason in the dashboard."},
	fault.TestWithdrawalsNotSupported: {"Withdrawals exist in live mode only. Use a live key.", "Withdrawals exist in live mode only. Use a live key."},
	fault.WithdrawalReadinessRequired: {"The account has no approved destination for the rail. Add one in the dashboard.", "The account has no approved destination for the rail BRL_PIX."},
	fault.WithdrawalsBlocked:          {"Withdrawals of the account are blocked. Its members see the reason in the dashboard.", "Withdrawals of this account are blocked. Its members see the reason in the dashboard."},
	fault.NotFound:                    {"No endpoint has this path, or the endpoint is not for this key. Check the address.", "No endpoint has this path. They are listed at /v1/openapi.json."},
	fault.CheckoutNotFound:            {"No checkout of the key's project and environment has this id.", "No checkout has this id."},
	fault.PaymentLinkNotFound:         {"No payment link of the key's project and environment has this id.", "No payment link has this id."},
	fault.ProductNotFound:             {"No active product of the key's project and environment has this slug.", "No active product has this productId."},
	fault.WithdrawalNotFound:          {"No withdrawal of the key's account and environment has this id.", "No withdrawal has this id."},
	fault.MethodNotAllowed:            {"The path exists, but not with this method. The Allow header lists those it takes.", "The endpoint does not take this method; the Allow header lists those it does."},
	fault.IdempotencyConflict:         {"The Idempotency-Key was used before with another body. Use a new key for a new request.", "This Idempotency-Key was used with another body. Use a new key for a new request."},
	fault.CheckoutNotPending:          {"The checkout is paid, expired or cancelled, so it cannot change any more.", "The checkout is PAID, so it cannot change any more."},
	fault.RequestTooLarge:             {"The body is larger than 64 KiB.", "The body is larger than 64 KiB."},
	fault.UnsupportedMediaType:        {"The body's Content-Type is not JSON. Send application/json.", "The body's Content-Type must be application/json."},
	fault.InvalidExpiresIn:            {"The expiry is out of range.", "expiresIn must be 60 to 86400 seconds."},
	fault.InvalidAmount:               {"The amount is below the minimum or above a limit.", "amount must be at least 5.00."},
	fault.InsufficientBalance:         {"The available balance is less than the amount. Nothing was reserved.", "The available balance is 120.00, less than the amount."},
	fault.QuoteUnavailable:            {"There is no trustworthy exchange rate now. Nothing was reserved. Try again in a few minutes.", "There is no exchange rate for USDT now. Try again in a few minutes."},
	fault.RateLimitExceeded:           {"Too many requests. Wait as long as Retry-After says, then go on with backoff.", "Too many requests. Wait as long as the Retry-After header says, then go on with backoff."},
	fault.Internal:                    {"Something went wrong on our side. Retry with the same Idempotency-Key; quote the requestId if you ask about it.", "An unexpected error occurred. It was recorded; quote the requestId if you ask about it."},
	fault.ProviderUnavailable:         {"The institution behind Pix does not answer. Retry with the same Idempotency-Key and body.", "The institution did not answer. Retry with the same Idempotency-Key and body."},
}

// ErrorCode is one code that the API answers with.
type ErrorCode struct {
	Code    string
	Status  int
	Type    string
	Meaning string // when it comes and what to do, in English
}

// ErrorCodes lists all codes, by status and then by name.
func ErrorCodes() []ErrorCode {
	var codes []ErrorCode
	for code, r := range responses {
		codes = append(codes, ErrorCode{string(code), r.status, r.kind, codeTexts[code].meaning})
	}
	slices.SortFunc(codes, func(a, b ErrorCode) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
	return codes
}

// everyRequest are the codes that any call may get, also without a key or a body.
var everyRequest = []fault.Code{fault.RequestTooLarge, fault.UnsupportedMediaType}

// everyCall are the codes that any authenticated call may get.
var everyCall = append([]fault.Code{fault.Unauthorized, fault.APIKeyScopeForbidden, fault.RateLimitExceeded, fault.Internal}, everyRequest...)

// everyBody are the codes that any call with a body may get besides.
var everyBody = []fault.Code{fault.InvalidRequestBody}

// everyList are the codes that any list may answer with besides.
var everyList = []fault.Code{fault.InvalidRequestBody}

// withErrors adds the answers of codes to those of an operation, one for each
// status.
func withErrors(answers openapi.Named[openapi.Response], codes ...[]fault.Code) openapi.Named[openapi.Response] {
	byStatus := map[int][]fault.Code{}
	for _, code := range slices.Concat(codes...) {
		status := responses[code].status
		byStatus[status] = append(byStatus[status], code)
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		slices.Sort(byStatus[status])
		answers = append(answers, openapi.Entry[openapi.Response]{Name: strconv.Itoa(status), Value: errorResponse(status, byStatus[status])})
	}
	return answers
}

// errorResponse is the answer with a status, whose codes all have one type.
func errorResponse(status int, codes []fault.Code) openapi.Response {
	r := openapi.Response{Headers: openapi.Named[openapi.Header]{{Name: "Request-Id", Value: openapi.HeaderRef("RequestId")}}}
	switch status {
	case 401:
		r.Headers = append(r.Headers, openapi.Entry[openapi.Header]{Name: "WWW-Authenticate", Value: openapi.HeaderRef("WWWAuthenticate")})
	case 429:
		r.Headers = append(r.Headers, openapi.Entry[openapi.Header]{Name: "Retry-After", Value: openapi.HeaderRef("RetryAfter")})
	}
	if status != 401 {
		r.Headers = append(r.Headers, rateHeaders...)
	}
	kind := responses[codes[0]].kind
	media := openapi.Media{Schema: errorSchema(kind, codes)}
	for i, code := range codes {
		if i > 0 {
			r.Description += "\n"
		}
		r.Description += fmt.Sprintf("`%s`: %s", code, codeTexts[code].meaning)
		media.Examples = append(media.Examples, openapi.Entry[openapi.Example]{Name: string(code), Value: openapi.Example{
			Value: json.RawMessage(wire.AppendError(nil, kind, string(code), codeTexts[code].message, exampleRequestID)),
		}})
	}
	r.Content = openapi.Named[openapi.Media]{{Name: "application/json", Value: media}}
	return r
}

// errorSchema is the envelope with one of codes.
func errorSchema(kind string, codes []fault.Code) *openapi.Schema {
	inner := &openapi.Schema{Properties: openapi.Properties(
		openapi.Property("type", &openapi.Schema{Const: kind}),
		openapi.Property("code", openapi.Choice("", codes...)),
	)}
	return &openapi.Schema{AllOf: []*openapi.Schema{
		openapi.Ref("Error"), {Properties: openapi.Properties(openapi.Property("error", inner))},
	}}
}
