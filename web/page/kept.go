package page

import (
	"maps"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/layouts"
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

// loggedOut answers a visitor who is not or no longer logged in. A page redirects to the
// log-in and back; the fields of a form are kept on a page until the visitor has logged in.
func (s *Site) loggedOut(c *fiber.Ctx) error {
	if c.Method() == fiber.MethodPost && Field(c, layouts.ScopeField) != "" {
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
