package web

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// securityPath is the page of one's own password, codes and sessions.
const securityPath = "/app/configuracoes/seguranca"

// registerSecurity adds the pages of what keeps a person's log-in theirs.
func (s *server) registerSecurity(app fiber.Router) {
	app.Get("/configuracoes", func(c *fiber.Ctx) error { return c.Redirect(securityPath, fiber.StatusSeeOther) })
	app.Get("/configuracoes/seguranca", s.security)
	app.Post("/configuracoes/seguranca/senha", s.changePassword)
	app.Post("/configuracoes/seguranca/2fa/desativar", s.stepUp, s.disableTOTP)
	app.Post("/configuracoes/seguranca/2fa/codigos", s.stepUp, s.renewRecoveryCodes)
	app.Post("/configuracoes/seguranca/sessoes/encerrar", s.endOtherSessions)
	app.Post("/configuracoes/seguranca/sessoes/:id/encerrar", s.endSession)
}

// security shows GET /app/configuracoes/seguranca.
func (s *server) security(c *fiber.Ctx) error { return s.showSecurity(c, nil) }

func (s *server) showSecurity(c *fiber.Ctx, problems components.FieldErrors) error {
	v := visitor(c)
	sessions, err := models.UserSessions(s.DB.WithContext(c.UserContext()), v.UserID, s.Now())
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	if c.Method() != fiber.MethodGet {
		shell.Path = securityPath
	}
	props := pages.SecurityProps{Shell: shell, EmailVerified: v.EmailVerified, TOTP: v.TOTPEnrolled, Errors: problems}
	if v.TOTPEnrolled {
		if props.RecoveryLeft, err = models.RecoveryCodesLeft(c.UserContext(), s.DB.Pool, v.UserID); err != nil {
			return err
		}
	}
	for _, session := range sessions {
		props.Sessions = append(props.Sessions, pages.SessionRow{
			ID: session.ID, Device: device(session.UserAgent), IP: session.IP, SeenAt: session.LastSeenAt, Current: session.ID == v.ID,
		})
	}
	return render(c, pages.Security(props))
}

// changePassword handles POST …/senha. The old password is asked for, whenever it was
// last given: a screen that was left open must not be enough.
func (s *server) changePassword(c *fiber.Ctx) error {
	v := visitor(c)
	if wait := s.tries(c, v.Email); wait != "" {
		return s.showSecurity(c, components.FieldErrors{{Field: "current", Text: wait}})
	}
	err := s.Merchants.ChangePassword(c.UserContext(), v, actor(c), c.FormValue("current"), c.FormValue("password"))
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSecurity(c, components.FieldErrors{{Field: "current", Text: i18n.T(c.UserContext(), "problem.proof_password")}})
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSecurity(c, fieldErrors(c, problems, "password"))
	}
	return s.secured(c, err, "password_changed")
}

// secured goes back to the page and says what was done.
func (s *server) secured(c *fiber.Ctx, err error, flash string) error {
	if err == nil {
		err = s.flash(c, flash)
	}
	if err != nil {
		return err
	}
	return c.Redirect(securityPath, fiber.StatusSeeOther)
}

// disableTOTP handles POST …/2fa/desativar.
func (s *server) disableTOTP(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.DisableTOTP(c.UserContext(), actor(c)), "totp_disabled")
}

// renewRecoveryCodes handles POST …/2fa/codigos and shows the codes, this once.
func (s *server) renewRecoveryCodes(c *fiber.Ctx) error {
	if !visitor(c).TOTPEnrolled {
		return c.Redirect(securityPath, fiber.StatusSeeOther)
	}
	codes, err := s.Merchants.RenewRecoveryCodes(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	auth := s.auth(c)
	auth.Path = securityPath
	return render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: auth, Codes: codes, Next: securityPath}))
}

// endSession handles POST …/sessoes/:id/encerrar.
func (s *server) endSession(c *fiber.Ctx) error {
	if err := s.Merchants.EndSession(c.UserContext(), actor(c), c.Params("id")); err != nil {
		return fmt.Errorf("web: end session: %w", err)
	}
	return s.secured(c, nil, "session_ended")
}

// endOtherSessions handles POST …/sessoes/encerrar.
func (s *server) endOtherSessions(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.EndOtherSessions(c.UserContext(), visitor(c), actor(c)), "sessions_ended")
}
