package web

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/passkey"
	"garoupa/views/i18n"
)

// passkeyCookie knows again the browser that was asked for a passkey to log in with, or to
// sign up with. It
// is not the session's, which an answer to the script would else put back as it was.
const passkeyCookie = "garoupa_passkey"

// askPasskeyLogIn handles POST /entrar/passkey/pedido. Its answer is of the same kind for
// everybody.
func (s *server) askPasskeyLogIn(c *fiber.Ctx) error {
	options, err := s.Merchants.AskPasskeyLogIn(c.UserContext(), s.passkeyBrowser(c, "/entrar"))
	return sendOptions(c, options, err)
}

// passkeyBrowser is what the browser is known by at a path, where answers are sent.
func (s *server) passkeyBrowser(c *fiber.Ctx, path string) string {
	browser := c.Cookies(passkeyCookie)
	if len(browser) != len(rand.Text()) {
		browser = rand.Text()
		c.Cookie(&fiber.Cookie{
			Name: passkeyCookie, Value: browser, Path: path, HTTPOnly: true, SessionOnly: true,
			Secure: strings.HasPrefix(s.AppURL, "https://"), SameSite: fiber.CookieSameSiteStrictMode,
		})
	}
	return browser
}

// logInWithPasskey handles POST /entrar/passkey. A session that the browser had, perhaps
// one that awaits a code, ends.
func (s *server) logInWithPasskey(c *fiber.Ctx) error {
	next, before, token := local(c.FormValue("next"), "/app"), s.token(c), ""
	a, err := passkey.ReadAnswer(c.FormValue(answerField))
	if err == nil {
		if wait := s.taken(c, logInKey("passkey/"+hex.EncodeToString(a.KeyID), c.IP())); wait != "" {
			return s.showLogIn(c, "", next, wait)
		}
		from := merchants.Browser{IP: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent)}
		token, err = s.Merchants.LogInWithPasskey(c.UserContext(), c.Cookies(passkeyCookie), a, from)
	}
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, passkey.ErrRefused) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLogIn(c, "", next, i18n.T(c.UserContext(), "problem.passkey"))
	} else if err != nil {
		return err
	}
	if before != "" {
		if err := s.Merchants.LogOut(c.UserContext(), before); err != nil {
			return err
		}
	}
	return s.enter(c, token, next)
}

// askPasskeyProof handles POST /confirmar/passkey: what the browser of somebody who is
// logged in is asked, to show once more who they are.
func (s *server) askPasskeyProof(c *fiber.Ctx) error {
	options, err := s.Merchants.AskPasskeyProof(c.UserContext(), visitor(c))
	if errors.Is(err, models.ErrNotFound) {
		return fiber.ErrNotFound
	}
	return sendOptions(c, options, err)
}

// proveWithPasskey is prove for an answer by a passkey.
func (s *server) proveWithPasskey(c *fiber.Ctx, v *models.Visitor, answer string) (problem string, err error) {
	if wait := s.codeTries(c, v.UserID); wait != "" {
		return wait, nil
	}
	a, err := passkey.ReadAnswer(answer)
	if err == nil && s.offersPasskeys() {
		err = s.Merchants.ProveWithPasskey(c.UserContext(), v, a)
	} else if err == nil {
		err = merchants.ErrCredentials
	}
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, passkey.ErrRefused) {
		c.Status(fiber.StatusUnprocessableEntity)
		return i18n.T(c.UserContext(), "problem.passkey_proof"), nil
	}
	return "", err
}
