package account

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/passkey"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/web/page"
)

// passkeyCookie returns the name of the cookie that identifies the browser that requested a
// challenge for a log-in or a sign-up. It is not the session's cookie, because the answer to the
// script would otherwise restore an older session. The name is the same for the paths of all forms.
func (s *account) passkeyCookie() string {
	return page.CookieName(s.AppURL, "/entrar", "garoupa_passkey")
}

// askPasskeyLogIn handles POST /entrar/passkey/pedido. The answer has the same form for every
// visitor.
func (s *account) askPasskeyLogIn(c *fiber.Ctx) error {
	options, err := s.Merchants.AskPasskeyLogIn(c.UserContext(), s.passkeyBrowser(c, "/entrar"))
	return sendOptions(c, options, err)
}

// passkeyBrowser returns the value that identifies the browser, and sets a cookie for path if
// there is none.
func (s *account) passkeyBrowser(c *fiber.Ctx, path string) string {
	browser := c.Cookies(s.passkeyCookie())
	if len(browser) != len(rand.Text()) {
		browser = rand.Text()
		c.Cookie(&fiber.Cookie{
			Name: s.passkeyCookie(), Value: browser, Path: path, HTTPOnly: true, SessionOnly: true,
			Secure: strings.HasPrefix(s.AppURL, "https://"), SameSite: fiber.CookieSameSiteStrictMode,
		})
	}
	return browser
}

// logInWithPasskey handles POST /entrar/passkey. An existing session of the browser, perhaps
// one that waits for a code, ends.
func (s *account) logInWithPasskey(c *fiber.Ctx) error {
	next, token := page.Local(page.Field(c, "next"), "/app"), ""
	from := s.LogInFrom(c)
	a, err := passkey.ReadAnswer(page.Field(c, answerField))
	if err == nil {
		if wait := s.TakeTry(c, page.LogInKey("passkey/"+hex.EncodeToString(a.KeyID), c.IP())); wait != "" {
			return s.showLogIn(c, "", next, wait)
		}
		token, err = s.passkeySession(c, a, from)
	}
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, passkey.ErrRefused) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLogIn(c, "", next, i18n.T(c.UserContext(), "problem.passkey"))
	} else if err != nil {
		return err
	}
	return s.enter(c, token, from, next)
}

// passkeySession starts a session by a passkey. Where people log in at the provider alone, the browser must have
// logged in there before.
func (s *account) passkeySession(c *fiber.Ctx, a *passkey.Answer, from merchants.Browser) (string, error) {
	if s.Merchants.SSOOnly {
		return s.Merchants.AddPasskeyFactor(c.UserContext(), s.Token(c), c.Cookies(s.passkeyCookie()), a, from)
	}
	return s.Merchants.LogInWithPasskey(c.UserContext(), c.Cookies(s.passkeyCookie()), a, from)
}

// askPasskeyProof handles POST /confirmar/passkey. It returns the options with which a person
// who is logged in proves their identity again.
func (s *account) askPasskeyProof(c *fiber.Ctx) error {
	options, err := s.Merchants.AskPasskeyProof(c.UserContext(), page.Visitor(c))
	if errors.Is(err, models.ErrNotFound) {
		return fiber.ErrNotFound
	}
	return sendOptions(c, options, err)
}
