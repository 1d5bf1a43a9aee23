package web

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/pix/qr"
	"garoupa/totp"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// codeForm shows GET /2fa, the second half of a log-in.
func (s *server) codeForm(c *fiber.Ctx) error {
	return s.showCodeForm(c, local(c.Query("next"), "/app"), "")
}

// showCodeForm asks for a code, or a passkey, where a session may be given one; else for
// a log-in.
func (s *server) showCodeForm(c *fiber.Ctx, next, problem string) error {
	session, err := s.Merchants.Session(c.UserContext(), s.token(c))
	if errors.Is(err, models.ErrNotFound) {
		c.Status(fiber.StatusOK) // what was wrong with a code matters no more
		return c.Redirect("/entrar?next="+url.QueryEscape(next), fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	props := pages.CodeProps{AuthProps: s.auth(c), Next: next}
	if props.ByCode, props.ByKey, err = models.SecondFactors(c.UserContext(), s.DB.Pool, session.UserID); err != nil {
		return err
	}
	props.ByKey = props.ByKey && s.offersPasskeys()
	props.ByCode = props.ByCode || !props.ByKey // who has neither is asked for one that there is not
	props.Recovery = props.ByCode && c.FormValue("recuperacao") != ""
	if problem != "" {
		props.Errors = components.FieldErrors{{Field: "code", Text: problem}}
	}
	return render(c, pages.Code(props))
}

// logInWithCode handles POST /2fa.
func (s *server) logInWithCode(c *fiber.Ctx) error {
	next := local(c.FormValue("next"), "/app")
	session, err := s.Merchants.Session(c.UserContext(), s.token(c))
	if errors.Is(err, models.ErrNotFound) {
		return s.showCodeForm(c, next, "")
	} else if err != nil {
		return err
	}
	if wait := s.codeTries(c, session.UserID); wait != "" {
		return s.showCodeForm(c, next, wait)
	}
	err = s.Merchants.LogInWithCode(c.UserContext(), s.token(c), c.FormValue("code"))
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, models.ErrNotFound) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showCodeForm(c, next, i18n.T(c.UserContext(), "problem.code"))
	} else if err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// totpForm shows GET /2fa/ativar: the secret for a code generator, as a QR code and in
// letters.
func (s *server) totpForm(c *fiber.Ctx) error {
	return s.showTOTPForm(c, local(c.Query("next"), securityPath), "")
}

func (s *server) showTOTPForm(c *fiber.Ctx, next, problem string) error {
	v := visitor(c)
	secret, err := s.Merchants.BeginTOTP(c.UserContext(), v.UserID)
	if errors.Is(err, merchants.ErrEnrolled) {
		c.Status(fiber.StatusOK)
		return c.Redirect(next, fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	address := totp.URL(layouts.Brand, v.Email, secret)
	symbol, err := qr.SVG(address) // not by the cache, which keeps what it draws
	if err != nil {
		return err
	}
	props := pages.TOTPProps{
		AuthProps: s.auth(c), Next: next, Secret: secret, URL: address, Staff: v.StaffRole != nil, ByKey: s.offersPasskeys(),
		QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules, Label: i18n.T(c.UserContext(), "totp.qr_label")},
	}
	if problem != "" {
		props.Errors = components.FieldErrors{{Field: "code", Text: problem}}
	}
	return render(c, pages.TOTP(props))
}

// enrolTOTP handles POST /2fa/ativar and shows the recovery codes, this once.
func (s *server) enrolTOTP(c *fiber.Ctx) error {
	v, next := visitor(c), local(c.FormValue("next"), securityPath)
	if wait := s.codeTries(c, v.UserID); wait != "" {
		return s.showTOTPForm(c, next, wait)
	}
	recovery, err := s.Merchants.EnrolTOTP(c.UserContext(), v, actor(c), c.FormValue("code"))
	switch {
	case errors.Is(err, merchants.ErrCredentials):
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showTOTPForm(c, next, i18n.T(c.UserContext(), "problem.code"))
	case errors.Is(err, merchants.ErrEnrolled):
		return c.Redirect(next, fiber.StatusSeeOther)
	case err != nil:
		return err
	}
	return render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: s.auth(c), Codes: recovery, Next: next, Enrolled: true}))
}
