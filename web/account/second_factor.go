package account

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/totp"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/pix/qr"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// codeForm shows GET /2fa, the second step of a log-in.
func (s *account) codeForm(c *fiber.Ctx) error {
	return s.showCodeForm(c, page.Local(c.Query("next"), "/app"), "")
}

// showCodeForm asks for a code or a passkey if the session can be completed with one;
// otherwise it redirects to the log-in.
func (s *account) showCodeForm(c *fiber.Ctx, next, problem string) error {
	session, err := s.Merchants.Session(c.UserContext(), s.Token(c))
	if errors.Is(err, models.ErrNotFound) {
		c.Status(fiber.StatusOK) // the form is shown anew, without an error's status
		return c.Redirect("/entrar?next="+url.QueryEscape(next), fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	props := pages.CodeProps{AuthProps: s.AuthProps(c), Next: next}
	if props.ByCode, props.ByKey, err = models.SecondFactors(c.UserContext(), s.DB.Pool, session.UserID); err != nil {
		return err
	}
	props.ByKey = props.ByKey && s.OffersPasskeys()
	props.ByCode = props.ByCode || !props.ByKey // without either factor the page asks for a code
	props.Recovery = page.Field(c, "recovery") != "" || c.Query("recovery") != ""
	if problem != "" {
		props.Errors = components.FieldErrors{{Field: "code", Text: problem}}
	}
	return page.Render(c, pages.Code(props))
}

// logInWithCode handles POST /2fa.
func (s *account) logInWithCode(c *fiber.Ctx) error {
	next := page.Local(page.Field(c, "next"), "/app")
	session, err := s.Merchants.Session(c.UserContext(), s.Token(c))
	if errors.Is(err, models.ErrNotFound) {
		return s.showCodeForm(c, next, "")
	} else if err != nil {
		return err
	}
	user, err := models.UserByID(c.UserContext(), s.DB, session.UserID)
	if err != nil {
		return err
	}
	guess, wait, err := s.GuessCode(c, session.ID, user.Email)
	if err != nil {
		return err
	} else if wait != "" {
		return s.showCodeForm(c, next, wait)
	}
	from := s.LogInFrom(c)
	token, err := s.Merchants.LogInWithCode(c.UserContext(), s.Token(c), page.Field(c, "code"), from)
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, models.ErrNotFound) {
		c.Status(fiber.StatusUnprocessableEntity)
		wrong := "problem.code"
		if page.Field(c, "recovery") != "" {
			wrong = "problem.recovery_code"
		}
		return s.showCodeForm(c, next, i18n.T(c.UserContext(), wrong))
	} else if err != nil {
		return err
	}
	guess.Right()
	if err := s.KeepToken(c, token); err != nil {
		return err
	}
	if err := s.Remember(c, token, from); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// totpForm shows GET /2fa/ativar: the secret for a code generator, as a QR code and in
// letters.
func (s *account) totpForm(c *fiber.Ctx) error {
	return s.showTOTPForm(c, page.Local(c.Query("next"), page.SecurityPath), "")
}

func (s *account) showTOTPForm(c *fiber.Ctx, next, problem string) error {
	v := page.Visitor(c)
	secret, err := s.Merchants.BeginTOTP(c.UserContext(), v.UserID)
	if errors.Is(err, merchants.ErrEnrolled) {
		c.Status(fiber.StatusOK)
		return c.Redirect(next, fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	address := totp.URL(layouts.Brand, v.Email, secret)
	symbol, err := qr.SVG(address) // not drawn by the cache, which would keep the secret
	if err != nil {
		return err
	}
	props := pages.TOTPProps{
		AuthProps: s.AuthProps(c), Next: next, Secret: secret, URL: address, Need: page.NeedOf(c),
		ByKey: s.OffersPasskeys(),
		QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules,
			Label: i18n.T(c.UserContext(), "totp.qr_label")},
	}
	if problem != "" {
		props.Errors = components.FieldErrors{{Field: "code", Text: problem}}
	}
	return page.Render(c, pages.TOTP(props))
}

// enrolTOTP handles POST /2fa/ativar and shows the recovery codes, this once.
func (s *account) enrolTOTP(c *fiber.Ctx) error {
	v, next := page.Visitor(c), page.Local(page.Field(c, "next"), page.SecurityPath)
	if wait := s.CodeTries(c, v.ID); wait != "" {
		return s.showTOTPForm(c, next, wait)
	}
	recovery, err := s.Merchants.EnrollTOTP(c.UserContext(), v, page.Actor(c), page.Field(c, "code"))
	switch {
	case errors.Is(err, merchants.ErrCredentials):
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showTOTPForm(c, next, i18n.T(c.UserContext(), "problem.code"))
	case errors.Is(err, merchants.ErrEnrolled):
		return c.Redirect(next, fiber.StatusSeeOther)
	case err != nil:
		return err
	}
	return page.Render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: s.AuthProps(c), Codes: recovery,
		Next: next, Cause: pages.RecoveryEnrolled}))
}
