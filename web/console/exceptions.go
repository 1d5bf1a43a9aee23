package console

import (
	"errors"
	"slices"
	"strconv"
	"strings"

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
	filters := map[string]models.ExceptionFilter{"open": {Open: true, Environment: &live, Own: new(false)},
		"test": {Open: true, Environment: &test}, allTab: {}}
	return queue{id: layouts.OpsExceptions, path: "/ops/excecoes", tabs: []string{"open", "test", allTab},
		sorted: []string{"open", "test"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			f := filters[tab]
			f.After, f.Limit, f.Largest = after, limit, f.Open && largestFirst(c)
			found, err := models.Exceptions(c.UserContext(), s.DB.Read, f)
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

// The outcomes for an exception besides the decisions of package models.
const (
	outcomeAssign   = "ASSIGN"    // the money of a payment without a charge goes to an account
	outcomeGiveBack = "GIVE_BACK" // the bank is asked to give the money back
)

// exceptionOutcomes returns the possible decisions about an exception. Only a payment for a
// known checkout is credited to its merchant; of others staff say to whom. None is possible about money that the
// merchant has.
func exceptionOutcomes(x *models.Exception) []string {
	if x.Own {
		return nil
	}
	outcomes := []string{string(models.ExceptionAccepted)}
	if x.Kind == models.ExceptionUnmatched {
		outcomes[0] = outcomeAssign
	}
	if x.BankAccountID != nil {
		outcomes = append(outcomes, outcomeGiveBack)
	}
	return append(outcomes, string(models.ExceptionRefunded), string(models.ExceptionWrittenOff))
}

// assigned returns the account to which an exception's money is to go, and its checkout if that was named.
func (s *console) assigned(c *fiber.Ctx, d *decision) (account *models.Account, checkoutID string, err error) {
	id := d.For
	if strings.HasPrefix(id, "chk_") {
		checkout, err := models.AnyCheckoutByID(c.UserContext(), s.DB.Pool, id)
		if err != nil {
			return nil, "", err
		}
		id, checkoutID = checkout.AccountID, checkout.ID
	}
	account, err = models.AccountByID(c.UserContext(), s.DB, id)
	return account, checkoutID, err
}

// exceptionErrors returns what is wrong with the form about an exception.
func (s *console) exceptionErrors(c *fiber.Ctx, x *models.Exception, d *decision) (errs components.FieldErrors,
	err error) {
	add := func(field, key string) {
		errs = append(errs, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), key)})
	}
	switch {
	case !slices.Contains(exceptionOutcomes(x), d.Outcome):
		add("outcome", "problem.ops_outcome")
	case d.Outcome == outcomeAssign:
		if _, _, err := s.assigned(c, d); errors.Is(err, models.ErrNotFound) {
			add("for", "problem.ops_for")
		} else if err != nil {
			return nil, err
		}
	case d.Outcome == string(models.ExceptionRefunded) && x.BankAccountID != nil && d.Proof == "":
		add("proof", "problem.ops_return_id")
	}
	return append(errs, reasonErrors(c, d, nil)...), nil
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
			errs, err := s.exceptionErrors(c, x, d)
			return errs, x.Decision == nil && !x.Returning() && d.version == x.ReturnNumber, err
		},
		preview: s.previewException,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			by, ctx := page.Actor(c), c.UserContext()
			switch models.ExceptionDecision(d.Outcome) {
			case outcomeAssign:
				account, checkoutID, err := s.assigned(c, &d)
				if err == nil {
					_, err = s.Payments.AssignException(ctx, by, d.id, account.ID, checkoutID, d.Reason)
				}
				return "ops_decided", "/ops/excecoes/" + d.id, err
			case outcomeGiveBack:
				_, err = s.Payments.RefundException(ctx, by, d.id, d.Reason, "")
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

// returnNotice tells what the bank is doing, or said, about giving an exception's money back.
func returnNotice(c *fiber.Ctx, x *models.Exception) []components.NoticeProps {
	ctx := c.UserContext()
	switch {
	case x.Returning():
		return []components.NoticeProps{{Tone: components.ToneInfo, Icon: "landmark",
			Title: i18n.T(ctx, "ops.exception_returning"), Body: x.ReturnFailure}}
	case x.ReturnFailure != "" && x.ReturnStatus != nil:
		return []components.NoticeProps{{Tone: components.ToneWarn, Icon: "triangle-alert",
			Title: i18n.T(ctx, "ops.exception_kept"), Body: x.ReturnFailure}}
	case x.ReturnFailure != "":
		return []components.NoticeProps{{Tone: components.ToneWarn, Icon: "triangle-alert",
			Title: i18n.T(ctx, "ops.exception_doubt"), Body: x.ReturnFailure}}
	}
	return nil
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
		s.Payments.OpenDocument(&checkout.Checkout)
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
	if x.Own {
		props.Notices = []components.NoticeProps{{Tone: components.ToneInfo, Icon: "landmark",
			Title: i18n.T(ctx, "ops.exception_own"), Body: i18n.T(ctx, "ops.exception_own_body")}}
	}
	props.Notices = append(props.Notices, returnNotice(c, x)...)
	if x.Decision == nil && !x.Own {
		props.Since, props.Late = &x.CreatedAt, x.Environment == models.Live && s.late(x.CreatedAt)
	}
	if x.Decision == nil && !x.Returning() {
		props.Decision = &pages.DecisionForm{
			Kind: "exception", Action: "/ops/excecoes/" + x.PaymentID, Outcomes: exceptionOutcomes(x),
			Version:     strconv.Itoa(x.ReturnNumber),
			ReasonLabel: i18n.T(ctx, "ops.reason_kept_label"), ReasonHint: i18n.T(ctx, "ops.reason_kept"),
			AskProof: i18n.T(ctx, "ops.return_id"), ProofHint: i18n.T(ctx, "ops.return_id_hint"),
			Fields: d.DecisionFields, Errors: errs,
		}
		if x.Kind == models.ExceptionUnmatched {
			props.Decision.AskFor, props.Decision.ForHint = i18n.T(ctx, "ops.assign"), i18n.T(ctx, "ops.assign_hint")
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
