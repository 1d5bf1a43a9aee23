package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// The page of one's own password, codes and sessions: a member's, and that of staff.
const (
	securityPath    = "/app/configuracoes/seguranca"
	opsSecurityPath = "/ops/seguranca"
)

// registerSecurity adds the pages of what keeps a person's log-in theirs, at a path
// within r.
func (s *server) registerSecurity(r fiber.Router, path string) {
	r.Get(path, s.security)
	r.Post(path+"/senha", s.changePassword)
	r.Post(path+"/2fa/desativar", s.stepUp, s.disableTOTP)
	r.Post(path+"/2fa/codigos", s.stepUp, s.renewRecoveryCodes)
	r.Get(path+"/passkeys/:id", s.withPasskeys, s.readPasskey)
	r.Post(path+"/passkeys/:id", s.withPasskeys, s.stepUp, s.renamePasskey)
	r.Post(path+"/passkeys/:id/remover", s.withPasskeys, s.secondFirst, s.stepUp, s.removePasskey)
	r.Post(path+"/sessoes/encerrar", s.endOtherSessions)
	r.Post(path+"/sessoes/:id/encerrar", s.endSession)
}

// securityOf is the page that the request belongs to.
func securityOf(c *fiber.Ctx) string {
	if strings.HasPrefix(c.Path(), opsSecurityPath) {
		return opsSecurityPath
	}
	return securityPath
}

// security shows GET /app/configuracoes/seguranca and GET /ops/seguranca.
func (s *server) security(c *fiber.Ctx) error { return s.showSecurity(c, nil) }

func (s *server) showSecurity(c *fiber.Ctx, problems components.FieldErrors) error {
	v := visitor(c)
	db := s.DB.WithContext(c.UserContext())
	sessions, err := models.UserSessions(db, v.UserID, s.Now())
	if err != nil {
		return err
	}
	frame, err := s.securityFrame(c)
	if err != nil {
		return err
	}
	props := pages.SecurityProps{
		SecurityFrame: frame, EmailVerified: v.EmailVerified, FixedEmail: v.StaffRole != nil, HasPassword: v.HasPassword, TOTP: v.TOTPEnrolled, Errors: problems,
	}
	change, err := models.EmailChange(db, v.UserID, s.Now())
	if err == nil {
		props.NewEmail = &pages.EmailChange{Email: change.Email, Until: change.ExpiresAt}
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	if err := s.listPasskeys(c, &props); err != nil {
		return err
	}
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

// securityFrame is the console or the dashboard, around the page of the request.
func (s *server) securityFrame(c *fiber.Ctx) (frame pages.SecurityFrame, err error) {
	frame.Base = securityOf(c)
	if frame.Base == opsSecurityPath {
		ops, err := s.opsShell(c)
		if err != nil {
			return frame, err
		}
		ops.Path = frame.Base
		frame.Ops, frame.Shell = &ops, ops.Shell
		return frame, nil
	}
	frame.Shell, err = s.shell(c)
	frame.Shell.Path = frame.Base
	return frame, err
}

// changePassword handles POST …/senha. The old password is asked for, whenever it was
// last given: a screen that was left open must not be enough.
func (s *server) changePassword(c *fiber.Ctx) error {
	v := visitor(c)
	if !v.HasPassword {
		return s.firstPassword(c)
	}
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

// firstPasswordForm shows GET /app/configuracoes/seguranca/senha to who has only passkeys,
// which nobody of staff does.
func (s *server) firstPasswordForm(c *fiber.Ctx) error {
	if visitor(c).HasPassword {
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	return s.showFirstPassword(c, nil)
}

func (s *server) showFirstPassword(c *fiber.Ctx, problems components.FieldErrors) error {
	return render(c, pages.FirstPassword(pages.FirstPasswordProps{AuthProps: s.auth(c), Email: visitor(c).Email, Base: securityOf(c), Errors: problems}))
}

// firstPassword handles POST …/senha of somebody who has none. A password is never sent
// back, so that a proof that is asked for meanwhile leads to the form anew.
func (s *server) firstPassword(c *fiber.Ctx) error {
	v := visitor(c)
	if s.Now().Sub(v.ProvenAt) > provenFor {
		return c.Redirect(securityOf(c)+"/senha", fiber.StatusSeeOther)
	}
	err := s.Merchants.FirstPassword(c.UserContext(), v, actor(c), c.FormValue("password"))
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showFirstPassword(c, fieldErrors(c, problems, "password"))
	}
	if errors.Is(err, merchants.ErrCredentials) { // another page of theirs was faster
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	return s.secured(c, err, "password_created")
}

// secured goes back to the page and says what was done.
func (s *server) secured(c *fiber.Ctx, err error, flash string) error {
	if err == nil {
		err = s.flash(c, flash)
	}
	if err != nil {
		return err
	}
	return c.Redirect(securityOf(c), fiber.StatusSeeOther)
}

// disableTOTP handles POST …/2fa/desativar.
func (s *server) disableTOTP(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.DisableTOTP(c.UserContext(), actor(c)), "totp_disabled")
}

// renewRecoveryCodes handles POST …/2fa/codigos and shows the codes, this once.
func (s *server) renewRecoveryCodes(c *fiber.Ctx) error {
	if !visitor(c).TOTPEnrolled {
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	codes, err := s.Merchants.RenewRecoveryCodes(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	auth := s.auth(c)
	auth.Path = securityOf(c)
	return render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: auth, Codes: codes, Next: auth.Path}))
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
