package web

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
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
	page                           templ.Component // what the merchant will read; nil: nothing
	effects                        []string        // what else will happen
	mail                           string          // the subject; "" sends none
	confirm                        string          // the words of the button
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
			Outcome: c.FormValue("outcome"), ReasonCode: c.FormValue("reasonCode"), Reason: formText(c, "reason"), Amount: c.FormValue("amount"), Proof: strings.TrimSpace(c.FormValue("proof")),
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
	case fault.SecondPersonRequired, fault.QuoteWorse, fault.QuoteUnavailable:
		c.Status(fiber.StatusConflict)
		return k.show(c, d, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case fault.InvalidAmount, fault.InsufficientBalance:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d, components.FieldErrors{{Field: "amount", Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
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
		Language: p.language, Page: p.page, Effects: p.effects, Mail: p.mail,
		Hidden: []components.KeyValue{
			{Key: "version", Value: strconv.Itoa(d.version)}, {Key: "outcome", Value: d.Outcome}, {Key: "reasonCode", Value: d.ReasonCode},
			{Key: "reason", Value: d.Reason}, {Key: "amount", Value: d.Amount}, {Key: "proof", Value: d.Proof},
		},
	}))
}

// showCase answers with the page of a thing, of an account or nobody's.
func (s *server) showCase(c *fiber.Ctx, props pages.OpsCaseProps, accountID, id string, changed bool) (err error) {
	if changed {
		if props.Changed, err = s.lastAct(c, id); err != nil {
			return err
		}
	}
	if *visitor(c).StaffRole == models.StaffSupervisor {
		props.Trail = "/ops/auditoria?object=" + id
	}
	if accountID != "" && props.Account == nil {
		head, err := s.accountHead(c, accountID)
		if err != nil {
			return err
		}
		props.Account = &head
	}
	if props.Shell, err = s.opsShell(c); err != nil {
		return err
	}
	return render(c, pages.OpsCase(props))
}

// reasonErrors reports what is wrong with the reason of a decision; codes are those
// that there are, none if a text is enough.
func reasonErrors(c *fiber.Ctx, d *decision, codes []string) (errs components.FieldErrors) {
	d.Reason = strings.TrimSpace(d.Reason)
	if len(codes) > 0 && !slices.Contains(codes, d.ReasonCode) {
		errs = append(errs, components.FieldError{Field: "reasonCode", Text: i18n.T(c.UserContext(), "problem.ops_reason_code")})
	}
	if n := utf8.RuneCountInString(d.Reason); n < merchants.MinReasonLength || n > merchants.MaxReasonLength || !plainText(d.Reason) {
		errs = append(errs, components.FieldError{Field: "reason", Text: i18n.T(c.UserContext(), "problem.ops_reason")})
	}
	return errs
}

// plainText reports whether a text of several lines holds nothing that is none.
func plainText(text string) bool { return plain(strings.ReplaceAll(text, "\n", " ")) }

// decisionErrors words what is wrong with the form of a decision, nil if err is
// something else.
func decisionErrors(c *fiber.Ctx, err error) components.FieldErrors {
	problems, ok := errors.AsType[merchants.Invalid](err)
	if !ok {
		return nil
	}
	return errorsOf(c, "ops_", problems, "outcome", "reasonCode", "reason")
}
