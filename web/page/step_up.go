package page

import (
	"cmp"
	"errors"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/auth/passkey"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// OffersPasskeys reports whether browsers can create passkeys for this installation's address.
func (s *Site) OffersPasskeys() bool { return s.Merchants.Passkeys != nil }

// HasSecondFactor reports whether the visitor has a code generator or a passkey.
func (s *Site) HasSecondFactor(v *models.Visitor) bool {
	return v.TOTPEnrolled || v.HasPasskey && s.OffersPasskeys()
}

// protected reports whether the visitor has a second factor, or showed one to the provider where they logged in.
func (s *Site) protected(v *models.Visitor) bool {
	return s.HasSecondFactor(v) || v.ByProvider && v.SecondFactor
}

// proveWithPasskey is Prove for an answer by a passkey.
func (s *Site) proveWithPasskey(c *fiber.Ctx, v *models.Visitor, answer string) (problem string, err error) {
	if wait := s.CodeTries(c, v.ID); wait != "" {
		return wait, nil
	}
	a, err := passkey.ReadAnswer(answer)
	if err == nil && s.OffersPasskeys() {
		err = s.Merchants.ProveWithPasskey(c.UserContext(), v, a, s.Browser(c))
	} else if err == nil {
		err = merchants.ErrCredentials
	}
	if errors.Is(err, merchants.ErrCredentials) || errors.Is(err, passkey.ErrRefused) {
		c.Status(fiber.StatusUnprocessableEntity)
		return i18n.T(c.UserContext(), "problem.passkey_proof"), nil
	}
	return "", err
}

// ProvenFor is how long a person who gave their password, a code or a passkey can change
// sensitive data before the proof is required again.
const ProvenFor = 10 * time.Minute

// StepUp admits visitors who have recently proven their identity. For others it shows a
// page that asks for the proof, and continues after it:
//
//   - a GET shows that page in place of the requested one, and the proof redirects there;
//   - a POST, of a form that was open for longer, shows that page with all fields of the
//     form, and the proof sends them on. No input is lost.
//
// It must come after Person or Member, and after the check of the role.
func (s *Site) StepUp(c *fiber.Ctx) error {
	v := Visitor(c)
	if s.proven(v) {
		return c.Next()
	}
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return s.ShowStepUp(c, pages.StepUpProps{Action: ConfirmPath,
			Fields: []pages.HiddenField{{Name: "next", Value: c.OriginalURL()}}}, "")
	}
	props := pages.StepUpProps{Action: c.OriginalURL(), Fields: keptFields(c)}
	if args := c.Request().PostArgs(); !args.Has(proofField) && !args.Has(proofKeyField) {
		return s.ShowStepUp(c, props, "")
	}
	problem, err := s.Prove(c, v)
	if err != nil {
		return err
	}
	if problem != "" {
		return s.ShowStepUp(c, props, problem)
	}
	return c.Next()
}

// StepUpLive is StepUp for what moves money or lets others move it. In live it also needs a second
// factor: visitors without one are led to set one up, and return to what they did.
func (s *Site) StepUpLive(c *fiber.Ctx) error {
	if Visitor(c).Environment != models.Live {
		return s.StepUp(c)
	}
	return s.StepUpSecond(c)
}

// StepUpSecond is StepUpLive in both environments.
func (s *Site) StepUpSecond(c *fiber.Ctx) error {
	if s.protected(Visitor(c)) {
		return s.StepUp(c)
	}
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return c.Redirect(setUpPath(pages.NeedLive, c.OriginalURL()), fiber.StatusSeeOther)
	}
	c.Status(fiber.StatusForbidden)
	return s.ShowKept(c, pages.KeptProps{Reason: pages.KeptSecondFactor,
		Open: setUpPath(pages.NeedLive, "/app")})
}

// secondNeeded handles a member whose account requires a second factor: it asks for the one that the member has, or
// leads to setting one up.
func (s *Site) secondNeeded(c *fiber.Ctx) error {
	switch v := Visitor(c); {
	case s.protected(v):
		return s.StepUp(c)
	case c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead:
		return c.Redirect(setUpPath(pages.NeedAccount, c.OriginalURL()), fiber.StatusSeeOther)
	default:
		c.Status(fiber.StatusForbidden)
		return s.ShowKept(c, pages.KeptProps{Reason: pages.KeptAccountFactor,
			Open: setUpPath(pages.NeedAccount, "/app")})
	}
}

// setUpPath returns the path of the page that sets up a second factor, and leads to next.
func setUpPath(need pages.Need, next string) string {
	return SetUpPath + "?need=" + url.QueryEscape(string(need)) + "&next=" + url.QueryEscape(next)
}

// NeedOf returns why the visitor needs a second factor, as the address of the page says that sets
// one up.
func NeedOf(c *fiber.Ctx) pages.Need {
	if Visitor(c).StaffRole != nil {
		return pages.NeedStaff
	}
	switch need := pages.Need(cmp.Or(Field(c, "need"), c.Query("need"))); need {
	case pages.NeedLive, pages.NeedAccount:
		return need
	default:
		return pages.NeedNone
	}
}

// proven reports whether the visitor has recently proven their identity. If the person has a second factor, a session
// that began with the password alone does not count.
func (s *Site) proven(v *models.Visitor) bool {
	return s.Now().Sub(v.ProvenAt) <= ProvenFor && (v.SecondFactor || !s.HasSecondFactor(v))
}

// Prove checks the proof in a form. If the proof is wrong, problem is the text to show, and
// the status of the answer is set.
func (s *Site) Prove(c *fiber.Ctx, v *models.Visitor) (problem string, err error) {
	if answer := Field(c, proofKeyField); answer != "" {
		return s.proveWithPasskey(c, v, answer)
	}
	wait, wrong := "", "proof_password"
	if s.HasSecondFactor(v) {
		wait, wrong = s.CodeTries(c, v.ID), "code"
	} else {
		wait = s.Tries(c, v.Email)
	}
	if s.typedIn(c, v) == proofRecoveryField {
		wrong = "recovery_code"
	}
	if wait != "" {
		return wait, nil
	}
	proof := cmp.Or(Field(c, proofField), Field(c, proofRecoveryField))
	err = s.Merchants.Prove(c.UserContext(), v, proof, s.Browser(c))
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return i18n.T(c.UserContext(), "problem."+wrong), nil
	}
	return "", err
}

// typedIn returns the field with the proof that was sent: that of a recovery code if it alone was filled in, or if the
// person has no generator of codes.
func (s *Site) typedIn(c *fiber.Ctx, v *models.Visitor) string {
	recovery := Field(c, proofField) == "" && Field(c, proofRecoveryField) != ""
	if s.HasSecondFactor(v) && (recovery || !v.TOTPEnrolled) {
		return proofRecoveryField
	}
	return proofField
}

// ShowStepUp asks for the proof. problem is what was wrong with the previous proof, "" if
// there was none.
func (s *Site) ShowStepUp(c *fiber.Ctx, props pages.StepUpProps, problem string) error {
	v := Visitor(c)
	props.AuthProps, props.Email, props.ByCode = s.AuthProps(c), v.Email, v.TOTPEnrolled
	props.Download = SendsFile(c.Path())
	props.ProofField, props.RecoveryField = proofField, proofRecoveryField
	props.ByPassword = v.HasPassword && !s.HasSecondFactor(v) && !s.Merchants.SSOOnly
	if v.ByProvider && !s.HasSecondFactor(v) {
		props.Provider = s.SSOName()
	}
	if props.Action == ConfirmPath {
		props.Next = props.Fields[0].Value
	}
	if v.HasPasskey && s.OffersPasskeys() {
		props.KeyField = proofKeyField
		props.ByRecovery = v.HasPassword && !v.TOTPEnrolled
	}
	if props.Back = cmp.Or(cameFrom(c), "/app"); props.Back != "/app" {
		props.Fields = append(props.Fields, pages.HiddenField{Name: proofBackField, Value: props.Back})
	}
	if problem != "" {
		field := s.typedIn(c, v)
		if Field(c, proofKeyField) != "" || !props.ByCode && !props.ByPassword && !props.ByRecovery {
			field = "" // nothing was typed
		}
		props.Errors = components.FieldErrors{{Field: field, Text: problem}}
	}
	return Render(c, pages.StepUp(props))
}
