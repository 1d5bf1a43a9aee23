package console

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// decision is the form that a member of staff sent about an object.
type decision struct {
	pages.DecisionFields
	id      string
	version int                   // of the object, as it was shown
	hidden  []components.KeyValue // further fields of the form, besides DecisionFields
}

// decisionCase is a kind of object that staff decide about.
type decisionCase struct {
	// show answers with the object's page, with the values of the form, their errors, and
	// whether another person changed the object first.
	show func(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error
	// check returns what is wrong with the form, and whether the object still has the version
	// that was shown.
	check func(c *fiber.Ctx, d *decision) (errs components.FieldErrors, current bool, err error)
	// preview returns the effects of the decision.
	preview func(c *fiber.Ctx, d decision) (preview, error)
	// decide makes the decision, and returns the message about it and the page to show.
	decide func(c *fiber.Ctx, d decision) (flash, path string, err error)
}

// decide returns the handler of a decision's form: it shows the preview, returns to the form,
// or makes the decision.
func (s *console) decide(k decisionCase) fiber.Handler {
	return func(c *fiber.Ctx) error {
		d := decision{id: c.Params("id"), DecisionFields: pages.DecisionFields{
			Outcome: page.Field(c, "outcome"), ReasonCode: page.Field(c, "reasonCode"),
			Reason: page.FormText(c, "reason"),
			Amount: page.Field(c, "amount"), Proof: strings.TrimSpace(page.Field(c, "proof")),
			For: strings.TrimSpace(page.Field(c, "for")), Saved: page.Field(c, "saved"),
		}}
		d.version, _ = strconv.Atoi(page.Field(c, "version")) // an invalid number matches no version
		do := page.Field(c, "do")
		if do == "edit" {
			return k.show(c, d, nil, false)
		}
		var err error
		if d.Reason, err = s.writtenReason(c, d.Reason, d.Saved); err != nil {
			return err
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
		if path == c.Path() {
			path = inPlace(c, path)
		}
		return s.goTo(c, path, flash)
	}
}

// refused shows the object again with the reason why the decision was refused.
func (s *console) refused(c *fiber.Ctx, k decisionCase, d decision, err error) error {
	code := refusal.Of(err).Code
	if errors.Is(err, payments.ErrContested) {
		c.Status(fiber.StatusConflict)
		return k.show(c, d, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.ops_contested")}}, false)
	}
	if errors.Is(err, payments.ErrNotAsked) {
		field := "proof"
		if d.Outcome == outcomeGiveBack { // which takes no id
			field = "outcome"
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d,
			components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem.ops_bank_closed")}}, false)
	}
	switch code {
	case refusal.ChangedMeanwhile, refusal.WrongState:
		c.Status(fiber.StatusConflict)
		return k.show(c, d, nil, true)
	case refusal.SecondPersonRequired, refusal.ProposerGone, refusal.QuoteWorse, refusal.QuoteUnavailable,
		refusal.AccountStopped:
		c.Status(fiber.StatusConflict)
		return k.show(c, d, components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case refusal.InvalidAmount, refusal.InsufficientBalance:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d, components.FieldErrors{{Field: "amount",
			Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case refusal.RefundNotPossible:
		c.Status(fiber.StatusConflict)
		return k.show(c, d,
			components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.refund_not_possible")}}, false)
	case refusal.ProofRequired, refusal.ProofTaken:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c, d,
			components.FieldErrors{{Field: "proof", Text: i18n.T(c.UserContext(), "problem.ops_"+string(code))}}, false)
	case refusal.CheckoutNotFound:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c,
			d, components.FieldErrors{{Field: "for", Text: i18n.T(c.UserContext(), "problem.ops_for")}}, false)
	case refusal.ReasonRequired:
		c.Status(fiber.StatusUnprocessableEntity)
		return k.show(c,
			d, components.FieldErrors{{Field: "reason", Text: i18n.T(c.UserContext(), "problem.ops_reason")}}, false)
	}
	return err
}

// showCase answers with the page of an object. accountID is "" if the object belongs to no
// account.
func (s *console) showCase(c *fiber.Ctx, props pages.CaseProps, accountID, id string, changed bool) (err error) {
	if changed && props.Changed == "" {
		if props.Changed, err = s.lastAct(c, id); err != nil {
			return err
		}
	}
	if page.Visitor(c).StaffRole.Can(models.ReadAudit) {
		props.Trail = "/ops/auditoria?object=" + id
	}
	if accountID != "" && props.Account == nil {
		head, err := s.accountHead(c, accountID)
		if err != nil {
			return err
		}
		props.Account = &head
	}
	if props.Next, err = s.next(c, props.Section); err != nil {
		return err
	}
	for i := range props.Parts {
		props.Parts[i].Facts = linked(props.Parts[i].Facts, c.Path())
	}
	props.Href = inPlace(c, props.Href)
	if props.Decision != nil {
		props.Decision.Action = inPlace(c, props.Decision.Action)
		if err := s.fillReasons(c, props.Decision); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Case(props))
}

// reasonErrors returns what is wrong with the reason of a decision. codes are the allowed
// codes; without codes the text is enough.
func reasonErrors(c *fiber.Ctx, d *decision, codes []string) (errs components.FieldErrors) {
	if len(codes) > 0 && !slices.Contains(codes, d.ReasonCode) {
		errs = append(errs, components.FieldError{Field: "reasonCode",
			Text: i18n.T(c.UserContext(), "problem.ops_reason_code")})
	}
	reason, ok := input.Reason(d.Reason)
	if d.Reason = reason; !ok {
		errs = append(errs, components.FieldError{Field: "reason", Text: i18n.T(c.UserContext(), "problem.ops_reason")})
	}
	return errs
}

// decisionErrors returns the texts for a refusal that concerns the form of a decision, or nil.
func decisionErrors(c *fiber.Ctx, err error) components.FieldErrors {
	problems, ok := errors.AsType[merchants.Invalid](err)
	if !ok {
		return nil
	}
	return page.FormErrors(c, "ops_", problems, "outcome", "reasonCode", "reason")
}
