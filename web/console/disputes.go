package console

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// The decisions about a dispute.
const (
	outcomeSent  = "SENT"  // staff have brought the answer to the bank
	outcomeClose = "CLOSE" // the bank takes nothing, or nothing more
)

// disputeUrgent is how long before its deadline a dispute without an answer at the bank is marked.
const disputeUrgent = 24 * time.Hour

// registerDisputes adds the pages of contested payments.
func (s *console) registerDisputes(ops fiber.Router) {
	ops.Get("/disputas", s.queue(s.disputeQueue()))
	ops.Get("/disputas/nova", s.newDispute)
	ops.Post("/disputas/nova", s.StepUp, s.createDispute)
	ops.Get("/disputas/:id", s.dispute)
	ops.Post("/disputas/:id", s.StepUp, s.decide(s.disputeCase()))
	ops.Get("/disputas/:id/arquivos/:file", s.disputeFile)
}

// disputeQueue is the queue of contested payments: those that are not closed, the earliest deadline first, or the
// largest amount.
func (s *console) disputeQueue() queue {
	return queue{id: layouts.OpsDisputes, path: "/ops/disputas", tabs: []string{"open", allTab},
		sorted: []string{"open"}, inTime: "ops.order_deadline",
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) (rows []queued, err error) {
			if tab == "open" {
				due, err := models.DueDisputes(c.UserContext(), s.DB.Read, largestFirst(c), after, limit)
				for _, d := range due {
					rows = append(rows, queued{at: d.Position(), Item: s.disputeItem(c, &d.Dispute)})
				}
				return rows, err
			}
			all, err := models.ListDisputes(c.UserContext(), s.DB.Read,
				models.DisputeFilter{After: after, Limit: limit})
			for _, d := range all {
				rows = append(rows, queued{at: d.Position(), Item: s.disputeItem(c, &d)})
			}
			return rows, err
		}}
}

func (s *console) disputeItem(c *fiber.Ctx, d *models.Dispute) pages.Item {
	ctx, amount := c.UserContext(), d.Amount
	return pages.Item{
		Href: "/ops/disputas/" + d.ID, Title: i18n.T(ctx, "ops.dispute_until", i18n.DateTime(ctx, d.AnswerBy)),
		Detail: d.BankRef + " · " + d.EndToEndID, Amount: &amount,
		Badge: components.StatusBadge(components.Dispute, string(d.Status)), Since: d.OpenedAt,
		Late: !d.Status.Final() && d.DefenseSentAt == nil && s.Now().After(d.AnswerBy.Add(-disputeUrgent)),
	}
}

// dispute shows GET /ops/disputas/:id.
func (s *console) dispute(c *fiber.Ctx) error {
	return s.showDispute(c, decision{id: c.Params("id")}, nil, false)
}

// disputeOutcomes returns the possible decisions about a dispute.
func disputeOutcomes(d *models.Dispute) (outcomes []string) {
	if d.DefenseAt != nil && d.DefenseSentAt == nil && !d.Status.Final() {
		outcomes = append(outcomes, outcomeSent)
	}
	if d.Bars() {
		outcomes = append(outcomes, outcomeClose)
	}
	return outcomes
}

// disputeCase is what staff do about a contested payment.
func (s *console) disputeCase() decisionCase {
	return decisionCase{
		show: s.showDispute,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			dispute, _, err := s.Payments.AnyDispute(c.UserContext(), d.id)
			if err != nil {
				return nil, false, err
			}
			outcomes := disputeOutcomes(dispute)
			for _, outcome := range outcomes {
				if outcome == d.Outcome && outcome == outcomeSent {
					return nil, true, nil
				} else if outcome == d.Outcome {
					return reasonErrors(c, d, nil), true, nil
				}
			}
			return components.FieldErrors{{Field: "outcome", Text: i18n.T(c.UserContext(), "problem.ops_outcome")}},
				len(outcomes) > 0 && d.Outcome == "", nil
		},
		preview: s.previewDispute,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			if d.Outcome == outcomeSent {
				_, err = s.Payments.RecordAnswerSent(c.UserContext(), page.Actor(c), d.id)
			} else {
				_, err = s.Payments.CloseDispute(c.UserContext(), page.Actor(c), d.id, d.Reason)
			}
			return "ops_decided", "/ops/disputas/" + d.id, err
		},
	}
}

func (s *console) previewDispute(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	dispute, _, err := s.Payments.AnyDispute(ctx, d.id)
	if err != nil {
		return preview{}, err
	}
	p := preview{section: layouts.OpsDisputes, title: i18n.T(ctx, "ops.preview_title"),
		back: i18n.Money(ctx, dispute.Amount), backHref: "/ops/disputas/" + d.id,
		confirm: i18n.T(ctx, "ops.dispute_"+d.Outcome), effects: []string{i18n.T(ctx, "ops.effect_dispute_SENT")},
		facts: disputeFacts(c, dispute)}
	if p.account = page.Text(dispute.AccountID); p.account != "" {
		if p.others, err = s.otherDisputes(c, p.account, dispute.ID); err != nil {
			return preview{}, err
		}
	}
	if dispute.DefenseAt != nil {
		answer, err := s.answerPart(c, dispute)
		if err != nil {
			return preview{}, err
		}
		p.facts = append(p.facts, answer.Facts...)
	}
	if d.Outcome != outcomeClose {
		return p, nil
	}
	held := dispute.Held()
	p.effects = []string{i18n.T(ctx, "ops.effect_dispute_CLOSE", i18n.Money(ctx, held))}
	if dispute.AccountID != nil {
		p.compare, err = s.balances(c, *dispute.AccountID, dispute.Environment,
			models.Balance{Available: held, Blocked: -held})
	}
	return p, err
}

// otherDisputes lists the latest disputes of an account besides one.
func (s *console) otherDisputes(c *fiber.Ctx, accountID, except string) (*pages.Others, error) {
	ctx := c.UserContext()
	found, err := models.ListDisputes(ctx, s.DB.Read, models.DisputeFilter{AccountID: accountID, Limit: latestRows})
	others := &pages.Others{Title: i18n.T(ctx, "ops.disputes_before"), None: i18n.T(ctx, "ops.disputes_none")}
	for _, d := range found {
		if d.ID != except {
			others.Items = append(others.Items, s.disputeItem(c, &d))
		}
	}
	return others, err
}

// showDispute answers with the page of a dispute.
func (s *console) showDispute(c *fiber.Ctx, in decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	d, files, err := s.Payments.AnyDispute(ctx, in.id)
	if err != nil {
		return err
	}
	props := pages.CaseProps{
		Section: layouts.OpsDisputes, Href: "/ops/disputas", Title: i18n.Money(ctx, d.Amount),
		Test: d.Environment == models.Test, Badge: components.StatusBadge(components.Dispute, string(d.Status)),
		Notices: []components.NoticeProps{{Tone: components.ToneInfo, Icon: "info",
			Title: i18n.T(ctx, "ops.dispute_"+string(d.Status)),
			Body:  i18n.T(ctx, "ops.dispute_"+string(d.Status)+"_body")}},
		Parts: []pages.Part{{ID: "dispute", Title: i18n.T(ctx, "ops.kind_dispute"), Facts: disputeFacts(c, d)}},
	}
	if d.BankStatus != "" {
		props.Notices = append(props.Notices, components.NoticeProps{Tone: components.ToneBad, Icon: "triangle-alert",
			Title: i18n.T(ctx, "ops.dispute_word", d.BankStatus), Body: i18n.T(ctx, "ops.dispute_word_body")})
	}
	if d.DefenseAt != nil {
		answer, err := s.answerPart(c, d)
		if err != nil {
			return err
		}
		props.Parts = append(props.Parts, answer)
	}
	if len(files) > 0 {
		part := pages.Part{ID: "files", Title: i18n.T(ctx, "dispute.files")}
		for _, f := range files {
			part.Facts = append(part.Facts, components.KeyValue{
				Key:   i18n.T(ctx, "dispute.size", i18n.Number(ctx, (f.Size+1023)/1024)),
				Value: f.Name, Href: "/ops/disputas/" + d.ID + "/arquivos/" + f.ID})
		}
		props.Parts = append(props.Parts, part)
	}
	if props.History, err = s.acts(c, d.ID); err != nil {
		return err
	}
	if outcomes := disputeOutcomes(d); len(outcomes) > 0 {
		props.Decision = &pages.DecisionForm{Kind: "dispute", Action: "/ops/disputas/" + d.ID, Outcomes: outcomes,
			ReasonLabel: i18n.T(ctx, "ops.reason_kept_label"), ReasonHint: i18n.T(ctx, "ops.dispute_reason_hint"),
			Fields: in.DecisionFields, Errors: errs}
	}
	return s.showCase(c, props, page.Text(d.AccountID), d.ID, changed)
}

func disputeFacts(c *fiber.Ctx, d *models.Dispute) []components.KeyValue {
	ctx := c.UserContext()
	payment := "/ops/excecoes/" + d.PaymentID
	if d.CheckoutID != nil {
		payment = "/ops/cobrancas/" + *d.CheckoutID
	}
	return []components.KeyValue{
		{Key: i18n.T(ctx, "dispute.answer_by"), Value: i18n.DateTime(ctx, d.AnswerBy)},
		{Key: i18n.T(ctx, "dispute.amount"), Value: i18n.Money(ctx, d.Amount)},
		{Key: i18n.T(ctx, "dispute.held"), Value: i18n.Money(ctx, d.Held())},
		{Key: i18n.T(ctx, "dispute.returned"), Value: i18n.Money(ctx, d.Returned)},
		{Key: i18n.T(ctx, "dispute.cause"), Value: d.Cause},
		{Key: i18n.T(ctx, "ops.dispute_ref"), Value: d.BankRef, Mono: true},
		{Key: i18n.T(ctx, "ops.payment_id"), Value: d.PaymentID, Mono: true, Href: payment},
		{Key: i18n.T(ctx, "withdrawals.end_to_end_id"), Value: d.EndToEndID, Mono: true},
		{Key: i18n.T(ctx, "dispute.opened_at"), Value: i18n.DateTime(ctx, d.OpenedAt)},
		{Key: i18n.T(ctx, "ops.reason_kept_label"), Value: page.Text(d.CloseReason)},
	}
}

// answerPart returns what the account answered.
func (s *console) answerPart(c *fiber.Ctx, d *models.Dispute) (pages.Part, error) {
	ctx := c.UserContext()
	by, sent := i18n.T(ctx, "dispute.at_bank"), i18n.T(ctx, "dispute.not_sent")
	if d.DefenseBy != nil {
		user, err := models.UserByID(ctx, s.DB, *d.DefenseBy)
		if err != nil {
			return pages.Part{}, fmt.Errorf("console: read who answered %s: %w", d.ID, err)
		}
		by = user.Name
	}
	if d.DefenseSentAt != nil {
		sent = i18n.DateTime(ctx, *d.DefenseSentAt)
	}
	text := page.Text(d.Defense)
	if d.Status == models.DisputeAccepted {
		text = i18n.T(ctx, "dispute.ACCEPTED")
	}
	return pages.Part{ID: "answer", Title: i18n.T(ctx, "dispute.answer_title"), Facts: []components.KeyValue{
		{Key: i18n.T(ctx, "dispute.text"), Value: text},
		{Key: i18n.T(ctx, "dispute.answered_by"), Value: by},
		{Key: i18n.T(ctx, "dispute.answered_at"), Value: i18n.DateTime(ctx, *d.DefenseAt)},
		{Key: i18n.T(ctx, "dispute.sent_at"), Value: sent},
	}}, nil
}

// disputeFile answers GET /ops/disputas/:id/arquivos/:file.
func (s *console) disputeFile(c *fiber.Ctx) error {
	return s.SendDisputeFile(c, c.Params("id"))
}

// withDisputes adds the disputes of a checkout's payments to the parts of its page, and the way to open one
// of each live payment.
func (s *console) withDisputes(c *fiber.Ctx, parts []pages.Part, checkout *models.AnyCheckout) ([]pages.Part, error) {
	if checkout.Environment != models.Live {
		return parts, nil
	}
	ctx := c.UserContext()
	found, err := models.DisputesOfCheckout(ctx, s.DB.Pool, checkout.AccountID, checkout.ID)
	if err != nil {
		return nil, fmt.Errorf("console: read the disputes of %s: %w", checkout.ID, err)
	}
	received, err := models.PaymentsOf(ctx, s.DB.Pool, checkout.ID)
	if err != nil {
		return nil, fmt.Errorf("console: read the payments of %s: %w", checkout.ID, err)
	}
	part := pages.Part{ID: "disputes", Title: i18n.T(ctx, "ops.nav_disputes")}
	for _, d := range found {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, "status.dispute_"+string(d.Status)),
			Value: i18n.Money(ctx, d.Amount) + " · " + d.BankRef, Href: "/ops/disputas/" + d.ID})
	}
	for _, p := range received {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.Money(ctx, p.Amount),
			Value: i18n.T(ctx, "ops.dispute_new"), Href: "/ops/disputas/nova?payment=" + p.ID})
	}
	if len(part.Facts) == 0 {
		return parts, nil
	}
	return append(parts, part), nil
}
