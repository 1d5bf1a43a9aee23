package page

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/ratelimit"
	"garoupa/internal/refusal"
	"garoupa/views/i18n"
)

// Tries takes one of the attempts that an email has from this address for logging in or
// proving an identity. If none is left, it sets the status 429 and returns the text to show.
func (s *Site) Tries(c *fiber.Ctx, email string) (wait string) {
	return s.TakeTry(c, LogInKey(email, c.IP()))
}

// CodeTries is Tries for the codes of a user. The address does not count, because six digits
// can be guessed from many addresses together.
func (s *Site) CodeTries(c *fiber.Ctx, userID string) (wait string) {
	return s.TakeTry(c, LogInKey("code/"+userID, ""))
}

// TakeTry takes one attempt from a bucket, as Tries does.
func (s *Site) TakeTry(c *fiber.Ctx, bucket string) (wait string) {
	d := s.Limits.LogIn.Take(bucket, s.Now())
	if d.Allowed {
		return ""
	}
	minutes := int(math.Ceil(d.RetryAfter.Minutes()))
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(minutes*60))
	c.Status(fiber.StatusTooManyRequests)
	return i18n.T(c.UserContext(), "problem.log_in_wait", minutes)
}

// LogInKey returns the name of the bucket of an email and an address. The name is a digest,
// because instances exchange names of buckets, which must not contain emails.
func LogInKey(email, ip string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email)) + "\x00" + ip))
	return hex.EncodeToString(sum[:8])
}

// Limited refuses requests from an address that requests too many public pages.
func (s *Site) Limited(c *fiber.Ctx) error { return s.limitedBy(1)(c) }

// limitedBy is Limited for a request that counts as several pages.
func (s *Site) limitedBy(tokens int) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if d := s.Limits.Pages.TakeMany(c.IP(), tokens, s.Now()); !d.Allowed {
			return tooMany(c, d)
		}
		return c.Next()
	}
}

func tooMany(c *fiber.Ctx, d ratelimit.Decision) error {
	c.Set(fiber.HeaderRetryAfter, retrySeconds(d.RetryAfter))
	return refusal.New(refusal.RateLimitExceeded, "Too many requests.")
}

// retrySeconds returns a time for Retry-After: whole seconds, at least one.
func retrySeconds(d time.Duration) string {
	return strconv.Itoa(ratelimit.RetrySeconds(d))
}
