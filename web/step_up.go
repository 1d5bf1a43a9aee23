package web

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// provenFor is how long somebody who gave their password, a code or a passkey may change what
// matters without being asked again.
const provenFor = 10 * time.Minute

// proofField is the field of the proof in every form of stepUp.
const proofField = "garoupa_proof"

// proofRecoveryField takes a recovery code, for who has no code of a generator.
const proofRecoveryField = "garoupa_proof_recovery"

// proofKeyField takes a proof by a passkey in such a form, in place of proofField.
const proofKeyField = "garoupa_proof_key"

// proofBackField keeps the page that the proof was asked from.
const proofBackField = "garoupa_proof_back"

// confirmPath takes the proof that a GET asked for.
const confirmPath = "/confirmar"

// stepUp lets in who has lately shown who they are. Others are asked on a page, which
// stands between every way in and what is behind:
//
//   - a GET shows the page in place of what was asked for, and the proof leads there;
//   - a POST, of a form that was open for longer, shows the page with all of its
//     fields kept, and the proof sends them on. Nothing typed is lost.
//
// Use it after person or member, and after the check of the role.
func (s *server) stepUp(c *fiber.Ctx) error {
	v := visitor(c)
	if s.Now().Sub(v.ProvenAt) <= provenFor {
		return c.Next()
	}
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return s.showStepUp(c, pages.StepUpProps{Action: confirmPath, Fields: []pages.HiddenField{{Name: "next", Value: c.OriginalURL()}}}, "")
	}
	props := pages.StepUpProps{Action: c.OriginalURL(), Fields: keptFields(c)}
	if args := c.Request().PostArgs(); !args.Has(proofField) && !args.Has(proofKeyField) {
		return s.showStepUp(c, props, "")
	}
	problem, err := s.prove(c, v)
	if err != nil {
		return err
	}
	if problem != "" {
		return s.showStepUp(c, props, problem)
	}
	return c.Next()
}

// confirm handles POST /confirmar, the proof that a GET asked for.
func (s *server) confirm(c *fiber.Ctx) error {
	next := local(c.FormValue("next"), "/app")
	problem, err := s.prove(c, visitor(c))
	if err != nil {
		return err
	}
	if problem != "" {
		props := pages.StepUpProps{Action: confirmPath, Fields: []pages.HiddenField{{Name: "next", Value: next}}}
		return s.showStepUp(c, props, problem)
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// prove checks the proof of a form. The problem is what to tell when it is not one; the
// status of the answer is then set.
func (s *server) prove(c *fiber.Ctx, v *models.Visitor) (problem string, err error) {
	if answer := c.FormValue(proofKeyField); answer != "" {
		return s.proveWithPasskey(c, v, answer)
	}
	wait, wrong := s.tries(c, v.Email), "proof_password"
	if v.TOTPEnrolled {
		wait, wrong = s.codeTries(c, v.UserID), "code"
	}
	if wait != "" {
		return wait, nil
	}
	err = s.Merchants.Prove(c.UserContext(), v, cmp.Or(c.FormValue(proofField), c.FormValue(proofRecoveryField)))
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return i18n.T(c.UserContext(), "problem."+wrong), nil
	}
	return "", err
}

func (s *server) showStepUp(c *fiber.Ctx, props pages.StepUpProps, problem string) error {
	v := visitor(c)
	props.AuthProps, props.Email, props.ByCode, props.ProofField, props.RecoveryField = s.auth(c), v.Email, v.TOTPEnrolled, proofField, proofRecoveryField
	props.ByPassword = v.HasPassword && !v.TOTPEnrolled
	if v.HasPasskey && s.offersPasskeys() {
		props.KeyField = proofKeyField
	}
	if props.Back = s.cameFrom(c); props.Back != "/app" {
		props.Fields = append(props.Fields, pages.HiddenField{Name: proofBackField, Value: props.Back})
	}
	if c.Method() != fiber.MethodGet {
		props.AuthProps.Path = "/app" // the page has an address only where it was asked for by a GET
	}
	if problem != "" {
		props.Errors = components.FieldErrors{{Field: proofField, Text: problem}}
	}
	return render(c, pages.StepUp(props))
}

// cameFrom is the page that led to where the proof is asked for: as the form carries it
// along, or by the browser's word. It is /app where there is none.
func (s *server) cameFrom(c *fiber.Ctx) string {
	if carried := c.FormValue(proofBackField); carried != "" {
		return local(carried, "/app")
	}
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host != string(c.Request().Host()) || from.RequestURI() == c.OriginalURL() {
		return "/app"
	}
	return local(from.RequestURI(), "/app")
}

// keptFields are the fields of the form that was sent, save files, the proof and what else
// is of no form.
func keptFields(c *fiber.Ctx) []pages.HiddenField {
	var kept []pages.HiddenField
	keep := func(name, value string) {
		if !slices.Contains([]string{proofField, proofRecoveryField, proofKeyField, proofBackField, goBackField}, name) {
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
