package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/requestid"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// registerEmailChange adds the pages by which a person changes a proven address.
func (s *server) registerEmailChange(r fiber.Router) {
	r.Get(pages.NewEmailPath, s.own(s.stepUp, s.newEmailForm)...)
	r.Post(pages.NewEmailPath, s.own(s.stepUp, s.askNewEmail)...)
	r.Post(pages.NewEmailPath+"/cancelar", s.own(s.cancelNewEmail)...)
	r.Get("/confirmar-email", s.public(s.newEmailLink)...)
	r.Post("/confirmar-email", s.public(s.proveNewEmail)...)
}

// newEmailForm shows GET /trocar-email.
func (s *server) newEmailForm(c *fiber.Ctx) error { return s.showNewEmail(c, "", nil) }

func (s *server) showNewEmail(c *fiber.Ctx, email string, problems components.FieldErrors) error {
	v := visitor(c)
	if !v.EmailVerified {
		return c.Redirect(verifyPath, fiber.StatusSeeOther)
	}
	if v.StaffRole != nil {
		return c.Redirect(securityPath, fiber.StatusSeeOther)
	}
	return render(c, pages.NewEmail(pages.NewEmailProps{AuthProps: s.auth(c), Current: v.Email, Email: email, Errors: problems}))
}

// askNewEmail handles POST /trocar-email. Its answer is the same for every address.
func (s *server) askNewEmail(c *fiber.Ctx) error {
	email := c.FormValue("email")
	if wait := s.tries(c, "change/"+visitor(c).UserID); wait != "" {
		return s.showNewEmail(c, email, components.FieldErrors{{Field: "email", Text: wait}})
	}
	err := s.Merchants.AskEmailChange(c.UserContext(), actor(c), email)
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewEmail(c, email, errorsOf(c, "new_", problems, "email"))
	case errors.Is(err, merchants.ErrTooSoon):
		c.Status(fiber.StatusTooManyRequests)
		return s.showNewEmail(c, email, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.mail_too_soon")}})
	case errors.Is(err, merchants.ErrUnverified):
		return c.Redirect(verifyPath, fiber.StatusSeeOther)
	}
	return s.secured(c, err, "email_change_sent")
}

// cancelNewEmail handles POST /trocar-email/cancelar.
func (s *server) cancelNewEmail(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.CancelEmailChange(c.UserContext(), actor(c)), "email_change_cancelled")
}

// newEmailLink shows GET /confirmar-email, where the link of the mail leads. The page's
// address holds the link, so nothing may be told of it.
func (s *server) newEmailLink(c *fiber.Ctx) error {
	token := c.Query("token")
	email, err := s.Merchants.NewEmail(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadEmail)
	}
	return render(c, pages.ProveEmail(pages.ProveEmailProps{AuthProps: s.auth(c), Token: token, Email: email}))
}

// proveNewEmail handles POST /confirmar-email. A browser that is logged in as the person
// stays so.
func (s *server) proveNewEmail(c *fiber.Ctx) error {
	by, session, next := merchants.Actor{IP: c.IP(), RequestID: requestid.Of(c.UserContext())}, "", "/entrar"
	v, err := s.Merchants.Visitor(c.UserContext(), s.token(c))
	if err == nil {
		by.UserID, by.AccountID, session, next = v.UserID, v.AccountID, v.ID, "/app"
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	err = s.Merchants.ChangeEmail(c.UserContext(), c.FormValue("token"), by, session)
	if errors.Is(err, merchants.ErrEmailTaken) {
		c.Status(fiber.StatusConflict)
		return render(c, pages.DeadLink(pages.DeadLinkProps{AuthProps: s.auth(c), Kind: pages.DeadEmailTaken}))
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadEmail)
	}
	if err := s.flash(c, "email_changed"); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}
