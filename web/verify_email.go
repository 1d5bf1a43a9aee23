package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// verifyPath is where somebody proves their address, and where a sign-up leads.
const verifyPath = "/verificar-email"

// verifyForm shows GET /verificar-email: with a link's token, the button that proves
// the address (programs that look at mails open links, so a GET proves nothing);
// without one, to whom a mail was sent and how to get another.
func (s *server) verifyForm(c *fiber.Ctx) error {
	token := c.Query("token")
	if token == "" {
		return s.person(c)
	}
	email, err := s.Merchants.CheckVerification(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadVerification)
	}
	return render(c, pages.VerifyEmail(pages.VerifyEmailProps{AuthProps: s.auth(c), Token: token, Email: email}))
}

// verify handles POST /verificar-email.
func (s *server) verify(c *fiber.Ctx) error {
	if err := s.Merchants.VerifyEmail(c.UserContext(), c.FormValue("token"), c.IP()); err != nil {
		return s.deadLink(c, err, pages.DeadVerification)
	}
	if err := s.flash(c, "email_verified"); err != nil {
		return err
	}
	if _, err := s.Merchants.Visitor(c.UserContext(), s.token(c)); errors.Is(err, models.ErrNotFound) {
		return c.Redirect("/entrar", fiber.StatusSeeOther)
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// unverified shows GET /verificar-email to whoever is logged in.
func (s *server) unverified(c *fiber.Ctx) error {
	return s.showUnverified(c, "", nil)
}

func (s *server) showUnverified(c *fiber.Ctx, email string, problems components.FieldErrors) error {
	v := visitor(c)
	if v.EmailVerified {
		return c.Redirect("/app", fiber.StatusSeeOther)
	}
	flash, err := s.takeFlash(c)
	if err != nil {
		return err
	}
	again, err := s.Merchants.VerificationDue(c.UserContext(), v.UserID)
	if err != nil {
		return err
	}
	return render(c, pages.UnverifiedEmail(pages.UnverifiedEmailProps{
		AuthProps: s.auth(c), Flash: flash, Email: v.Email, Other: email, Again: again, Now: s.Now(), Errors: problems,
	}))
}

// verifyFirst leads there from what only a proven address may do.
func (s *server) verifyFirst(c *fiber.Ctx) error {
	if err := s.flash(c, "verify_first"); err != nil {
		return err
	}
	return c.Redirect(verifyPath, fiber.StatusSeeOther)
}

// resendVerification handles POST /verificar-email/reenviar.
func (s *server) resendVerification(c *fiber.Ctx) error {
	return s.verificationSent(c, s.Merchants.SendVerification(c.UserContext(), actor(c)), "")
}

// correctEmail handles POST /verificar-email/trocar.
func (s *server) correctEmail(c *fiber.Ctx) error {
	email := c.FormValue("email")
	if wait := s.tries(c, "correct/"+visitor(c).UserID); wait != "" {
		return s.showUnverified(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	return s.verificationSent(c, s.Merchants.CorrectEmail(c.UserContext(), actor(c), email), email)
}

func (s *server) verificationSent(c *fiber.Ctx, err error, email string) error {
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showUnverified(c, email, fieldErrors(c, problems, "email"))
	case errors.Is(err, merchants.ErrTooSoon):
		c.Status(fiber.StatusTooManyRequests)
		return s.showUnverified(c, email, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.mail_too_soon")}})
	case err != nil:
		return err
	}
	if err := s.flash(c, "verification_sent"); err != nil {
		return err
	}
	return c.Redirect(verifyPath, fiber.StatusSeeOther)
}
