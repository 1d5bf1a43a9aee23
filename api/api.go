// Package api is the JSON API under /v1, for backends.
//
// A request passes the checks of decisions.md, section 2, in their order: the
// middleware below does those that need no body's meaning, a handler decodes the
// body and calls one operation. Handlers return their errors; errors.go answers
// them.
package api

import (
	"mime"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/live"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/ratelimit"
	"garoupa/requestlog"
)

// Version numbers the machine-readable description (contract 9).
const Version = "1.0.0"

// maxBody is the largest body, in bytes (decisions, 2.3).
const maxBody = 64 << 10

// Options are what the API is made of. All but Log are required.
type Options struct {
	DB           *models.DB
	Payments     *payments.Service
	Merchants    *merchants.Service
	Live         *live.Hub
	BaseURL      string // where the API is served, without a slash at the end
	CheckoutHost string
	Limits       Limits
	Log          *requestlog.Log // keeps calls for the dashboard; nil: they are not kept
	Now          func() time.Time
}

// Limits bound how often the API may be called (decisions, 10). Nil is no limit.
type Limits struct {
	Live, Test  *ratelimit.Limiter // by key
	Withdrawals *ratelimit.Limiter // by account
	FailedAuth  *ratelimit.Limiter // by address
	Public      *ratelimit.Limiter // what needs no key, by address
}

type server struct{ Options }

// Register adds the endpoints to r, the root of the base address.
func Register(r fiber.Router, o Options) {
	s := &server{o}
	v1 := r.Group("/v1", s.record)
	v1.Get("/health", s.acceptBody, s.health)
	v1.Get("/openapi.json", s.acceptBody, s.describe())

	v1.Post("/checkouts", s.keyed(models.PermissionCheckoutCreate, s.createCheckout)...)
	v1.Get("/checkouts", s.keyed(models.PermissionCheckoutRead, s.listCheckouts)...)
	v1.Get("/checkouts/:id", s.keyed(models.PermissionCheckoutRead, s.readCheckout)...)

	v1.Get("/balance", s.keyed(models.PermissionBalanceRead, s.readBalance)...)
	v1.Post("/withdrawals", s.acceptBody, s.authenticate, s.refuseTest, allow(models.PermissionWithdrawalCreate), s.createWithdrawal)
	v1.Get("/withdrawals", s.keyed(models.PermissionWithdrawalRead, s.listWithdrawals)...)
	v1.Get("/withdrawals/:id", s.keyed(models.PermissionWithdrawalRead, s.readWithdrawal)...)

	v1.Post("/payment-links", s.keyed(models.PermissionPaymentLinkCreate, s.createPaymentLink)...)
	v1.Get("/payment-links", s.keyed(models.PermissionPaymentLinkRead, s.listPaymentLinks)...)
	v1.Get("/payment-links/:id", s.keyed(models.PermissionPaymentLinkRead, s.readPaymentLink)...)

	v1.Get("/test/events", s.keyed(models.PermissionCheckoutRead, s.streamTestEvents)...)
	test := v1.Group("/test/checkouts/:id")
	test.Post("/pay", s.keyed(models.PermissionCheckoutCreate, s.simulate(s.Payments.SimulatePayment))...)
	test.Post("/expire", s.keyed(models.PermissionCheckoutCreate, s.simulate(s.Payments.SimulateExpiry))...)
	test.Post("/cancel", s.keyed(models.PermissionCheckoutCreate, s.simulate(s.Payments.SimulateCancellation))...)
}

// keyed are the handlers of an endpoint that takes a key with a permission, in the
// order of decisions, 2. They stand at each route and not before the router, which
// has to refuse unknown paths and methods first.
func (s *server) keyed(needed models.Permission, handler fiber.Handler) []fiber.Handler {
	return []fiber.Handler{s.acceptBody, s.authenticate, allow(needed), handler}
}

// health handles GET /v1/health: the service answers. It is public.
func (s *server) health(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.SendString(`{"status":"ok","version":"` + Version + `"}`)
}

// acceptBody refuses requests by the size, media type and encoding of their body,
// also where none is read (decisions, 2.3). Fiber would unpack an encoded one
// without a bound.
func (s *server) acceptBody(c *fiber.Ctx) error {
	if len(c.Request().Body()) > maxBody {
		return tooLarge
	}
	if given := c.Get(fiber.HeaderContentType); given != "" {
		media, _, err := mime.ParseMediaType(given)
		if err != nil || media != fiber.MIMEApplicationJSON && !strings.HasSuffix(media, "+json") {
			return fault.New(fault.UnsupportedMediaType, "The body's Content-Type must be application/json.")
		}
	}
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && encoding != "identity" {
		return fault.New(fault.UnsupportedMediaType, "The body must be sent as it is, without a Content-Encoding.")
	}
	return c.Next()
}

type holderKey struct{}

// holder returns the key that authenticate let in.
func holder(c *fiber.Ctx) *models.KeyHolder { return c.Locals(holderKey{}).(*models.KeyHolder) }

// authenticate lets in requests with a key that holds, as long as its bucket has
// tokens.
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

// bearerOf returns the key that a request came with, "" if it came with none.
func bearerOf(c *fiber.Ctx) string {
	scheme, secret, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// allow lets in keys that have the permission.
func allow(needed models.Permission) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !holder(c).Key.Allows(needed) {
			return fault.New(fault.APIKeyScopeForbidden, "The API key lacks the permission %s. Make a key that has it in the dashboard.", needed)
		}
		return c.Next()
	}
}

// refuse answers a failed authentication: after too many from one address, that
// there were too many.
func (s *server) refuse(c *fiber.Ctx, err error) error {
	if fault.Of(err).Code != fault.Unauthorized {
		return err
	}
	if d := s.Limits.FailedAuth.Take(c.IP(), s.Now()); !d.Allowed {
		return tooMany(c, d)
	}
	return err
}

// limit takes one request from the key's bucket and tells how full that is.
func (s *server) limit(c *fiber.Ctx, h *models.KeyHolder) error {
	limiter := s.Limits.Test
	if h.Key.Livemode {
		limiter = s.Limits.Live
	}
	d := limiter.Take(h.Key.ID, s.Now())
	if limiter != nil {
		c.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
		c.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
		c.Set("RateLimit-Reset", seconds(d.Reset))
	}
	if !d.Allowed {
		return tooMany(c, d)
	}
	return nil
}

func tooMany(c *fiber.Ctx, d ratelimit.Decision) error {
	c.Set(fiber.HeaderRetryAfter, seconds(max(d.RetryAfter, time.Second)))
	return fault.New(fault.RateLimitExceeded, "Too many requests. Wait as long as the Retry-After header says, then go on with backoff.")
}

// seconds writes a time in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}

// sendJSON answers with a body that is JSON already.
func sendJSON(c *fiber.Ctx, body []byte) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(body)
}

// requiredIdempotencyKey is idempotencyKey for operations that cannot do without.
func requiredIdempotencyKey(c *fiber.Ctx) (string, error) {
	key, err := idempotencyKey(c)
	if err == nil && key == "" {
		err = fault.New(fault.IdempotencyKeyRequired, "This operation needs an Idempotency-Key header: a text of your own that names this request, the same at every retry.")
	}
	return key, err
}

// idempotencyKey returns the request's Idempotency-Key, "" if it is absent or blank.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	key := strings.TrimSpace(c.Get("Idempotency-Key"))
	if !text(key, 0, 255, "") {
		return "", fault.New(fault.InvalidRequestBody, "Idempotency-Key must have at most 255 characters and no control characters.")
	}
	return key, nil
}
