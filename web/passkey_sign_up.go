package web

import (
	"cmp"
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/passkey"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// unnamedPasskey is what a passkey is called that somebody signs up with on a system
// that we do not know. They may call it something else later.
const unnamedPasskey = "Passkey"

// newMerchant is what the form of a sign-up says.
func (s *server) newMerchant(c *fiber.Ctx) merchants.NewMerchant {
	return merchants.NewMerchant{
		Name: c.FormValue("name"), Business: c.FormValue("business"), Email: c.FormValue("email"), Password: c.FormValue("password"),
		Language: string(i18n.Of(c.UserContext())), Terms: s.acceptance(c),
	}
}

// firstPasskey is the passkey in a form of somebody who has no log-in yet.
func firstPasskey(c *fiber.Ctx) merchants.FirstPasskey {
	first := merchants.FirstPasskey{Name: cmp.Or(system(c.Get(fiber.HeaderUserAgent)), unnamedPasskey)}
	if a, err := passkey.ReadNewAnswer(c.FormValue(answerField)); err == nil {
		first.Answer = a
	}
	return first
}

// byPasskey reports whether a form of somebody who has no log-in yet has a passkey, or
// what the script puts in its place, in place of a password.
func (s *server) byPasskey(c *fiber.Ctx) bool {
	return s.offersPasskeys() && c.FormValue(answerField) != ""
}

func browser(c *fiber.Ctx) merchants.Browser {
	return merchants.Browser{IP: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent)}
}

// askSignUpPasskey handles POST /cadastro/passkey: what the browser is asked to make for
// who fills in the form. A form with something wrong is a 422: the script then sends it,
// and its page says what.
func (s *server) askSignUpPasskey(c *fiber.Ctx) error {
	options, err := s.Merchants.AskSignUpPasskey(c.UserContext(), s.passkeyBrowser(c, "/cadastro"), s.newMerchant(c))
	return sendFirstOptions(c, options, err)
}

// askJoinPasskey handles POST /convite/:token/passkey, which is askSignUpPasskey for
// whom was invited.
func (s *server) askJoinPasskey(c *fiber.Ctx) error {
	options, err := s.Merchants.AskJoinPasskey(c.UserContext(), s.passkeyBrowser(c, invitePath), c.Params("token"), s.newcomer(c))
	return sendFirstOptions(c, options, err)
}

func sendFirstOptions(c *fiber.Ctx, options []byte, err error) error {
	_, invalid := errors.AsType[merchants.Invalid](err)
	if invalid || errors.Is(err, merchants.ErrLink) || errors.Is(err, merchants.ErrKnown) {
		return c.SendStatus(fiber.StatusUnprocessableEntity)
	}
	return sendOptions(c, options, err)
}

// signUpWithPasskey is signUp for a form with a passkey.
func (s *server) signUpWithPasskey(c *fiber.Ctx) error {
	in := s.newMerchant(c)
	token, err := s.Merchants.SignUpWithPasskey(c.UserContext(), c.Cookies(passkeyCookie), in, firstPasskey(c), browser(c))
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return s.showSignUp(c, in, problems["email"] == merchants.Taken, fieldErrors(c, problems, signUpFields...))
	}
	return s.begun(c, token, err, verifyPath, func(problem components.FieldErrors) error { return s.showSignUp(c, in, false, problem) })
}

// joinWithPasskey is joinAsNewcomer for a form with a passkey.
func (s *server) joinWithPasskey(c *fiber.Ctx) error {
	in := s.newcomer(c)
	token, err := s.Merchants.JoinWithPasskey(c.UserContext(), c.Cookies(passkeyCookie), c.Params("token"), in, firstPasskey(c), browser(c))
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		return s.showNewcomer(c, in, fieldErrors(c, problems, newcomerFields...))
	case errors.Is(err, merchants.ErrKnown):
		return s.showInvite(c, pages.InviteProps{})
	case errors.Is(err, merchants.ErrLink):
		return s.deadLink(c, err, pages.DeadInvite)
	}
	return s.begun(c, token, err, "/app", func(problem components.FieldErrors) error { return s.showNewcomer(c, in, problem) })
}

// begun goes on with the first session of somebody, or says what is wrong with their
// passkey. Who sends the form twice has a log-in by the second time.
func (s *server) begun(c *fiber.Ctx, token string, err error, next string, refuse func(components.FieldErrors) error) error {
	switch {
	case errors.Is(err, merchants.ErrPasskeyKnown):
		if err := s.flash(c, "passkey_ready"); err != nil {
			return err
		}
		return c.Redirect("/entrar", fiber.StatusSeeOther)
	case errors.Is(err, merchants.ErrCredentials):
		return refuse(components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.passkey_new")}})
	case err != nil:
		return err
	}
	return s.enter(c, token, next)
}
