// Package fault is how an operation refuses: with a code that a client can act on
// and a message that tells what was wrong and what to do. Whatever else goes wrong
// is Internal to the outside, and stands in the log.
package fault

import (
	"errors"
	"fmt"
)

// Code tells a client what happened (contract 7, decisions 2). The API answers
// each with one status and type, pages with one text.
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
	RequestTooLarge             Code = "request_too_large"
	UnsupportedMediaType        Code = "unsupported_media_type"
	InvalidExpiresIn            Code = "invalid_expires_in"
	RateLimitExceeded           Code = "rate_limit_exceeded"
	ProviderUnavailable         Code = "provider_unavailable"
	Internal                    Code = "internal_error"
)

// Error is a fault with the message that an API client reads: an English literal
// that carries no personal data, no secret and no SQL.
type Error struct {
	Code    Code
	Message string
	cause   error
}

// New returns a fault. The message is formatted as by fmt.Sprintf.
func New(code Code, message string, args ...any) *Error {
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	return &Error{Code: code, Message: message}
}

// Because returns a copy of e that keeps err for the log and away from clients.
func (e *Error) Because(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// Error implements error, with the cause: it is for logs.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Of returns the fault in err's chain, or an Internal one that reveals nothing.
func Of(err error) *Error {
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	return &Error{Code: Internal, Message: "An unexpected error occurred. It was recorded; quote the requestId if you ask about it.", cause: err}
}
