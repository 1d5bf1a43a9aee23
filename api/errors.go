package api

import (
	"errors"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/requestid"
	"garoupa/wire"
)

// response is how the API answers a fault (contract 7, decisions 2).
type response struct {
	status int
	kind   string
}

// responses is the registry of codes: each has one status and one type.
var responses = map[fault.Code]response{
	fault.InvalidJSON:                 {400, "validation_error"},
	fault.InvalidRequestBody:          {400, "validation_error"},
	fault.IdempotencyKeyRequired:      {400, "validation_error"},
	fault.Unauthorized:                {401, "auth_error"},
	fault.Forbidden:                   {403, "auth_error"},
	fault.APIKeyScopeForbidden:        {403, "auth_error"},
	fault.AccountSuspended:            {403, "auth_error"},
	fault.TestWithdrawalsNotSupported: {403, "auth_error"},
	fault.WithdrawalReadinessRequired: {403, "auth_error"},
	fault.WithdrawalsBlocked:          {403, "auth_error"},
	fault.LiveOperationsBlocked:       {403, "auth_error"},
	fault.NotFound:                    {404, "not_found_error"},
	fault.CheckoutNotFound:            {404, "not_found_error"},
	fault.PaymentLinkNotFound:         {404, "not_found_error"},
	fault.ProductNotFound:             {404, "not_found_error"},
	fault.WithdrawalNotFound:          {404, "not_found_error"},
	fault.MethodNotAllowed:            {405, "validation_error"},
	fault.IdempotencyConflict:         {409, "conflict_error"},
	fault.CheckoutNotPending:          {409, "conflict_error"},
	fault.RequestTooLarge:             {413, "validation_error"},
	fault.UnsupportedMediaType:        {415, "validation_error"},
	fault.InvalidExpiresIn:            {422, "business_error"},
	fault.InvalidAmount:               {422, "business_error"},
	fault.InsufficientBalance:         {422, "business_error"},
	fault.QuoteUnavailable:            {422, "business_error"},
	fault.RateLimitExceeded:           {429, "rate_limit_error"},
	fault.Internal:                    {500, "internal_error"},
	fault.ProviderUnavailable:         {503, "provider_error"},
}

// WriteError answers err. Every handler and middleware of the API returns its
// error; this is the only function that writes one.
func WriteError(c *fiber.Ctx, err error) error {
	f := fault.Of(translate(err))
	r := responses[f.Code]
	switch {
	case r.status == fiber.StatusInternalServerError:
		slog.ErrorContext(c.UserContext(), "request failed", "err", err)
	case r.status > fiber.StatusInternalServerError, f.Code == fault.QuoteUnavailable:
		slog.WarnContext(c.UserContext(), "request refused for now", "err", err)
	}
	if r.status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(r.status).Send(wire.AppendError(nil, r.kind, string(f.Code), f.Message, requestid.Of(c.UserContext())))
}

// translate turns Fiber's own refusals into faults.
func translate(err error) error {
	e, ok := errors.AsType[*fiber.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case fiber.StatusNotFound:
		return fault.New(fault.NotFound, "No endpoint has this path. They are listed at /v1/openapi.json.")
	case fiber.StatusMethodNotAllowed:
		return fault.New(fault.MethodNotAllowed, "The endpoint does not take this method; the Allow header lists those it does.")
	case fiber.StatusRequestEntityTooLarge:
		return tooLarge
	case fiber.StatusBadRequest, fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.InvalidRequestBody, "The request is not valid HTTP, or its headers are too large.")
	case fiber.StatusRequestTimeout, fiber.StatusBadGateway: // Fiber's names for a client that is late or gone
		return fault.New(fault.InvalidRequestBody, "The request did not arrive whole, or not in time.")
	}
	return err
}

var tooLarge = fault.New(fault.RequestTooLarge, "The body is larger than 64 KiB.")
