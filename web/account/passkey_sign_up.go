package account

import (
	"cmp"
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/passkey"
	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// unnamedPasskey is the name of a passkey that was created at a sign-up on an unknown system.
// Its owner can rename it.
const unnamedPasskey = "Passkey"

// newMerchant returns the content of the sign-up form.
func (s *account) newMerchant(c *fiber.Ctx) merchants.NewMerchant {
	return merchants.NewMerchant{
		Name: page.Field(c, "name"), Business: page.Field(c, "business"), Email: page.Field(c, "email"),
		Password: page.Field(c, "password"),
		Language: string(i18n.Of(c.UserContext())), Terms: s.acceptance(c),
	}
}

// firstPasskey returns the passkey in the form of a person who has no log-in yet.
func firstPasskey(c *fiber.Ctx) merchants.FirstPasskey {
	first := merchants.FirstPasskey{Name: cmp.Or(page.System(c.Get(fiber.HeaderUserAgent)), unnamedPasskey)}
	if a, err := passkey.ReadNewAnswer(page.Field(c, answerField)); err == nil {
		first.Answer = a
	}
	return first
}

// byPasskey reports whether the form of a person who has no log-in yet has a passkey, or the
// script's placeholder for one, and not a password.
func (s *account) byPasskey(c *fiber.Ctx) bool {
	return s.OffersPasskeys() && page.Field(c, answerField) != ""
}

// askSignUpPasskey handles POST /cadastro/passkey. It returns the options for creating a
// passkey for the person in the form. An invalid form is a 422: the script then submits it,
// and the page shows its problems.
func (s *account) askSignUpPasskey(c *fiber.Ctx) error {
	if !s.SignsUp() {
		return c.SendStatus(fiber.StatusUnprocessableEntity)
	}
	options, err := s.Merchants.AskSignUpPasskey(c.UserContext(), s.passkeyBrowser(c, "/cadastro"), s.newMerchant(c))
	return sendFirstOptions(c, options, err)
}

// askJoinPasskey handles POST /convite/:token/passkey. It is askSignUpPasskey for an invited
// person.
func (s *account) askJoinPasskey(c *fiber.Ctx) error {
	if s.SignUp == page.SignUpClosed {
		return c.SendStatus(fiber.StatusUnprocessableEntity)
	}
	options, err := s.Merchants.AskJoinPasskey(c.UserContext(), s.passkeyBrowser(c, page.InvitePath), c.Params("token"),
		s.newcomer(c))
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
func (s *account) signUpWithPasskey(c *fiber.Ctx) error {
	in := s.newMerchant(c)
	if wait := s.takeSignUp(c); wait != "" {
		return s.signUpAgain(c, in, false, components.FieldErrors{{Text: wait}})
	}
	from := s.LogInFrom(c)
	token, err := s.Merchants.SignUpWithPasskey(c.UserContext(), c.Cookies(s.passkeyCookie()), in,
		firstPasskey(c), from)
	if err != nil {
		s.returnSignUp(c)
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return s.showSignUp(c, in, problems["email"] == merchants.Taken, page.FieldErrors(c, problems, signUpFields...))
	}
	return s.begun(c, token, err, from, page.VerifyPath,
		func(problem components.FieldErrors) error { return s.showSignUp(c, in, false, problem) })
}

// joinWithPasskey is joinAsNewcomer for a form with a passkey.
func (s *account) joinWithPasskey(c *fiber.Ctx) error {
	in := s.newcomer(c)
	from := s.LogInFrom(c)
	token, err := s.Merchants.JoinWithPasskey(c.UserContext(), c.Cookies(s.passkeyCookie()), c.Params("token"), in,
		firstPasskey(c), from)
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		return s.showNewcomer(c, in, page.FieldErrors(c, problems, newcomerFields...))
	case errors.Is(err, merchants.ErrKnown):
		return s.showInvite(c, pages.InviteProps{})
	case errors.Is(err, merchants.ErrLink):
		return s.deadLink(c, err, pages.DeadInvite)
	}
	return s.begun(c, token, err, from, "/app",
		func(problem components.FieldErrors) error { return s.showNewcomer(c, in, problem) })
}

// begun continues with the first session of a person, or shows what is wrong with the passkey.
// If the form is sent twice, the second request finds the log-in that the first one created.
func (s *account) begun(c *fiber.Ctx, token string, err error, from merchants.Browser, next string,
	refuse func(components.FieldErrors) error) error {
	switch {
	case errors.Is(err, merchants.ErrPasskeyKnown):
		if err := s.Flash(c, "passkey_ready"); err != nil {
			return err
		}
		return c.Redirect("/entrar", fiber.StatusSeeOther)
	case errors.Is(err, merchants.ErrCredentials):
		return refuse(components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.passkey_new")}})
	case err != nil:
		return err
	}
	return s.enter(c, token, from, next)
}
