package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// forgotForm shows GET /esqueci-senha.
func (s *server) forgotForm(c *fiber.Ctx) error {
	return render(c, pages.Forgot(pages.ForgotProps{AuthProps: s.auth(c), Email: c.Query("email")}))
}

// forgot handles POST /esqueci-senha. Its answer is the same for every address.
func (s *server) forgot(c *fiber.Ctx) error {
	props := pages.ForgotProps{AuthProps: s.auth(c), Email: c.FormValue("email")}
	if wait := s.tries(c, "reset/"+props.Email); wait != "" {
		props.Errors = components.FieldErrors{{Field: "email", Text: wait}}
		return render(c, pages.Forgot(props))
	}
	if !isEmail(props.Email) {
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = fieldErrors(c, merchants.Invalid{"email": merchants.Malformed}, "email")
		return render(c, pages.Forgot(props))
	}
	if err := s.Merchants.AskReset(c.UserContext(), props.Email); err != nil {
		return err
	}
	props.Sent = true
	return render(c, pages.Forgot(props))
}

// resetForm shows GET /redefinir-senha, where the link of the mail leads.
func (s *server) resetForm(c *fiber.Ctx) error {
	token := c.Query("token")
	if err := s.Merchants.CheckReset(c.UserContext(), token); err != nil {
		return s.deadLink(c, err, pages.DeadReset)
	}
	return render(c, pages.Reset(pages.ResetProps{AuthProps: s.auth(c), Token: token}))
}

// reset handles POST /redefinir-senha.
func (s *server) reset(c *fiber.Ctx) error {
	token := c.FormValue("token")
	err := s.Merchants.ResetPassword(c.UserContext(), token, c.FormValue("password"), c.IP())
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return render(c, pages.Reset(pages.ResetProps{AuthProps: s.auth(c), Token: token, Errors: fieldErrors(c, problems, "password")}))
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadReset)
	}
	s.session(c).Values = map[any]any{}
	if err := s.flash(c, "password_reset"); err != nil {
		return err
	}
	return c.Redirect("/entrar", fiber.StatusSeeOther)
}

// deadLink says that a mail's link works no more, and what to do.
func (s *server) deadLink(c *fiber.Ctx, err error, kind pages.DeadLinkKind) error {
	if !errors.Is(err, merchants.ErrLink) {
		return err
	}
	c.Status(fiber.StatusNotFound)
	return render(c, pages.DeadLink(pages.DeadLinkProps{AuthProps: s.auth(c), Kind: kind}))
}
