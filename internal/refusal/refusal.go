// Package refusal defines how an operation refuses: with a code that a client can act on,
// and a message that says what was wrong and what to do. Every other error is Internal for
// clients, and is only logged.
package refusal

import (
	"errors"
	"fmt"
)

// Code tells a client what happened (contract 7; docs/rules.md, "Refusals"). The API
// answers each code with one status and type, pages with one text.
type Code string

const (
	InvalidJSON                 Code = "invalid_json"
	InvalidRequestBody          Code = "invalid_request_body"
	IdempotencyKeyRequired      Code = "idempotency_key_required"
	Unauthorized                Code = "unauthorized"
	Forbidden                   Code = "forbidden"
	APIKeyScopeForbidden        Code = "api_key_scope_forbidden"
	AccountSuspended            Code = "account_suspended"
	TestWithdrawalsNotSupported Code = "test_withdrawals_not_supported"
	WithdrawalReadinessRequired Code = "withdrawal_readiness_required"
	WithdrawalsBlocked          Code = "withdrawals_blocked"
	WithdrawalNotFound          Code = "withdrawal_not_found"
	InvalidAmount               Code = "invalid_amount"
	InsufficientBalance         Code = "insufficient_balance"
	QuoteUnavailable            Code = "quote_unavailable"
	LiveOperationsBlocked       Code = "live_operations_blocked"
	NotFound                    Code = "not_found"
	CheckoutNotFound            Code = "checkout_not_found"
	PaymentLinkNotFound         Code = "payment_link_not_found"
	ProductNotFound             Code = "product_not_found"
	MethodNotAllowed            Code = "method_not_allowed"
	IdempotencyConflict         Code = "idempotency_conflict"
	CheckoutNotPending          Code = "checkout_not_pending"
	EventNotFound               Code = "event_not_found"
	WebhookEndpointNotFound     Code = "webhook_endpoint_not_found"
	WebhookEndpointDisabled     Code = "webhook_endpoint_disabled"
	RefundNotFound              Code = "refund_not_found"
	RefundNotPossible           Code = "refund_not_possible"
	RequestTooLarge             Code = "request_too_large"
	UnsupportedMediaType        Code = "unsupported_media_type"
	InvalidExpiresIn            Code = "invalid_expires_in"
	RateLimitExceeded           Code = "rate_limit_exceeded"
	ProviderUnavailable         Code = "provider_unavailable"
	Internal                    Code = "internal_error"
)

// Error is a refusal with the message that an API client reads: an English literal
// without personal data, secrets or SQL.
type Error struct {
	Code    Code
	Message string
	cause   error
}

// New returns a refusal. The message is formatted as by fmt.Sprintf.
func New(code Code, message string, args ...any) *Error {
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	return &Error{Code: code, Message: message}
}

// Changed refuses a decision about an object that has changed since the caller saw it.
var Changed = New(ChangedMeanwhile, "It was changed since you looked at it. Look again, then decide.")

// Because returns a copy of e with the cause err, which is for the log and is not shown to
// clients.
func (e *Error) Because(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// Error implements error. The text includes the cause, for logs.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Of returns the refusal in err's chain, or an Internal one that reveals nothing.
func Of(err error) *Error {
	if r, ok := errors.AsType[*Error](err); ok {
		return r
	}
	return &Error{Code: Internal,
		Message: "An unexpected error occurred. It was recorded; quote the requestId if you ask about it.", cause: err}
}
