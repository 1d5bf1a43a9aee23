// Package api is the JSON API under /v1, for backends.
//
// A request passes the checks of docs/rules.md, "Order of checks", in their order. The
// middleware below does the checks that do not need the content of the body. A handler
// decodes the body and calls one operation. Handlers return their errors, and errors.go
// writes the answers.
package api

import (
	"mime"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/ratelimit"
	"garoupa/internal/refusal"
	"garoupa/internal/requestlog"
	"garoupa/internal/stream"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
)

// Version is the version of the machine-readable description (contract 9).
const Version = "1.0.0"

// maxBody is the largest body, in bytes (docs/rules.md, "Order of checks").
const maxBody = 128 << 10

// Options configure the API. All except Log are required.
type Options struct {
	DB          *models.DB
	Payments    *payments.Service
	Merchants   *merchants.Service
	Streams     *stream.Hub
	BaseURL     string // where the API is served, without a slash at the end
	CheckoutURL string
	AppURL      string // where the documentation is served
	Limits      Limits
	Log         *requestlog.Log // stores calls for the dashboard; nil stores none
	Now         func() time.Time
}

// Limits bound how often the API may be called (docs/rules.md, "Rate limits"). A nil
// limiter means no limit.
type Limits struct {
	Live, Test  *ratelimit.Limiter // by key
	Withdrawals *ratelimit.Limiter // by account
	FailedAuth  *ratelimit.Limiter // by address
	Public      *ratelimit.Limiter // endpoints without a key, by address
}

type server struct{ Options }

// Register adds the endpoints to r, the root of the base address.
func Register(r fiber.Router, o Options) {
	s := &server{o}
	v1 := r.Group("/v1", s.record)
	v1.Get("/health", s.acceptBody, s.health)
	v1.Get("/openapi.json", s.acceptBody, s.describe())

	v1.Post("/checkouts", s.keyed(models.PermissionCheckoutCreate, noQuery, s.createCheckout)...)
	v1.Get("/checkouts", s.keyed(models.PermissionCheckoutRead, s.listCheckouts)...)
	v1.Get("/checkouts/:id", s.keyed(models.PermissionCheckoutRead, noQuery, s.readCheckout)...)

	v1.Post("/refunds", s.acceptBody, s.authenticate, mayRefund, noQuery, s.createRefund)
	v1.Get("/refunds", s.keyed(models.PermissionCheckoutRead, s.listRefunds)...)
	v1.Get("/refunds/:id", s.keyed(models.PermissionCheckoutRead, noQuery, s.readRefund)...)

	v1.Get("/events", s.acceptBody, s.authenticate, mayReadEvents, s.listEvents)
	v1.Post("/events/replay", s.acceptBody, s.authenticate, mayReadEvents, noQuery, s.replayEvents)
	v1.Get("/events/:id", s.acceptBody, s.authenticate, mayReadEvents, noQuery, s.readEvent)
	v1.Post("/events/:id/resend", s.acceptBody, s.authenticate, mayReadEvents, noQuery, s.resendEvent)

	v1.Get("/audit", s.acceptBody, s.authenticate, mayReadAudit, s.listAudit)

	v1.Get("/balance", s.keyed(models.PermissionBalanceRead, noQuery, s.readBalance)...)
	v1.Post("/withdrawals", s.acceptBody, s.authenticate, s.refuseTest, allow(models.PermissionWithdrawalCreate),
		noQuery, s.createWithdrawal)
	v1.Get("/withdrawals", s.keyed(models.PermissionWithdrawalRead, s.listWithdrawals)...)
	v1.Get("/withdrawals/:id", s.keyed(models.PermissionWithdrawalRead, noQuery, s.readWithdrawal)...)

	v1.Post("/payment-links", s.keyed(models.PermissionPaymentLinkCreate, noQuery, s.createPaymentLink)...)
	v1.Get("/payment-links", s.keyed(models.PermissionPaymentLinkRead, s.listPaymentLinks)...)
	v1.Get("/payment-links/:id", s.keyed(models.PermissionPaymentLinkRead, noQuery, s.readPaymentLink)...)

	v1.Get("/test/events", s.keyed(models.PermissionCheckoutRead, noQuery, s.streamTestEvents)...)
	test := v1.Group("/test/checkouts/:id")
	simulated := func(act simulation) []fiber.Handler {
		return s.keyed(models.PermissionCheckoutCreate, noQuery, s.simulate(act))
	}
	test.Post("/pay", simulated(s.Payments.SimulatePayment)...)
	test.Post("/expire", simulated(s.Payments.SimulateExpiry)...)
	test.Post("/cancel", simulated(s.Payments.SimulateCancellation)...)
}

// keyed returns the handlers of an endpoint that needs a key with a permission, in their
// order (docs/rules.md, "Order of checks"). They belong to the route, because the router
// must refuse unknown paths and methods first.
func (s *server) keyed(needed models.Permission, handlers ...fiber.Handler) []fiber.Handler {
	return append([]fiber.Handler{s.acceptBody, s.authenticate, allow(needed)}, handlers...)
}

// health handles GET /v1/health. It is public.
func (s *server) health(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.SendString(`{"status":"ok","version":"` + Version + `"}`)
}

// acceptBody refuses requests by the size, media type and encoding of their body, also
// on endpoints that read no body (docs/rules.md, "Order of checks"). Fiber would unpack
// an encoded body without a bound.
func (s *server) acceptBody(c *fiber.Ctx) error {
	if len(c.Request().Body()) > maxBody {
		return tooLarge
	}
	if given := c.Get(fiber.HeaderContentType); given != "" {
		media, _, err := mime.ParseMediaType(given)
		if err != nil || media != fiber.MIMEApplicationJSON && !strings.HasSuffix(media, "+json") {
			return refusal.New(refusal.UnsupportedMediaType, "The body's Content-Type must be application/json.")
		}
	}
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && encoding != "identity" {
		return refusal.New(refusal.UnsupportedMediaType, "The body must be sent as it is, without a Content-Encoding.")
	}
	return c.Next()
}

type holderKey struct{}

// holder returns the key that authenticate accepted.
func holder(c *fiber.Ctx) *models.KeyHolder { return c.Locals(holderKey{}).(*models.KeyHolder) }

// KeyID returns the id of the key that the request was accepted with, or "".
func KeyID(c *fiber.Ctx) string {
	if h, ok := c.Locals(holderKey{}).(*models.KeyHolder); ok {
		return h.Key.ID
	}
	return ""
}

// authenticate accepts requests with a valid key whose bucket has tokens.
func (s *server) authenticate(c *fiber.Ctx) error {
	h, err := s.Merchants.Authenticate(c.UserContext(), bearerOf(c), c.IP())
	if err != nil {
		return s.refuse(c, err)
	}
	c.Locals(holderKey{}, h)
	if err := s.limit(c, h); err != nil {
		return err
	}
	return c.Next()
}

// bearerOf returns the request's key, or "" if it has none.
func bearerOf(c *fiber.Ctx) string {
	scheme, secret, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// allow accepts keys that have the permission.
func allow(needed models.Permission) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !holder(c).Key.Allows(needed) {
			return refusal.New(refusal.APIKeyScopeForbidden,
				"The API key lacks the permission %s. Make a key that has it in the dashboard.", needed)
		}
		return c.Next()
	}
}

// refuse returns the error of a failed authentication, or, after too many failures from one
// address, the error of the rate limit.
func (s *server) refuse(c *fiber.Ctx, err error) error {
	if refusal.Of(err).Code != refusal.Unauthorized {
		return err
	}
	if d := s.Limits.FailedAuth.Take(ratelimit.AddressKey(c.IP()), s.Now()); !d.Allowed {
		return tooMany(c, d)
	}
	return err
}

// limit takes a token from the key's bucket and sets the rate headers.
func (s *server) limit(c *fiber.Ctx, h *models.KeyHolder) error {
	limiter := s.Limits.Test
	if h.Key.Environment == models.Live {
		limiter = s.Limits.Live
	}
	d := limiter.Take(h.Key.ID, s.Now())
	if limiter != nil {
		c.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
		c.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
		c.Set("RateLimit-Reset", strconv.Itoa(ratelimit.Seconds(d.Reset)))
	}
	if !d.Allowed {
		return tooMany(c, d)
	}
	return nil
}

func tooMany(c *fiber.Ctx, d ratelimit.Decision) error {
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(ratelimit.RetrySeconds(d.RetryAfter)))
	return refusal.New(refusal.RateLimitExceeded,
		"Too many requests. Wait as long as the Retry-After header says, then go on with backoff.")
}

// sendJSON sends a body that is JSON already.
func sendJSON(c *fiber.Ctx, body []byte) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(body)
}

// requiredIdempotencyKey is idempotencyKey for operations that require a key.
func requiredIdempotencyKey(c *fiber.Ctx) (string, error) {
	key, err := idempotencyKey(c)
	if err == nil && key == "" {
		err = refusal.New(refusal.IdempotencyKeyRequired,
			"This operation needs an Idempotency-Key header: a text of your own that names this request, the same at "+
				"every retry.")
	}
	return key, err
}

// idempotencyKey returns the request's Idempotency-Key, or "" if it is absent or blank.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	key := strings.TrimSpace(c.Get("Idempotency-Key"))
	if !input.Length(key, 0, 255) || !input.Plain(key) {
		return "", refusal.New(refusal.InvalidRequestBody,
			"Idempotency-Key must have at most 255 characters and no control characters.")
	}
	return key, nil
}
