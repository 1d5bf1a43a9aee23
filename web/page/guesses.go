package page

import (
	"crypto/rand"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/ratelimit"
	"garoupa/internal/requestid"
	"garoupa/merchants"
)

// markCookie returns the name of the cookie by which a browser in which a person has logged in is
// known at the next log-in, also after a log-out. The cookie gives no access.
func (s *Site) markCookie() string { return CookieName(s.AppURL, "/", "garoupa_browser") }

// Browser returns the browser that sent the request. It has no mark before its first log-in.
func (s *Site) Browser(c *fiber.Ctx) merchants.Browser {
	agent := c.Get(fiber.HeaderUserAgent)
	from := merchants.Browser{IP: c.IP(), UserAgent: agent, Name: Device(agent),
		RequestID: requestid.Of(c.UserContext())}
	if mark := c.Cookies(s.markCookie()); len(mark) == len(rand.Text()) {
		from.Mark = mark
	}
	return from
}

// LogInFrom returns the browser of a log-in. A browser without a mark gets one, which Remember stores.
func (s *Site) LogInFrom(c *fiber.Ctx) merchants.Browser {
	from := s.Browser(c)
	if from.Mark == "" {
		from.Mark = rand.Text()
	}
	return from
}

// Remember records that the person of a session has logged in from the browser, which LogInFrom
// returned, and stores its mark there, so that strangers who guess elsewhere do not slow the person
// here. It records nothing if the session waits for a code.
func (s *Site) Remember(c *fiber.Ctx, token string, from merchants.Browser) error {
	if err := s.Merchants.Remember(c.UserContext(), token, from); err != nil {
		return err
	}
	c.Cookie(&fiber.Cookie{
		Name: s.markCookie(), Value: from.Mark, Path: "/", HTTPOnly: true,
		MaxAge: int(merchants.DeviceLifetime.Seconds()), Secure: strings.HasPrefix(s.AppURL, "https://"),
		SameSite: fiber.CookieSameSiteLaxMode,
	})
	return nil
}

// Guess is a try at a log-in that has been counted as a failed one.
type Guess struct {
	site  *Site
	taken []bucketOf
}

type bucketOf struct {
	limiter *ratelimit.Limiter
	key     string
}

// Right takes the try back from those that failed.
func (g Guess) Right() {
	for _, b := range g.taken {
		b.limiter.Return(b.key, g.site.Now())
	}
}

// GuessPassword counts a try at the password of the person with an email: among the failed ones
// from this address, and, where the person has not logged in before, among those of the person.
// If there were too many, it sets the status 429, and returns the text to show. Emails that no
// user has are counted alike.
func (s *Site) GuessPassword(c *fiber.Ctx, email string) (g Guess, wait string, err error) {
	known, err := s.Merchants.Knows(c.UserContext(), email, s.Browser(c))
	if err != nil {
		return g, "", err
	}
	g.site = s
	if wait = g.take(c, s.Limits.FailedLogIn, AddressKey(c)); wait != "" || known {
		return g, wait, nil
	}
	if wait = g.take(c, s.Limits.NewPlaces, LogInKey("password/"+email, "")); wait != "" {
		g.Right() // it was no try at a password
		s.Merchants.TellOfGuesses(c.UserContext(), email)
	}
	return g, wait, nil
}

// GuessCode counts a try at a code of the person with an email, who has given the password in a
// session: first among those of the session, then among those of all known places of the person
// together, or of all other places together. So strangers who know the password use up only
// tries of strangers. It returns as GuessPassword does.
func (s *Site) GuessCode(c *fiber.Ctx, sessionID, email string) (g Guess, wait string, err error) {
	if wait = s.CodeTries(c, sessionID); wait != "" {
		return g, wait, nil
	}
	known, err := s.Merchants.Knows(c.UserContext(), email, s.Browser(c))
	if err != nil {
		return g, "", err
	}
	g.site = s
	if known {
		return g, s.TakeTry(c, LogInKey("codes/"+email, "")), nil
	}
	return g, g.take(c, s.Limits.NewPlaces, LogInKey("codes/"+email, "")), nil
}

// take takes a token that Right returns.
func (g *Guess) take(c *fiber.Ctx, l *ratelimit.Limiter, key string) (wait string) {
	if wait = g.site.TakeFrom(c, l, key); wait == "" {
		g.taken = append(g.taken, bucketOf{l, key})
	}
	return wait
}
