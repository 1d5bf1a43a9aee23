package console

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// exceptionQueue is the queue of payments that paid no checkout.
func (s *console) exceptionQueue() queue {
	live, test := models.Live, models.Test
	filters := map[string]models.ExceptionFilter{"open": {Open: true, Environment: &live},
		"test": {Open: true, Environment: &test}, "all": {}}
	return queue{id: layouts.OpsExceptions, path: "/ops/excecoes", tabs: []string{"open", "test", "all"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			f := filters[tab]
			f.After, f.Limit = after, limit
			found, err := models.Exceptions(c.UserContext(), s.DB.Pool, f)
			return s.exceptionRows(c, found), err
		}}
}

func (s *console) exceptionRows(c *fiber.Ctx, found []models.Exception) (rows []queued) {
	for _, x := range found {
		amount, name := x.Amount, page.Text(x.AccountName)
		if name == "" {
			name = i18n.T(c.UserContext(), "ops.nobody")
		}
		row := queued{at: models.Position{CreatedAt: x.CreatedAt, ID: x.PaymentID}, Item: pages.Item{
			Href: "/ops/excecoes/" + x.PaymentID, Title: name,
			Detail: i18n.T(c.UserContext(), "ops.exception_"+string(x.Kind)) + " · " + x.EndToEndID,
			Amount: &amount, Test: x.Environment == models.Test,
			Badge: components.StatusBadge(components.Exception, exceptionState(&x)),
			Since: x.CreatedAt,
			Late:  x.Decision == nil && x.Environment == models.Live && s.late(x.CreatedAt),
		}}
		rows = append(rows, row)
	}
	return rows
}

func exceptionState(x *models.Exception) string {
	if x.Decision == nil {
		return "OPEN"
	}
	return string(*x.Decision)
}

// exception shows GET /ops/excecoes/:id.
func (s *console) exception(c *fiber.Ctx) error {
	return s.showException(c, decision{id: c.Params("id")}, nil, false)
}

// exceptionOutcomes returns the possible decisions about an exception. Only a payment for a
// known checkout can be credited to its merchant.
func exceptionOutcomes(x *models.Exception) []string {
	outcomes := []string{string(models.ExceptionRefunded), string(models.ExceptionWrittenOff)}
	if x.Kind != models.ExceptionUnmatched {
		outcomes = append([]string{string(models.ExceptionAccepted)}, outcomes...)
	}
	return outcomes
}

// exceptionCase is the decision about a payment that paid no checkout.
func (s *console) exceptionCase() decisionCase {
	return decisionCase{
		show: s.showException,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			x, err := models.ExceptionByPayment(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			errs := reasonErrors(c, d, nil)
			if !slices.Contains(exceptionOutcomes(x), d.Outcome) {
				errs = append(components.FieldErrors{{Field: "outcome",
					Text: i18n.T(c.UserContext(), "problem.ops_outcome")}}, errs...)
			}
			return errs, x.Decision == nil, nil
		},
		preview: func(c *fiber.Ctx, d decision) (preview, error) {
			ctx := c.UserContext()
			x, err := models.ExceptionByPayment(ctx, s.DB.Pool, d.id)
			if err != nil {
				return preview{}, err
			}
			effect := i18n.T(ctx, "ops.effect_"+d.Outcome, i18n.Money(ctx, x.Amount))
			return preview{
				section: layouts.OpsExceptions, title: i18n.T(ctx, "ops.preview_title"),
				back: i18n.Money(ctx, x.Amount), backHref: "/ops/excecoes/" + d.id,
				confirm: i18n.T(ctx, "ops.exception_"+d.Outcome),
				danger:  d.Outcome == string(models.ExceptionWrittenOff),
				effects: []string{effect, i18n.T(ctx, "ops.effect_reason", d.Reason)},
			}, nil
		},
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			by, ctx := page.Actor(c), c.UserContext()
			switch models.ExceptionDecision(d.Outcome) {
			case models.ExceptionAccepted:
				_, err = s.Payments.AcceptException(ctx, by, d.id, d.Reason)
			case models.ExceptionRefunded:
				_, err = s.Payments.RefundException(ctx, by, d.id, d.Reason, d.Proof)
			case models.ExceptionWrittenOff:
				_, err = s.Payments.WriteOffException(ctx, by, d.id, d.Reason)
			}
			return "ops_decided", "/ops/excecoes/" + d.id, err
		},
	}
}

// showException answers with the page of an exception.
func (s *console) showException(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	x, err := models.ExceptionByPayment(ctx, s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	props := pages.CaseProps{
		Section: layouts.OpsExceptions, Href: "/ops/excecoes", Title: i18n.Money(ctx, x.Amount),
		Test:  x.Environment == models.Test,
		Badge: components.StatusBadge(components.Exception, exceptionState(x)),
		Notices: []components.NoticeProps{{
			Tone: components.ToneInfo, Icon: "info", Title: i18n.T(ctx, "ops.exception_"+string(x.Kind)),
			Body: i18n.T(ctx, "ops.exception_"+string(x.Kind)+"_body"),
		}},
		Parts: []pages.Part{{ID: "payment", Title: i18n.T(ctx, "ops.kind_payment"), Facts: exceptionFacts(c, x)}},
	}
	if x.CheckoutID != nil {
		checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, *x.CheckoutID)
		if err != nil {
			return err
		}
		props.Parts = append(props.Parts, pages.Part{ID: "checkout", Title: i18n.T(ctx, "ops.meant_for"),
			Facts: checkoutFacts(c, checkout)})
		payments, err := s.paymentItems(c, checkout, x.PaymentID)
		if err != nil {
			return err
		}
		props.Others = &pages.Others{Title: i18n.T(ctx, "ops.payments_same"), None: i18n.T(ctx, "ops.payments_none"),
			Items: payments}
	}
	if props.History, err = s.acts(c, x.PaymentID); err != nil {
		return err
	}
	if x.Decision == nil {
		props.Since, props.Late = &x.CreatedAt, x.Environment == models.Live && s.late(x.CreatedAt)
		props.Decision = &pages.DecisionForm{
			Kind: "exception", Action: "/ops/excecoes/" + x.PaymentID, Outcomes: exceptionOutcomes(x),
			ReasonLabel: i18n.T(ctx, "ops.reason_kept_label"), ReasonHint: i18n.T(ctx, "ops.reason_kept"),
			AskProof: i18n.T(ctx, "ops.return_id"), ProofHint: i18n.T(ctx, "ops.return_id_hint"),
			Fields: d.DecisionFields, Errors: errs,
		}
	}
	return s.showCase(c, props, page.Text(x.AccountID), x.PaymentID, changed)
}

func exceptionFacts(c *fiber.Ctx, x *models.Exception) []components.KeyValue {
	ctx := c.UserContext()
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.payment_id"), Value: x.PaymentID, Mono: true},
		{Key: i18n.T(ctx, "ops.amount"), Value: i18n.Money(ctx, x.Amount)},
		{Key: i18n.T(ctx, "withdrawals.end_to_end_id"), Value: x.EndToEndID, Mono: true},
		{Key: i18n.T(ctx, "ops.txid"), Value: x.TxID, Mono: true},
		{Key: i18n.T(ctx, "ops.paid_at"), Value: i18n.DateTime(ctx, x.PaidAt)},
		{Key: i18n.T(ctx, "ops.recorded_at"), Value: i18n.DateTime(ctx, x.CreatedAt)},
		{Key: i18n.T(ctx, "ops.reason_kept_label"), Value: page.Text(x.Reason)},
		{Key: i18n.T(ctx, "ops.return_id"), Value: page.Text(x.ReturnID), Mono: true},
	}
	if x.Fee > 0 {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.book_fee"), Value: i18n.Money(ctx, x.Fee)})
	}
	return facts
}
