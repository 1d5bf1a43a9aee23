package account

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/merchants"
	"garoupa/views/components"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// forgotForm shows GET /esqueci-senha.
func (s *account) forgotForm(c *fiber.Ctx) error {
	return page.Render(c, pages.Forgot(pages.ForgotProps{AuthProps: s.AuthProps(c), Email: c.Query("email")}))
}

// forgot handles POST /esqueci-senha. Its answer is the same for every address.
func (s *account) forgot(c *fiber.Ctx) error {
	props := pages.ForgotProps{AuthProps: s.AuthProps(c), Email: page.Field(c, "email")}
	if wait := s.Tries(c, "reset/"+props.Email); wait != "" {
		props.Errors = components.FieldErrors{{Field: "email", Text: wait}}
		return page.Render(c, pages.Forgot(props))
	}
	if !input.MemberEmail(props.Email) {
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = page.FieldErrors(c, merchants.Invalid{"email": merchants.Malformed}, "email")
		return page.Render(c, pages.Forgot(props))
	}
	if wait := s.TakeMail(c, page.AddressKey(c)); wait != "" {
		props.Errors = components.FieldErrors{{Field: "email", Text: wait}}
		return page.Render(c, pages.Forgot(props))
	}
	if err := s.Merchants.AskReset(c.UserContext(), props.Email); err != nil {
		return err
	}
	props.Sent = true
	return page.Render(c, pages.Forgot(props))
}

// resetForm shows GET /redefinir-senha, where the mail's link leads.
func (s *account) resetForm(c *fiber.Ctx) error {
	token := c.Query("token")
	replaces, err := s.Merchants.CheckReset(c.UserContext(), token)
	if err != nil {
		return s.deadLink(c, err, pages.DeadReset)
	}
	return page.Render(c, pages.Reset(pages.ResetProps{AuthProps: s.AuthProps(c), Token: token,
		ReplacesPasskeys: replaces}))
}

// reset handles POST /redefinir-senha.
func (s *account) reset(c *fiber.Ctx) error {
	token := page.Field(c, "token")
	err := s.Merchants.ResetPassword(c.UserContext(), token, page.Field(c, "password"), c.IP())
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return page.Render(c, pages.Reset(pages.ResetProps{AuthProps: s.AuthProps(c), Token: token,
			Errors: page.FieldErrors(c, problems, "password")}))
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadReset)
	}
	if err := s.KeepToken(c, ""); err != nil {
		return err
	}
	if err := s.Flash(c, "password_reset"); err != nil {
		return err
	}
	return c.Redirect("/entrar", fiber.StatusSeeOther)
}

// deadLink says that a mail's link does not work any more, and what to do.
func (s *account) deadLink(c *fiber.Ctx, err error, kind pages.DeadLinkKind) error {
	if !errors.Is(err, merchants.ErrLink) {
		return err
	}
	c.Status(fiber.StatusNotFound)
	return page.Render(c, pages.DeadLink(pages.DeadLinkProps{AuthProps: s.AuthProps(c), Kind: kind}))
}
