package account

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/passkey"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// answerField is the form field with the browser's answer about a passkey.
const answerField = "passkey"

// newPasskeyPath is the page that creates a passkey, for members and for staff.
const newPasskeyPath = "/2fa/passkey"

// registerPasskeys adds the routes for logging in with passkeys and for creating them.
func (s *account) registerPasskeys(r fiber.Router) {
	r.Post("/entrar/passkey/pedido", append(s.Public(s.withPasskeys), s.askPasskeyLogIn)...)
	r.Post("/entrar/passkey", append(s.Public(s.withPasskeys), s.logInWithPasskey)...)
	r.Post("/cadastro/passkey", append(s.Public(s.withPasskeys), s.byPassword(s.askSignUpPasskey))...)
	r.Post(page.InvitePath+":token/passkey", append(s.Public(s.withPasskeys), s.byPassword(s.askJoinPasskey))...)
	r.Post(page.ConfirmPath+"/passkey", s.Own(s.withPasskeys, s.askPasskeyProof)...)
	r.Get(newPasskeyPath, s.Own(s.withPasskeys, s.secondFirst, s.StepUp, s.passkeyForm)...)
	r.Post(newPasskeyPath, s.Own(s.withPasskeys, s.secondFirst, s.StepUp, s.addPasskey)...)
	r.Post(newPasskeyPath+"/pedido", s.Own(s.withPasskeys, s.askNewPasskey)...)
}

// withPasskeys answers 404 if this installation offers no passkeys.
func (s *account) withPasskeys(c *fiber.Ctx) error {
	if !s.OffersPasskeys() {
		return fiber.ErrNotFound
	}
	return c.Next()
}

// secondFirst requires staff to use their existing second factor before they change second
// factors. Otherwise a person who knows only the password could add one.
func (s *account) secondFirst(c *fiber.Ctx) error {
	if v := page.Visitor(c); v.StaffRole != nil && !v.SecondFactor && s.HasSecondFactor(v) {
		next := c.OriginalURL()
		if c.Method() != fiber.MethodGet {
			next = page.OpsSecurityPath
		}
		return c.Redirect("/2fa?next="+url.QueryEscape(next), fiber.StatusSeeOther)
	}
	return c.Next()
}

// passkeyForm shows GET /2fa/passkey.
func (s *account) passkeyForm(c *fiber.Ctx) error {
	return s.showPasskeyForm(c, page.Local(c.Query("next"), page.SecurityPath),
		page.System(c.Get(fiber.HeaderUserAgent)), nil)
}

func (s *account) showPasskeyForm(c *fiber.Ctx, next, name string, problems components.FieldErrors) error {
	v := page.Visitor(c)
	return page.Render(c, pages.NewPasskey(pages.NewPasskeyProps{
		AuthProps: s.AuthProps(c), Name: name, Next: next, Need: page.NeedOf(c), HasPassword: v.HasPassword,
		Errors: problems,
	}))
}

// askNewPasskey handles POST /2fa/passkey/pedido. It returns the options for creating a
// passkey.
func (s *account) askNewPasskey(c *fiber.Ctx) error {
	options, err := s.Merchants.AskNewPasskey(c.UserContext(), page.Visitor(c))
	if errors.Is(err, merchants.ErrPasskeys) {
		return fiber.ErrConflict
	}
	return sendOptions(c, options, err)
}

// sendOptions sends the options for the browser's passkey call to the script.
func sendOptions(c *fiber.Ctx, options []byte, err error) error {
	if err != nil {
		return err
	}
	c.Type("json", "utf-8")
	return c.Send(options)
}

// addPasskey handles POST /2fa/passkey. It shows the recovery codes, this once, of a person who
// gets some.
func (s *account) addPasskey(c *fiber.Ctx) error {
	v, name := page.Visitor(c), page.Field(c, "passkey_name")
	next := page.Local(page.Field(c, "next"), page.SecurityPath)
	refuse := func(field, text string, args ...any) error {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showPasskeyForm(c, next, name,
			components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+text, args...)}})
	}
	var recovery []string
	a, err := passkey.ReadNewAnswer(page.Field(c, answerField))
	if err == nil {
		recovery, err = s.Merchants.AddPasskey(c.UserContext(), v, page.Actor(c), name, a)
	}
	_, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		return refuse("passkey_name", "passkey_name")
	case errors.Is(err, merchants.ErrPasskeys):
		return refuse("", "passkey_limit", merchants.MaxPasskeys)
	case errors.Is(err, merchants.ErrPasskeyKnown):
		return refuse("", "passkey_known")
	case errors.Is(err, merchants.ErrCredentials), errors.Is(err, passkey.ErrRefused):
		return refuse("", "passkey_new")
	case err != nil:
		return err
	}
	if len(recovery) > 0 {
		return page.Render(c, pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: s.AuthProps(c), Codes: recovery,
			Next: next, Cause: pages.RecoveryPasskey}))
	}
	if err := s.Flash(c, "passkey_added"); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// listPasskeys adds the visitor's passkeys to the security page.
func (s *account) listPasskeys(c *fiber.Ctx, props *pages.SecurityProps) error {
	all, err := models.UserPasskeys(c.UserContext(), s.DB, page.Visitor(c).UserID)
	if err != nil {
		return err
	}
	props.HasPasskeys, props.MorePasskeys = s.OffersPasskeys(), len(all) < merchants.MaxPasskeys
	for _, p := range all {
		props.Passkeys = append(props.Passkeys, passkeyRow(p))
	}
	return nil
}

// ownPasskey returns the visitor's passkey that the address names.
func (s *account) ownPasskey(c *fiber.Ctx) (*models.Passkey, error) {
	p, err := models.UserPasskey(c.UserContext(), s.DB, page.Visitor(c).UserID, c.Params("id"))
	if errors.Is(err, models.ErrNotFound) {
		return nil, fiber.ErrNotFound
	}
	return p, err
}

// readPasskey shows GET …/passkeys/:id.
func (s *account) readPasskey(c *fiber.Ctx) error {
	p, err := s.ownPasskey(c)
	if err != nil {
		return err
	}
	return s.showPasskey(c, p, p.Name, nil)
}

// isLast reports whether the visitor's only way to log in is a passkey, which must stay.
func (s *account) isLast(c *fiber.Ctx) (bool, error) {
	v := page.Visitor(c)
	if v.HasPassword {
		return false, nil
	}
	all, err := models.UserPasskeys(c.UserContext(), s.DB, v.UserID)
	return len(all) == 1, err
}

func (s *account) showPasskey(c *fiber.Ctx, p *models.Passkey, name string, problems components.FieldErrors) error {
	frame, err := s.securityFrame(c)
	if err != nil {
		return err
	}
	last, err := s.isLast(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Passkey(pages.PasskeyProps{SecurityFrame: frame, Passkey: passkeyRow(*p), Name: name,
		Last: last, Errors: problems}))
}

func passkeyRow(p models.Passkey) pages.PasskeyRow {
	return pages.PasskeyRow{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, UsedAt: p.LastUsedAt}
}

// renamePasskey handles POST …/passkeys/:id.
func (s *account) renamePasskey(c *fiber.Ctx) error {
	p, err := s.ownPasskey(c)
	if err != nil {
		return err
	}
	name := page.Field(c, "passkey_name")
	err = s.Merchants.RenamePasskey(c.UserContext(), page.Actor(c), p.ID, name)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showPasskey(c, p, name, page.FieldErrors(c, problems, "passkey_name"))
	}
	return s.secured(c, err, "passkey_renamed")
}

// removePasskey handles POST …/passkeys/:id/remover.
func (s *account) removePasskey(c *fiber.Ctx) error {
	err := s.Merchants.RemovePasskey(c.UserContext(), page.Actor(c), c.Params("id"))
	if errors.Is(err, models.ErrNotFound) {
		return fiber.ErrNotFound
	}
	if errors.Is(err, merchants.ErrLastPasskey) {
		c.Status(fiber.StatusConflict)
		return s.readPasskey(c) // the page says why
	}
	return s.secured(c, err, "passkey_removed")
}
