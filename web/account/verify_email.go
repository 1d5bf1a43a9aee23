package account

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// verifyForm shows GET /verificar-email. With a link's token it shows the button that verifies
// the address: programs that scan mails open links, so a GET must not verify anything. Without
// a token it shows where the mail was sent and how to get another.
func (s *account) verifyForm(c *fiber.Ctx) error {
	token := c.Query("token")
	if token == "" {
		return s.Person(c)
	}
	email, err := s.Merchants.CheckVerification(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadVerification)
	}
	return page.Render(c,
		pages.VerifyEmail(pages.VerifyEmailProps{AuthProps: s.AuthProps(c), Token: token, Email: email}))
}

// verify handles POST /verificar-email.
func (s *account) verify(c *fiber.Ctx) error {
	if err := s.Merchants.VerifyEmail(c.UserContext(), page.Field(c, "token"), c.IP()); err != nil {
		return s.deadLink(c, err, pages.DeadVerification)
	}
	if err := s.Flash(c, "email_verified"); err != nil {
		return err
	}
	if _, err := s.Merchants.Visitor(c.UserContext(), s.Token(c)); errors.Is(err, models.ErrNotFound) {
		return c.Redirect("/entrar", fiber.StatusSeeOther)
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// unverified shows GET /verificar-email to a person who is logged in.
func (s *account) unverified(c *fiber.Ctx) error {
	return s.showUnverified(c, "", nil)
}

func (s *account) showUnverified(c *fiber.Ctx, email string, problems components.FieldErrors) error {
	v := page.Visitor(c)
	if v.EmailVerified {
		return c.Redirect("/app", fiber.StatusSeeOther)
	}
	flash, err := s.TakeFlash(c)
	if err != nil {
		return err
	}
	again, err := s.Merchants.VerificationDue(c.UserContext(), v.UserID)
	if err != nil {
		return err
	}
	return page.Render(c, pages.UnverifiedEmail(pages.UnverifiedEmailProps{
		AuthProps: s.AuthProps(c), Flash: flash, Email: v.Email, Other: email, Again: again, Now: s.Now(),
		Errors: problems,
	}))
}

// resendVerification handles POST /verificar-email/reenviar.
func (s *account) resendVerification(c *fiber.Ctx) error {
	return s.verificationSent(c, s.Merchants.SendVerification(c.UserContext(), page.Actor(c)), "")
}

// correctEmail handles POST /verificar-email/trocar.
func (s *account) correctEmail(c *fiber.Ctx) error {
	email := page.Field(c, "email")
	if wait := s.Tries(c, "correct/"+page.Visitor(c).UserID); wait != "" {
		return s.showUnverified(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	if wait := s.TakeMail(c, page.Visitor(c).UserID); wait != "" {
		return s.showUnverified(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	return s.verificationSent(c, s.Merchants.CorrectEmail(c.UserContext(), page.Actor(c), email), email)
}

func (s *account) verificationSent(c *fiber.Ctx, err error, email string) error {
	problems, invalid := errors.AsType[merchants.Invalid](err)
	flash := "verification_sent"
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showUnverified(c, email, page.FieldErrors(c, problems, "email"))
	case errors.Is(err, merchants.ErrTooSoon):
		c.Status(fiber.StatusTooManyRequests)
		return s.showUnverified(c, email,
			components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.mail_too_soon")}})
	case errors.Is(err, merchants.ErrVerified):
		flash = "verified_before"
	case err != nil:
		return err
	}
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(page.VerifyPath, fiber.StatusSeeOther)
}
