package page

import (
	"maps"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/pages"
)

// proofField is the field of the proof in every form of StepUp.
const proofField = "garoupa_proof"

// proofRecoveryField takes a recovery code in place of a generated code.
const proofRecoveryField = "garoupa_proof_recovery"

// proofKeyField takes a proof by a passkey, in place of proofField.
const proofKeyField = "garoupa_proof_key"

// proofBackField keeps the page from which the proof was required.
const proofBackField = "garoupa_proof_back"

// goBackField, in a form that SameScope stopped, switches back to the scope in which the form
// was opened.
const goBackField = "garoupa_back"

// LoggedOut answers a visitor who is not or no longer logged in. It redirects to the log-in and back or, if keep is
// set, keeps the fields of the form that was sent on a page until the visitor has logged in.
func (s *Site) LoggedOut(c *fiber.Ctx, keep bool) error {
	if keep {
		c.Status(fiber.StatusUnauthorized)
		return s.ShowKept(c, pages.KeptProps{Reason: pages.KeptLoggedOut, Open: "/entrar"})
	}
	if err := s.Flash(c, "log_in_first"); err != nil {
		return err
	}
	return c.Redirect("/entrar?next="+url.QueryEscape(whereIs(c)), fiber.StatusSeeOther)
}

// ShowKept shows a page from which a form can be sent again, with additional fields.
func (s *Site) ShowKept(c *fiber.Ctx, props pages.KeptProps, more ...pages.HiddenField) error {
	props.AuthProps, props.Action, props.Download = s.AuthProps(c), c.OriginalURL(), SendsFile(c.Path())
	props.Fields = append(keptFields(c), more...)
	if form, err := c.MultipartForm(); err == nil {
		props.Files = len(form.File) > 0
	}
	return Render(c, pages.Kept(props))
}

// unkept are the fields that forms are kept without: the proof, fields of this package, and secrets,
// which the person gives again.
var unkept = []string{proofField, proofRecoveryField, proofKeyField, proofBackField, goBackField,
	pages.BankSecret, pages.BankAppKey, pages.BankKeyPassword}

// unkeepable are the fields with a person's password or a code of theirs. A form with one is not kept at all.
var unkeepable = []string{"password", "current", "code"}

// Keepable reports whether the form that was sent can be kept: it is of this site, and has fields, none of them a
// password.
func Keepable(c *fiber.Ctx) bool {
	fields := keptFields(c)
	return c.Method() == fiber.MethodPost && CheckOrigin(c) == nil && len(fields) > 0 &&
		!slices.ContainsFunc(fields, func(f pages.HiddenField) bool { return slices.Contains(unkeepable, f.Name) })
}

// keptFields returns the fields of the form that was sent, without files and what is unkept.
func keptFields(c *fiber.Ctx) []pages.HiddenField {
	var kept []pages.HiddenField
	keep := func(name, value string) {
		if !slices.Contains(unkept, name) {
			kept = append(kept, pages.HiddenField{Name: name, Value: value})
		}
	}
	c.Request().PostArgs().VisitAll(func(name, value []byte) { keep(string(name), string(value)) })
	if form, err := c.MultipartForm(); err == nil {
		for _, name := range slices.Sorted(maps.Keys(form.Value)) {
			for _, value := range form.Value[name] {
				keep(name, value)
			}
		}
	}
	return kept
}
