package account

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// registerSecurity adds the security pages of a person at a path within r.
func (s *account) registerSecurity(r fiber.Router, path string) {
	r.Get(path, s.security)
	r.Post(path+"/senha", s.Heavy, s.byPassword(s.changePassword))
	r.Post(path+"/2fa/desativar", s.StepUp, s.disableTOTP)
	r.Post(path+"/2fa/codigos", s.StepUp, s.renewRecoveryCodes)
	r.Get(path+"/passkeys/:id", s.withPasskeys, s.readPasskey)
	r.Post(path+"/passkeys/:id", s.withPasskeys, s.StepUp, s.renamePasskey)
	r.Post(path+"/passkeys/:id/remover", s.withPasskeys, s.secondFirst, s.StepUp, s.removePasskey)
	r.Post(path+"/provedor/desligar", s.StepUp, s.unlink)
	r.Post(path+"/sessoes/encerrar", s.StepUp, s.endOtherSessions)
	r.Post(path+"/sessoes/:id/encerrar", s.StepUp, s.endSession)
}

// securityOf returns the path of the security page to which the request belongs.
func securityOf(c *fiber.Ctx) string {
	if strings.HasPrefix(c.Path(), page.OpsSecurityPath) {
		return page.OpsSecurityPath
	}
	return page.SecurityPath
}

// security shows GET /app/configuracoes/seguranca and GET /ops/seguranca.
func (s *account) security(c *fiber.Ctx) error { return s.showSecurity(c, nil) }

func (s *account) showSecurity(c *fiber.Ctx, problems components.FieldErrors) error {
	v := page.Visitor(c)
	sessions, err := models.UserSessions(c.UserContext(), s.DB, v.UserID, s.Now())
	if err != nil {
		return err
	}
	frame, err := s.securityFrame(c)
	if err != nil {
		return err
	}
	props := pages.SecurityProps{
		SecurityFrame: frame, EmailVerified: v.EmailVerified, FixedEmail: v.StaffRole != nil,
		HasPassword: v.HasPassword, TOTP: v.TOTPEnrolled, Errors: problems, SSO: s.sso(),
	}
	change, err := models.EmailChange(c.UserContext(), s.DB, v.UserID, s.Now())
	if err == nil {
		props.NewEmail = &pages.EmailChange{Email: change.Email, Until: change.ExpiresAt}
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	if err := s.listPasskeys(c, &props); err != nil {
		return err
	}
	if props.HasRecovery = s.hasRecovery(v); props.HasRecovery {
		if props.RecoveryLeft, err = models.RecoveryCodesLeft(c.UserContext(), s.DB.Pool, v.UserID); err != nil {
			return err
		}
	}
	if props.Linked, err = models.IsLinked(c.UserContext(), s.DB.Pool, v.UserID); err != nil {
		return err
	}
	if props.LogIns, err = s.logIns(c, v.UserID); err != nil {
		return err
	}
	for _, session := range sessions {
		props.Sessions = append(props.Sessions, pages.SessionRow{
			ID: session.ID, Device: page.Device(session.UserAgent), IP: session.IP, SeenAt: session.LastSeenAt,
			Current: session.ID == v.ID,
		})
	}
	return page.Render(c, pages.Security(props))
}

// securityFrame returns the frame of the console or of the dashboard, whichever the request
// belongs to.
func (s *account) securityFrame(c *fiber.Ctx) (frame pages.SecurityFrame, err error) {
	frame.Base = securityOf(c)
	if frame.Base == page.OpsSecurityPath {
		ops, err := s.ConsoleShell(c)
		if err != nil {
			return frame, err
		}
		frame.Ops, frame.Shell = &ops, ops.Shell
		return frame, nil
	}
	frame.Shell, err = s.Shell(c)
	return frame, err
}

// changePassword handles POST …/senha. It always asks for the old password, so that an
// unattended screen is not enough.
func (s *account) changePassword(c *fiber.Ctx) error {
	v := page.Visitor(c)
	if !v.HasPassword {
		return s.firstPassword(c)
	}
	if wait := s.Tries(c, v.Email); wait != "" {
		return s.showSecurity(c, components.FieldErrors{{Field: "current", Text: wait}})
	}
	err := s.Merchants.ChangePassword(c.UserContext(), v, page.Actor(c), page.Field(c, "current"),
		page.Field(c, "password"))
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSecurity(c,
			components.FieldErrors{{Field: "current", Text: i18n.T(c.UserContext(), "problem.proof_password")}})
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSecurity(c, page.FieldErrors(c, problems, "password"))
	}
	return s.secured(c, err, "password_changed")
}

// firstPasswordForm shows GET /app/configuracoes/seguranca/senha to members who have only
// passkeys. Staff always have a password.
func (s *account) firstPasswordForm(c *fiber.Ctx) error {
	if page.Visitor(c).HasPassword {
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	return s.showFirstPassword(c, nil)
}

func (s *account) showFirstPassword(c *fiber.Ctx, problems components.FieldErrors) error {
	return page.Render(c, pages.FirstPassword(pages.FirstPasswordProps{AuthProps: s.AuthProps(c),
		Email: page.Visitor(c).Email, Base: securityOf(c), Errors: problems}))
}

// firstPassword handles POST …/senha of a person without a password. Passwords are never sent
// back to a browser, so if a proof is required first, it leads to an empty form.
func (s *account) firstPassword(c *fiber.Ctx) error {
	v := page.Visitor(c)
	if s.Now().Sub(v.ProvenAt) > page.ProvenFor {
		return c.Redirect(securityOf(c)+"/senha", fiber.StatusSeeOther)
	}
	recovery, err := s.Merchants.FirstPassword(c.UserContext(), v, page.Actor(c), page.Field(c, "password"))
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showFirstPassword(c, page.FieldErrors(c, problems, "password"))
	}
	if errors.Is(err, merchants.ErrCredentials) { // another request of the same person was first
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	if err != nil || len(recovery) == 0 {
		return s.secured(c, err, "password_created")
	}
	return s.showRecovery(c, recovery, pages.RecoveryPassword)
}

// secured redirects to the security page with a message.
func (s *account) secured(c *fiber.Ctx, err error, flash string) error {
	if err == nil {
		err = s.Flash(c, flash)
	}
	if err != nil {
		return err
	}
	return c.Redirect(securityOf(c), fiber.StatusSeeOther)
}

// disableTOTP handles POST …/2fa/desativar.
func (s *account) disableTOTP(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.DisableTOTP(c.UserContext(), page.Actor(c)), "totp_disabled")
}

// renewRecoveryCodes handles POST …/2fa/codigos and shows the codes, this once.
func (s *account) renewRecoveryCodes(c *fiber.Ctx) error {
	if !s.hasRecovery(page.Visitor(c)) {
		return c.Redirect(securityOf(c), fiber.StatusSeeOther)
	}
	codes, err := s.Merchants.RenewRecoveryCodes(c.UserContext(), page.Actor(c))
	if err != nil {
		return err
	}
	return s.showRecovery(c, codes, pages.RecoveryRenewed)
}

// hasRecovery reports whether the visitor's log-in has a second step, for which there are recovery
// codes.
func (s *account) hasRecovery(v *models.Visitor) bool {
	return v.TOTPEnrolled || v.HasPassword && s.HasSecondFactor(v)
}

// showRecovery shows recovery codes, and leads back to the security page.
func (s *account) showRecovery(c *fiber.Ctx, codes []string, cause pages.RecoveryCause) error {
	auth := s.AuthProps(c)
	auth.Path = securityOf(c)
	return page.Render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: auth, Codes: codes, Next: auth.Path,
		Cause: cause}))
}

// endSession handles POST …/sessoes/:id/encerrar.
func (s *account) endSession(c *fiber.Ctx) error {
	if err := s.Merchants.EndSession(c.UserContext(), page.Actor(c), c.Params("id")); err != nil {
		return fmt.Errorf("account: end session: %w", err)
	}
	return s.secured(c, nil, "session_ended")
}

// endOtherSessions handles POST …/sessoes/encerrar.
func (s *account) endOtherSessions(c *fiber.Ctx) error {
	return s.secured(c, s.Merchants.EndOtherSessions(c.UserContext(), page.Visitor(c), page.Actor(c)), "sessions_ended")
}
