package console

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// newDispute shows GET /ops/disputas/nova.
func (s *console) newDispute(c *fiber.Ctx) error {
	return s.showNewDispute(c, pages.DisputeFields{Payment: c.Query("payment")}, nil)
}

func (s *console) showNewDispute(c *fiber.Ctx, fields pages.DisputeFields, errs components.FieldErrors) error {
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.NewDispute(pages.NewDisputeProps{Shell: shell, Fields: fields, Errors: errs}))
}

// createDispute handles POST /ops/disputas/nova. The bank's id makes one dispute, however often the form is
// sent.
func (s *console) createDispute(c *fiber.Ctx) error {
	ctx := c.UserContext()
	f := pages.DisputeFields{Payment: page.Field(c, "payment"), Ref: page.Field(c, "ref"),
		Amount: page.Field(c, "amount"),
		Cause:  page.Field(c, "cause"), AnswerBy: page.Field(c, "answerBy")}
	in := payments.NewDispute{PaymentID: f.Payment, BankRef: f.Ref, Cause: f.Cause}
	var errs components.FieldErrors
	wrong := func(field, problem string) {
		errs = append(errs, components.FieldError{Field: field, Text: i18n.T(ctx, "problem.ops_dispute_"+problem)})
	}
	if f.Amount != "" {
		amount, err := page.ReadPrice(f.Amount)
		if in.Amount = amount; err != nil || amount <= 0 {
			wrong("amount", "amount")
		}
	}
	day, err := i18n.ParseDay(f.AnswerBy)
	if in.AnswerBy = day.Add(24*time.Hour - time.Minute); err != nil {
		wrong("answerBy", "answerBy")
	}
	if len(errs) == 0 {
		d, err := s.Payments.OpenDispute(ctx, page.Actor(c), in)
		if err == nil {
			return s.goTo(c, "/ops/disputas/"+d.ID, "ops_dispute_opened")
		}
		switch refusal.Of(err).Code {
		case refusal.PaymentNotFound:
			wrong("payment", "payment")
		case refusal.WrongState:
			wrong("payment", "state")
		case refusal.InvalidAmount:
			wrong("amount", "amount")
		case refusal.ProofRequired, refusal.ProofTaken:
			wrong("ref", "ref")
		case refusal.ReasonRequired:
			wrong("cause", "cause")
		default:
			return err
		}
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewDispute(c, f, errs)
}
