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

// AddressKey returns the key under which requests from the client's address count.
func AddressKey(c *fiber.Ctx) string { return ratelimit.AddressKey(c.IP()) }

// Tries takes one of the attempts that an email has from this address for logging in or
// proving an identity. If none is left, it sets the status 429 and returns the text to show.
func (s *Site) Tries(c *fiber.Ctx, email string) (wait string) {
	return s.TakeTry(c, LogInKey(email, c.IP()))
}

// CodeTries is Tries for the codes and passkeys of a session.
func (s *Site) CodeTries(c *fiber.Ctx, sessionID string) (wait string) {
	return s.TakeTry(c, LogInKey("code/"+sessionID, ""))
}

// TakeTry takes one attempt from a bucket, as Tries does.
func (s *Site) TakeTry(c *fiber.Ctx, bucket string) (wait string) {
	return s.TakeFrom(c, s.Limits.LogIn, bucket)
}

// TakeMail takes one of the mails to addresses that visitors type. sender is who asks for it.
func (s *Site) TakeMail(c *fiber.Ctx, sender string) (wait string) {
	return s.TakeFrom(c, s.Limits.Mails, sender)
}

// TakeFrom is TakeTry for another limiter.
func (s *Site) TakeFrom(c *fiber.Ctx, l *ratelimit.Limiter, bucket string) (wait string) {
	d := l.Take(bucket, s.Now())
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
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email)) + "\x00" + ratelimit.AddressKey(ip)))
	return hex.EncodeToString(sum[:8])
}

// Limited refuses requests from an address that requests too many public pages.
func (s *Site) Limited(c *fiber.Ctx) error { return s.limitedBy(1)(c) }

// LimitedForm takes formTokens further tokens for a form of a public page that sends a mail.
func (s *Site) LimitedForm(c *fiber.Ctx) error { return s.limitedBy(formTokens)(c) }

// limitedBy is Limited for a request that counts as several pages.
func (s *Site) limitedBy(tokens int) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if d := s.Limits.Pages.TakeMany(AddressKey(c), tokens, s.Now()); !d.Allowed {
			return tooMany(c, d)
		}
		return c.Next()
	}
}

// Paced refuses requests of a person who makes too many. It must come after Person.
func (s *Site) Paced(c *fiber.Ctx) error { return s.pacedBy(1)(c) }

// Heavy takes formTokens further tokens for a form of a person who is logged in that hashes a password or sends a mail.
func (s *Site) Heavy(c *fiber.Ctx) error { return s.pacedBy(formTokens)(c) }

func (s *Site) pacedBy(tokens int) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if d := s.Limits.People.TakeMany(Visitor(c).UserID, tokens, s.Now()); !d.Allowed {
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
