package web

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/passkey"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// answerField is the field of a form that holds what a browser answers about a passkey.
const answerField = "passkey"

// newPasskeyPath makes a passkey, for members and for staff.
const newPasskeyPath = "/2fa/passkey"

// registerPasskeys adds what people log in with passkeys by, and make them with.
func (s *server) registerPasskeys(r fiber.Router) {
	r.Post("/entrar/passkey/pedido", append(s.public(s.withPasskeys), s.askPasskeyLogIn)...)
	r.Post("/entrar/passkey", append(s.public(s.withPasskeys), s.logInWithPasskey)...)
	r.Post("/cadastro/passkey", append(s.public(s.withPasskeys), s.askSignUpPasskey)...)
	r.Post(invitePath+":token/passkey", append(s.public(s.withPasskeys), s.askJoinPasskey)...)
	r.Post(confirmPath+"/passkey", s.own(s.withPasskeys, s.askPasskeyProof)...)
	r.Get(newPasskeyPath, s.own(s.withPasskeys, s.secondFirst, s.stepUp, s.passkeyForm)...)
	r.Post(newPasskeyPath, s.own(s.withPasskeys, s.secondFirst, s.stepUp, s.addPasskey)...)
	r.Post(newPasskeyPath+"/pedido", s.own(s.withPasskeys, s.askNewPasskey)...)
}

// offersPasskeys reports whether browsers make passkeys for this installation's address.
func (s *server) offersPasskeys() bool { return s.Merchants.Passkeys != nil }

// withPasskeys is where there is nothing unless browsers make passkeys.
func (s *server) withPasskeys(c *fiber.Ctx) error {
	if !s.offersPasskeys() {
		return fiber.ErrNotFound
	}
	return c.Next()
}

// hasSecondFactor reports whether the visitor can show more than a password.
func (s *server) hasSecondFactor(v *models.Visitor) bool {
	return v.TOTPEnrolled || v.HasPasskey && s.offersPasskeys()
}

// secondFirst has people of staff show the second factor that they have before they
// change what theirs are: with a password alone, somebody else could give themselves one.
func (s *server) secondFirst(c *fiber.Ctx) error {
	if v := visitor(c); v.StaffRole != nil && !v.SecondFactor && s.hasSecondFactor(v) {
		next := c.OriginalURL()
		if c.Method() != fiber.MethodGet {
			next = opsSecurityPath
		}
		return c.Redirect("/2fa?next="+url.QueryEscape(next), fiber.StatusSeeOther)
	}
	return c.Next()
}

// passkeyForm shows GET /2fa/passkey.
func (s *server) passkeyForm(c *fiber.Ctx) error {
	return s.showPasskeyForm(c, local(c.Query("next"), securityPath), system(c.Get(fiber.HeaderUserAgent)), nil)
}

func (s *server) showPasskeyForm(c *fiber.Ctx, next, name string, problems components.FieldErrors) error {
	return render(c, pages.NewPasskey(pages.NewPasskeyProps{
		AuthProps: s.auth(c), Name: name, Next: next, Staff: visitor(c).StaffRole != nil, Errors: problems,
	}))
}

// askNewPasskey handles POST /2fa/passkey/pedido: what the browser is asked to make.
func (s *server) askNewPasskey(c *fiber.Ctx) error {
	options, err := s.Merchants.AskNewPasskey(c.UserContext(), visitor(c))
	if errors.Is(err, merchants.ErrPasskeys) {
		return fiber.ErrConflict
	}
	return sendOptions(c, options, err)
}

// sendOptions answers the script with what to ask the browser.
func sendOptions(c *fiber.Ctx, options []byte, err error) error {
	if err != nil {
		return err
	}
	c.Type("json", "utf-8")
	return c.Send(options)
}

// addPasskey handles POST /2fa/passkey.
func (s *server) addPasskey(c *fiber.Ctx) error {
	v, next, name := visitor(c), local(c.FormValue("next"), securityPath), c.FormValue("passkey_name")
	refuse := func(field, text string, args ...any) error {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showPasskeyForm(c, next, name, components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+text, args...)}})
	}
	a, err := passkey.ReadNewAnswer(c.FormValue(answerField))
	if err == nil {
		err = s.Merchants.AddPasskey(c.UserContext(), v, actor(c), name, a)
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
	if err := s.flash(c, "passkey_added"); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// listPasskeys puts the visitor's passkeys into the page of their security.
func (s *server) listPasskeys(c *fiber.Ctx, props *pages.SecurityProps) error {
	all, err := models.UserPasskeys(s.DB.WithContext(c.UserContext()), visitor(c).UserID)
	if err != nil {
		return err
	}
	props.HasPasskeys, props.MorePasskeys = s.offersPasskeys(), len(all) < merchants.MaxPasskeys
	for _, p := range all {
		props.Passkeys = append(props.Passkeys, passkeyRow(p))
	}
	return nil
}

// ownPasskey is the visitor's passkey that the address names.
func (s *server) ownPasskey(c *fiber.Ctx) (*models.Passkey, error) {
	p, err := models.UserPasskey(s.DB.WithContext(c.UserContext()), visitor(c).UserID, c.Params("id"))
	if errors.Is(err, models.ErrNotFound) {
		return nil, fiber.ErrNotFound
	}
	return p, err
}

// readPasskey shows GET …/passkeys/:id.
func (s *server) readPasskey(c *fiber.Ctx) error {
	p, err := s.ownPasskey(c)
	if err != nil {
		return err
	}
	return s.showPasskey(c, p, p.Name, nil)
}

// isLast reports whether the visitor's only way to log in is a passkey, which must stay.
func (s *server) isLast(c *fiber.Ctx) (bool, error) {
	v := visitor(c)
	if v.HasPassword {
		return false, nil
	}
	all, err := models.UserPasskeys(s.DB.WithContext(c.UserContext()), v.UserID)
	return len(all) == 1, err
}

func (s *server) showPasskey(c *fiber.Ctx, p *models.Passkey, name string, problems components.FieldErrors) error {
	frame, err := s.securityFrame(c)
	if err != nil {
		return err
	}
	last, err := s.isLast(c)
	if err != nil {
		return err
	}
	return render(c, pages.Passkey(pages.PasskeyProps{SecurityFrame: frame, Passkey: passkeyRow(*p), Name: name, Last: last, Errors: problems}))
}

func passkeyRow(p models.Passkey) pages.PasskeyRow {
	return pages.PasskeyRow{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, UsedAt: p.LastUsedAt}
}

// renamePasskey handles POST …/passkeys/:id.
func (s *server) renamePasskey(c *fiber.Ctx) error {
	p, err := s.ownPasskey(c)
	if err != nil {
		return err
	}
	name := c.FormValue("passkey_name")
	err = s.Merchants.RenamePasskey(c.UserContext(), actor(c), p.ID, name)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showPasskey(c, p, name, fieldErrors(c, problems, "passkey_name"))
	}
	return s.secured(c, err, "passkey_renamed")
}

// removePasskey handles POST …/passkeys/:id/remover.
func (s *server) removePasskey(c *fiber.Ctx) error {
	err := s.Merchants.RemovePasskey(c.UserContext(), actor(c), c.Params("id"))
	if errors.Is(err, models.ErrNotFound) {
		return fiber.ErrNotFound
	}
	if errors.Is(err, merchants.ErrLastPasskey) {
		c.Status(fiber.StatusConflict)
		return s.readPasskey(c) // which says why
	}
	return s.secured(c, err, "passkey_removed")
}
