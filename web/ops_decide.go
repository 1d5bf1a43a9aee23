package web

import (
	"errors"
	"strconv"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// decision is what a member of staff sent about a thing.
type decision struct {
	pages.DecisionFields
	id      string
	version int // of the thing, as it was looked at
}

// preview is what the merchant will read of a decision.
type preview struct {
	section, title, back, backHref string
	language                       i18n.Lang
	page                           templ.Component
	mail                           string // the subject; "" sends none
	confirm                        string // the words of the button
	danger                         bool
}

// opsCase is a sort of thing to decide about.
type opsCase struct {
	// show answers with the thing's page: with what was filled in, what is wrong
	// with it, and whether somebody else was first.
	show func(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error
	// check reports what is wrong with the form, and whether the thing is still as it
	// was looked at.
	check func(c *fiber.Ctx, d *decision) (errs components.FieldErrors, current bool, err error)
	// preview says what the merchant will read.
	preview func(c *fiber.Ctx, d decision) (preview, error)
	// decide does it, and names the flash that tells so and the page that shows it.
	decide func(c *fiber.Ctx, d decision) (flash, path string, err error)
}

// opsDecide handles the form of a decision: it shows what the merchant will read,
// leads back to the form, or decides.
func (s *server) opsDecide(k opsCase) fiber.Handler {
	return func(c *fiber.Ctx) error {
		d := decision{id: c.Params("id"), DecisionFields: pages.DecisionFields{
			Outcome: c.FormValue("outcome"), ReasonCode: c.FormValue("reasonCode"), Reason: formText(c, "reason"), Proof: c.FormValue("proof"),
		}}
		d.version, _ = strconv.Atoi(c.FormValue("version")) // what is no number was no version
		do := c.FormValue("do")
		if do == "edit" {
			return k.show(c, d, nil, false)
		}
		errs, current, err := k.check(c, &d)
		switch {
		case err != nil:
			return err
		case !current:
			c.Status(fiber.StatusConflict)
			return k.show(c, d, nil, true)
		case len(errs) > 0:
			c.Status(fiber.StatusUnprocessableEntity)
			return k.show(c, d, errs, false)
		case do != "send":
			return s.showPreview(c, k, d)
		}
		flash, path, err := k.decide(c, d)
		if err != nil {
			return s.refused(c, k, d, err)
		}
		return s.toOps(c, path, flash)
	}
}

// refused shows the thing again with why a decision about it was refused.
func (s *server) refused(c *fiber.Ctx, k opsCase, d decision, err error) error {
	code := fault.Of(err).Code
	switch code {
	case fault.ChangedMeanwhile, fault.WrongState:
		c.Status(fiber.StatusConflict)
		return k.show(c, d, nil, true)
	case fault.SecondPersonRequired, fault.QuoteWorse, fault.QuoteUnavailable, fault.InsufficientBalance:
		c.Status(fiber.StatusConflict)
		return k.show(c, d, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case fault.ProofRequired, fault.ProofTaken:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d, components.FieldErrors{{Field: "proof", Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case fault.ReasonRequired:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d, components.FieldErrors{{Field: "reason", Text: i18n.T(c.UserContext(), "problem.ops_reason")}}, false)
	}
	return err
}

func (s *server) showPreview(c *fiber.Ctx, k opsCase, d decision) error {
	p, err := k.preview(c, d)
	if err != nil {
		return err
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	return render(c, pages.OpsPreview(pages.OpsPreviewProps{
		Shell: shell, Section: p.section, Title: p.title, Back: p.back, BackHref: p.backHref, Action: c.Path(), Confirm: p.confirm, Danger: p.danger,
		Language: p.language, Page: p.page, Mail: p.mail,
		Hidden: []components.KeyValue{
			{Key: "version", Value: strconv.Itoa(d.version)}, {Key: "outcome", Value: d.Outcome}, {Key: "reasonCode", Value: d.ReasonCode},
			{Key: "reason", Value: d.Reason}, {Key: "proof", Value: d.Proof},
		},
	}))
}

// decisionErrors words what is wrong with the form of a decision, nil if err is
// something else.
func decisionErrors(c *fiber.Ctx, err error) components.FieldErrors {
	problems, ok := errors.AsType[merchants.Invalid](err)
	if !ok {
		return nil
	}
	return errorsOf(c, "ops_", problems, "outcome", "reasonCode", "reason")
}
