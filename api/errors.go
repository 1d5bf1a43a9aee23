package api

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/payload"
	"garoupa/internal/ratelimit"
	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/models"
)

// response is how the API answers a refusal (contract 7; docs/rules.md, "Refusals").
type response struct {
	status int
	kind   string
}

// responses maps each code to its status and type; an outage answers Internal with 503, see outage.
var responses = map[refusal.Code]response{
	refusal.InvalidJSON:                 {400, "validation_error"},
	refusal.InvalidRequestBody:          {400, "validation_error"},
	refusal.IdempotencyKeyRequired:      {400, "validation_error"},
	refusal.Unauthorized:                {401, "auth_error"},
	refusal.Forbidden:                   {403, "auth_error"},
	refusal.APIKeyScopeForbidden:        {403, "auth_error"},
	refusal.AccountSuspended:            {403, "auth_error"},
	refusal.TestWithdrawalsNotSupported: {403, "auth_error"},
	refusal.WithdrawalReadinessRequired: {403, "auth_error"},
	refusal.WithdrawalsBlocked:          {403, "auth_error"},
	refusal.LiveOperationsBlocked:       {403, "auth_error"},
	refusal.NotFound:                    {404, "not_found_error"},
	refusal.CheckoutNotFound:            {404, "not_found_error"},
	refusal.PaymentLinkNotFound:         {404, "not_found_error"},
	refusal.ProductNotFound:             {404, "not_found_error"},
	refusal.WithdrawalNotFound:          {404, "not_found_error"},
	refusal.RefundNotFound:              {404, "not_found_error"},
	refusal.EventNotFound:               {404, "not_found_error"},
	refusal.WebhookEndpointNotFound:     {404, "not_found_error"},
	refusal.MethodNotAllowed:            {405, "validation_error"},
	refusal.IdempotencyConflict:         {409, "conflict_error"},
	refusal.CheckoutNotPending:          {409, "conflict_error"},
	refusal.WebhookEndpointDisabled:     {409, "conflict_error"},
	refusal.RequestTooLarge:             {413, "validation_error"},
	refusal.UnsupportedMediaType:        {415, "validation_error"},
	refusal.InvalidExpiresIn:            {422, "business_error"},
	refusal.InvalidAmount:               {422, "business_error"},
	refusal.InsufficientBalance:         {422, "business_error"},
	refusal.RefundNotPossible:           {422, "business_error"},
	refusal.QuoteUnavailable:            {422, "business_error"},
	refusal.RateLimitExceeded:           {429, "rate_limit_error"},
	refusal.Internal:                    {500, "internal_error"},
	refusal.ProviderUnavailable:         {503, "provider_error"},
}

// Status returns the HTTP status of a code, 0 if the API never answers with it.
func Status(code refusal.Code) int { return responses[code].status }

// outage is the answer when our own database cannot do the work now: the code and type of
// refusal.Internal, with a status that makes clients and balancers repeat the request.
var outage = response{fiber.StatusServiceUnavailable, responses[refusal.Internal].kind}

// The messages of an outage say what a client should do. Reads change nothing; for a write it is unknown
// whether it was executed.
const (
	outageRead = "The service cannot answer now. Repeat the request " +
		"after as many seconds as the Retry-After header says."
	outageWrite = "The service cannot answer now, and the request may or may not have been carried out. " +
		"Repeat it with the same Idempotency-Key and body after as many seconds as the Retry-After header says."
)

// RetryAfter returns how long clients should wait in an outage. It is random, so that they
// do not all repeat their requests in the same second.
func RetryAfter() time.Duration { return time.Second + rand.N(3*time.Second) }

// WriteError answers err. Every handler and middleware of the API returns its error; only
// this function writes errors.
func WriteError(c *fiber.Ctx, err error) error {
	if reason := models.Outage(err); reason != "" && !isRefusal(err) {
		return writeOutage(c, reason)
	}
	f := refusal.Of(translate(err))
	r := responses[f.Code]
	switch {
	case r.status == fiber.StatusInternalServerError:
		slog.ErrorContext(c.UserContext(), "request failed", "err", err)
	case r.status > fiber.StatusInternalServerError, f.Code == refusal.QuoteUnavailable:
		slog.WarnContext(c.UserContext(), "request refused for now", "err", err)
	}
	return write(c, r, f)
}

// isRefusal reports whether err is a refusal by an operation, whatever its cause.
func isRefusal(err error) bool {
	_, refused := errors.AsType[*refusal.Error](err)
	return refused
}

func writeOutage(c *fiber.Ctx, reason string) error {
	slog.WarnContext(c.UserContext(), "request refused in an outage", "reason", reason)
	message := outageWrite
	if c.Method() == fiber.MethodGet {
		message = outageRead
	}
	return write(c, outage, refusal.New(refusal.Internal, message))
}

func write(c *fiber.Ctx, r response, f *refusal.Error) error {
	switch r.status {
	case fiber.StatusUnauthorized:
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	case fiber.StatusServiceUnavailable:
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(ratelimit.RetrySeconds(RetryAfter())))
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(r.status).Send(payload.AppendError(nil, r.kind, string(f.Code), f.Message,
		requestid.Of(c.UserContext())))
}

// translate turns Fiber's own errors into refusals.
func translate(err error) error {
	e, ok := errors.AsType[*fiber.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case fiber.StatusNotFound:
		return refusal.New(refusal.NotFound, "No endpoint has this path. They are listed at /v1/openapi.json.")
	case fiber.StatusMethodNotAllowed:
		return refusal.New(refusal.MethodNotAllowed,
			"The endpoint does not take this method; the Allow header lists those it does.")
	case fiber.StatusRequestEntityTooLarge:
		return tooLarge
	case fiber.StatusBadRequest, fiber.StatusRequestHeaderFieldsTooLarge:
		return refusal.New(refusal.InvalidRequestBody, "The request is not valid HTTP, or its headers are too large.")
	// Fiber's statuses for a client that was too slow or disconnected
	case fiber.StatusRequestTimeout, fiber.StatusBadGateway:
		return refusal.New(refusal.InvalidRequestBody, "The request did not arrive whole, or not in time.")
	}
	return err
}

var tooLarge = refusal.New(refusal.RequestTooLarge, "The body is larger than 128 KiB.")
