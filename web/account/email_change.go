package account

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/requestid"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// registerEmailChange adds the pages for changing a verified address.
func (s *account) registerEmailChange(r fiber.Router) {
	r.Get(pages.NewEmailPath, s.Own(s.StepUp, s.newEmailForm)...)
	r.Post(pages.NewEmailPath, s.Own(s.Heavy, s.StepUp, s.askNewEmail)...)
	r.Post(pages.NewEmailPath+"/cancelar", s.Own(s.cancelNewEmail)...)
	r.Get("/confirmar-email", s.Public(s.newEmailLink)...)
	r.Post("/confirmar-email", s.Public(s.proveNewEmail)...)
}

// newEmailForm shows GET /trocar-email.
func (s *account) newEmailForm(c *fiber.Ctx) error { return s.showNewEmail(c, "", nil) }

func (s *account) showNewEmail(c *fiber.Ctx, email string, problems components.FieldErrors) error {
	v := page.Visitor(c)
	if !v.EmailVerified {
		return c.Redirect(page.VerifyPath, fiber.StatusSeeOther)
	}
	if v.StaffRole != nil {
		return c.Redirect(page.SecurityPath, fiber.StatusSeeOther)
	}
	return page.Render(c, pages.NewEmail(pages.NewEmailProps{AuthProps: s.AuthProps(c), Current: v.Email, Email: email,
		Errors: problems}))
}

// askNewEmail handles POST /trocar-email. Its answer is the same for every address.
func (s *account) askNewEmail(c *fiber.Ctx) error {
	email := page.Field(c, "email")
	if wait := s.Tries(c, "change/"+page.Visitor(c).UserID); wait != "" {
		return s.showNewEmail(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	if wait := s.TakeMail(c, page.Visitor(c).UserID); wait != "" {
		return s.showNewEmail(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	err := s.Merchants.AskEmailChange(c.UserContext(), page.Actor(c), email)
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewEmail(c, email, page.FormErrors(c, "new_", problems, "email"))
	case errors.Is(err, merchants.ErrTooSoon):
		c.Status(fiber.StatusTooManyRequests)
		return s.showNewEmail(c, email,
			components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.mail_too_soon")}})
	case errors.Is(err, merchants.ErrUnverified):
		return c.Redirect(page.VerifyPath, fiber.StatusSeeOther)
	}
	return s.secured(c, err, "email_change_sent")
}

// cancelNewEmail handles POST /trocar-email/cancelar.
func (s *account) cancelNewEmail(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.CancelEmailChange(c.UserContext(), page.Actor(c)), "email_change_cancelled")
}

// newEmailLink shows GET /confirmar-email, where the mail's link leads. The token in the
// address is a secret.
func (s *account) newEmailLink(c *fiber.Ctx) error {
	token := c.Query("token")
	email, err := s.Merchants.NewEmail(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadEmail)
	}
	return page.Render(c,
		pages.ProveEmail(pages.ProveEmailProps{AuthProps: s.AuthProps(c), Token: token, Email: email}))
}

// proveNewEmail handles POST /confirmar-email. A browser in which the person is logged in
// stays logged in.
func (s *account) proveNewEmail(c *fiber.Ctx) error {
	by, session, next := models.Actor{IP: c.IP(), RequestID: requestid.Of(c.UserContext())}, "", "/entrar"
	v, err := s.Merchants.Visitor(c.UserContext(), s.Token(c))
	if err == nil {
		by.UserID, by.AccountID, session, next = v.UserID, v.AccountID, v.ID, "/app"
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	err = s.Merchants.ChangeEmail(c.UserContext(), page.Field(c, "token"), by, session)
	if errors.Is(err, merchants.ErrEmailTaken) {
		c.Status(fiber.StatusConflict)
		return page.Render(c,
			pages.DeadLink(pages.DeadLinkProps{AuthProps: s.AuthProps(c), Kind: pages.DeadEmailTaken}))
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadEmail)
	}
	if err := s.Flash(c, "email_changed"); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}
