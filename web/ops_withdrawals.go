package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/quote"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// What can be done to a withdrawal besides a review.
const (
	outcomeStart    = "START"    // a payout by hand
	outcomeComplete = "COMPLETE" // it arrived, with its proof
	outcomeFail     = "FAIL"     // it will certainly not
	outcomeReturn   = "RETURN"   // it came back
)

// withdrawalOutcomes are what can be done in each state.
var withdrawalOutcomes = map[models.WithdrawalStatus][]string{
	models.WithdrawalPendingReview: {outcomeApprove, outcomeAsk, outcomeReject},
	models.WithdrawalApproved:      {outcomeStart, outcomeFail},
	models.WithdrawalProcessing:    {outcomeComplete, outcomeFail},
	models.WithdrawalCompleted:     {outcomeReturn},
}

// withdrawalReasons are the codes of why one is refused, fails or comes back.
var withdrawalReasons = []string{"DESTINATION_PROBLEM", "HOLDER_MISMATCH", "ACTIVITY_REVIEW", "PROVIDER_REFUSED", reasonAsked, "OTHER"}

// withdrawalQueue is money on its way out, and what became of it.
func (s *server) withdrawalQueue() queue {
	statuses := map[string][]models.WithdrawalStatus{
		"analise": {models.WithdrawalPendingReview}, "pagar": {models.WithdrawalApproved, models.WithdrawalProcessing},
	}
	return queue{id: layouts.OpsWithdrawals, path: "/ops/saques", tabs: []string{"analise", "pagar", "todos"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			found, err := models.Withdrawals(c.UserContext(), s.DB.Pool, models.WithdrawalFilter{
				Statuses: statuses[tab], OldestFirst: tab != "todos", After: after, Limit: limit,
			})
			return s.withdrawalRows(c, found), err
		}}
}

func (s *server) withdrawalRows(c *fiber.Ctx, found []models.AccountWithdrawal) (rows []queued) {
	for _, w := range found {
		amount := w.Amount
		row := queued{at: models.Position{CreatedAt: w.CreatedAt, ID: w.ID}, OpsItem: pages.OpsItem{
			Href: "/ops/saques/" + w.ID, Title: w.AccountName, Amount: &amount, Since: w.CreatedAt,
			Detail: destinationKind(c.UserContext(), &w.Destination) + " · " + w.Destination.Masked, Badge: pages.OpsWithdrawalBadge(string(w.Status)),
			Late: withdrawalWaits(w.Status) && s.late(w.CreatedAt),
		}}
		if w.Status == models.WithdrawalPendingReview && w.FirstApprovedBy != nil {
			row.Detail = row.Detail + " · " + i18n.T(c.UserContext(), "ops.second_waits")
		}
		rows = append(rows, row)
	}
	return rows
}

// withdrawalWaits reports whether a withdrawal waits for staff.
func withdrawalWaits(status models.WithdrawalStatus) bool {
	return slices.Contains([]models.WithdrawalStatus{models.WithdrawalPendingReview, models.WithdrawalApproved, models.WithdrawalProcessing}, status)
}

// opsWithdrawal shows GET /ops/saques/:id.
func (s *server) opsWithdrawal(c *fiber.Ctx) error {
	return s.showWithdrawal(c, decision{id: c.Params("id")}, nil, false)
}

// withdrawalCase is what staff do to a withdrawal.
func (s *server) withdrawalCase() opsCase {
	return opsCase{
		show: s.showWithdrawal,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			w, err := models.AccountWithdrawalByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			if !slices.Contains(withdrawalOutcomes[w.Status], d.Outcome) {
				d.Outcome = ""
			}
			errs := checkWithdrawal(c, d)
			if d.Outcome == outcomeApprove && w.FirstApprovedBy != nil && *w.FirstApprovedBy == visitor(c).UserID {
				errs = components.FieldErrors{{Field: "outcome", Text: i18n.T(c.UserContext(), "problem.ops_"+string(fault.SecondPersonRequired))}}
			}
			return errs, w.Version == d.version, nil
		},
		preview: s.previewWithdrawal,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			by, ctx := payer(c), c.UserContext()
			switch d.Outcome {
			case outcomeApprove:
				_, err = s.Payments.ApproveWithdrawal(ctx, by, d.id, d.version)
			case outcomeAsk, outcomeReject:
				_, err = s.Payments.RejectWithdrawal(ctx, by, d.id, d.version, d.ReasonCode, d.Reason)
			case outcomeStart:
				_, err = s.Payments.StartPayout(ctx, by, d.id)
			case outcomeComplete:
				_, err = s.Payments.CompleteWithdrawal(ctx, by, d.id, payments.Proof{EndToEndID: d.Proof, TxHash: d.Proof})
			case outcomeFail:
				_, err = s.Payments.FailWithdrawal(ctx, by, d.id, d.ReasonCode, d.Reason)
			case outcomeReturn:
				_, err = s.Payments.ReturnWithdrawal(ctx, by, d.id, d.ReasonCode, d.Reason)
			}
			return "ops_decided", "/ops/saques/" + d.id, err
		},
	}
}

// checkWithdrawal reports what is wrong with the form.
func checkWithdrawal(c *fiber.Ctx, d *decision) components.FieldErrors {
	switch d.Outcome {
	case outcomeStart:
		d.ReasonCode, d.Reason = "", ""
		return nil
	case outcomeComplete:
		d.ReasonCode, d.Reason = "", ""
		if d.Proof == "" {
			return components.FieldErrors{{Field: "proof", Text: i18n.T(c.UserContext(), "problem.ops_proof_required")}}
		}
		return nil
	case outcomeFail, outcomeReturn:
		return reasonErrors(c, d, withdrawalReasons)
	}
	return checkReview(c, d, withdrawalReasons)
}

// withdrawalBecomes is the state that each outcome leads to.
var withdrawalBecomes = map[string]models.WithdrawalStatus{
	outcomeApprove: models.WithdrawalApproved, outcomeAsk: models.WithdrawalRejected, outcomeReject: models.WithdrawalRejected,
	outcomeStart: models.WithdrawalProcessing, outcomeComplete: models.WithdrawalCompleted, outcomeFail: models.WithdrawalFailed,
	outcomeReturn: models.WithdrawalReturned,
}

func (s *server) previewWithdrawal(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	w, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	becomes := withdrawalBecomes[d.Outcome]
	p := preview{
		section: layouts.OpsWithdrawals, title: i18n.T(ctx, "ops.preview_title"), back: i18n.Money(ctx, w.Amount), backHref: "/ops/saques/" + d.id,
		confirm: i18n.T(ctx, "ops.withdrawal_"+d.Outcome), danger: slices.Contains([]string{outcomeReject, outcomeFail}, d.Outcome),
	}
	switch d.Outcome {
	case outcomeApprove:
		p.effects = []string{i18n.T(ctx, "ops.effect_approve", i18n.Money(ctx, w.Net()), w.Destination.Masked)}
		if s.needsSecond(&w.Withdrawal) {
			becomes = models.WithdrawalPendingReview
			p.effects = []string{i18n.T(ctx, "ops.effect_first", i18n.Money(ctx, s.Payments.Withdrawals.FourEyes))}
		}
	case outcomeComplete:
		p.effects = []string{i18n.T(ctx, "ops.effect_complete", i18n.Money(ctx, w.Net()), i18n.Money(ctx, w.Fee)), i18n.T(ctx, "ops.effect_proof", d.Proof)}
	case outcomeStart:
		p.effects = []string{i18n.T(ctx, "ops.effect_start")}
	case outcomeReturn:
		p.effects = []string{i18n.T(ctx, "ops.effect_back", i18n.Money(ctx, w.Net()))}
	default:
		p.effects = []string{i18n.T(ctx, "ops.effect_back", i18n.Money(ctx, w.Amount))}
	}
	p.page = pages.StatusNotice(components.Withdrawal, string(becomes), d.Reason)
	p.language, err = s.spokenBy(c, w.AccountID)
	return p, err
}

// needsSecond reports whether the next approval is the first of two.
func (s *server) needsSecond(w *models.Withdrawal) bool {
	return w.Amount > s.Payments.Withdrawals.FourEyes && w.FirstApprovedBy == nil
}

// showWithdrawal answers with the page of a withdrawal.
func (s *server) showWithdrawal(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	w, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	head, err := s.accountHead(c, w.AccountID)
	if err != nil {
		return err
	}
	notices, err := s.withdrawalNotices(c, w, head.Flags)
	if err != nil {
		return err
	}
	props := pages.OpsCaseProps{
		Section: layouts.OpsWithdrawals, Href: "/ops/saques", Title: i18n.Money(ctx, w.Amount),
		Badge: pages.OpsWithdrawalBadge(string(w.Status)), Notices: notices, Account: &head,
	}
	if withdrawalWaits(w.Status) {
		props.Since, props.Late = &w.CreatedAt, s.late(w.CreatedAt)
	}
	destination, err := s.destinationPart(c, &w.Destination)
	if err != nil {
		return err
	}
	requester, err := s.requester(c, &w.Withdrawal)
	if err != nil {
		return err
	}
	props.Parts = []pages.OpsPart{{ID: "facts", Title: i18n.T(ctx, "withdrawals.facts"), Facts: withdrawalFacts(c, w, requester)}, destination}
	books, err := s.Payments.Books(ctx, w.AccountID, true)
	if err != nil {
		return err
	}
	props.Books = []pages.OpsBooks{opsBooks(true, books)}
	if destination.Facts, err = s.destinationUse(c, w, destination.Facts); err != nil {
		return err
	}
	sums, err := s.balanceMath(c, w, books)
	if err != nil {
		return err
	}
	props.Parts = []pages.OpsPart{props.Parts[0], sums, destination}
	others, err := models.Withdrawals(ctx, s.DB.Pool, models.WithdrawalFilter{AccountID: w.AccountID, Limit: opsLatest})
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(other models.AccountWithdrawal) bool { return other.ID == w.ID })
	props.Others = &pages.OpsOthers{Title: i18n.T(ctx, "ops.withdrawals_before"), None: i18n.T(ctx, "ops.withdrawals_none"), Items: ownItems(s.withdrawalRows(c, others))}
	if props.History, err = s.acts(c, w.ID); err != nil {
		return err
	}
	if outcomes := withdrawalOutcomes[w.Status]; len(outcomes) > 0 {
		props.Decision = s.withdrawalForm(c, w, outcomes, d, errs)
	}
	return s.showCase(c, props, w.AccountID, w.ID, changed)
}

// destinationUse adds to the facts of a destination how old it is and how it was used.
func (s *server) destinationUse(c *fiber.Ctx, w *models.AccountWithdrawal, facts []components.KeyValue) ([]components.KeyValue, error) {
	ctx := c.UserContext()
	use, err := models.UseOfDestination(ctx, s.DB.Pool, w.Destination.ID, w.ID)
	if err != nil {
		return nil, err
	}
	used := i18n.T(ctx, "ops.destination_unused")
	if use.LastAt != nil {
		used = i18n.N(ctx, "ops.destination_used", use.Completed) + " · " + i18n.T(ctx, "ops.destination_last", i18n.DateTime(ctx, *use.LastAt))
	}
	return append(facts,
		components.KeyValue{Key: i18n.T(ctx, "ops.destination_age"), Value: i18n.Age(ctx, w.Destination.CreatedAt, s.Now())},
		components.KeyValue{Key: i18n.T(ctx, "ops.destination_use"), Value: used}), nil
}

// balanceMath sets what was available as the withdrawal was asked for against what is now.
func (s *server) balanceMath(c *fiber.Ctx, w *models.AccountWithdrawal, now models.Balance) (pages.OpsPart, error) {
	ctx := c.UserContext()
	part := pages.OpsPart{ID: "balance", Title: i18n.T(ctx, "ops.balance_math")}
	lines, err := models.Statement(ctx, s.DB.Pool, w.AccountID, true, models.StatementFilter{
		From: w.CreatedAt.Add(-time.Second), Until: w.CreatedAt.Add(time.Second), Kinds: []models.MovementKind{models.MovementReservation}, Limit: opsLatest,
	})
	if err != nil {
		return part, err
	}
	row := func(key, value string) {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, key), Value: value})
	}
	for _, line := range lines {
		if line.LinkedID == w.ID {
			row("ops.balance_before", i18n.Money(ctx, line.Available+w.Amount))
			row("ops.balance_asked", i18n.Money(ctx, -w.Amount))
			row("ops.balance_after", i18n.Money(ctx, line.Available))
		}
	}
	row("ops.balance_now", i18n.Money(ctx, now.Available))
	row("ops.balance_reserved", i18n.Money(ctx, now.Reserved))
	return part, nil
}

// withdrawalForm asks what to do with a withdrawal in its state.
func (s *server) withdrawalForm(c *fiber.Ctx, w *models.AccountWithdrawal, outcomes []string, d decision, errs components.FieldErrors) *pages.DecisionForm {
	ctx := c.UserContext()
	form := &pages.DecisionForm{
		Kind: "withdrawal", Action: "/ops/saques/" + w.ID, Version: strconv.Itoa(w.Version), Outcomes: outcomes,
		Reasons: withdrawalReasons, ReasonKey: "ops.why_", ReasonHint: i18n.T(ctx, "ops.reason_hint"), Fields: d.DecisionFields, Errors: errs,
	}
	if slices.Contains(outcomes, outcomeComplete) {
		form.AskProof, form.ProofHint = i18n.T(ctx, "withdrawals.end_to_end_id"), i18n.T(ctx, "ops.proof_pix")
		if w.Rail == models.RailUSDT {
			form.AskProof, form.ProofHint = i18n.T(ctx, "withdrawals.tx_hash"), i18n.T(ctx, "ops.proof_usdt")
		}
	}
	return form
}

// withdrawalNotices are what to look out for.
func (s *server) withdrawalNotices(c *fiber.Ctx, w *models.AccountWithdrawal, flags []string) (notices []components.NoticeProps, err error) {
	ctx := c.UserContext()
	warn := func(title, body string) {
		notices = append(notices, components.NoticeProps{Tone: components.ToneWarn, Icon: "triangle-alert", Title: title, Body: body})
	}
	if w.Status != models.WithdrawalPendingReview {
		return nil, nil
	}
	if len(flags) > 0 {
		warn(i18n.T(ctx, "ops.account_risks"), strings.Join(flags, "\n"))
	}
	if w.Amount > s.Payments.Withdrawals.FourEyes {
		threshold := i18n.Money(ctx, s.Payments.Withdrawals.FourEyes)
		switch {
		case w.FirstApprovedBy == nil:
			warn(i18n.T(ctx, "ops.two_people"), i18n.T(ctx, "ops.two_people_body", threshold))
		case *w.FirstApprovedBy == visitor(c).UserID:
			warn(i18n.T(ctx, "ops.two_people"), i18n.T(ctx, "ops.first_was_you", i18n.DateTime(ctx, *w.FirstApprovedAt)))
		default:
			first, err := models.UserByID(s.DB.WithContext(ctx), *w.FirstApprovedBy)
			if err != nil {
				return nil, fmt.Errorf("web: read who first approved %s: %w", w.ID, err)
			}
			warn(i18n.T(ctx, "ops.two_people"), i18n.T(ctx, "ops.first_was_other", first.Name, i18n.DateTime(ctx, *w.FirstApprovedAt)))
		}
	}
	if w.ApprovalQuote != nil && w.Quote != nil {
		warn(i18n.T(ctx, "ops.quote_worse", quote.FormatRate(w.Quote.Rate), quote.FormatRate(w.ApprovalQuote.Rate)), "")
	}
	return notices, nil
}

// withdrawalFacts are what was asked for, and what became of it.
func withdrawalFacts(c *fiber.Ctx, w *models.AccountWithdrawal, requester string) []components.KeyValue {
	ctx := c.UserContext()
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "withdrawals.id"), Value: w.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.amount"), Value: i18n.Money(ctx, w.Amount)},
		{Key: i18n.T(ctx, "withdraw.fee"), Value: i18n.Money(ctx, w.Fee)},
		{Key: i18n.T(ctx, "ops.net"), Value: i18n.Money(ctx, w.Net())},
		{Key: i18n.T(ctx, "withdrawals.requested_at"), Value: i18n.DateTime(ctx, w.CreatedAt)},
		{Key: i18n.T(ctx, "withdrawals.requested_by"), Value: strings.TrimPrefix(requester+" · "+w.RequestedBy, " · ")},
		{Key: i18n.T(ctx, "withdrawals.end_to_end_id"), Value: text(w.EndToEndID), Mono: true},
		{Key: i18n.T(ctx, "withdrawals.tx_hash"), Value: text(w.TxHash), Mono: true},
		{Key: i18n.T(ctx, "ops.reason_code"), Value: text(w.FailureCode), Mono: true},
		{Key: i18n.T(ctx, "ops.reason"), Value: text(w.Reason)},
	}
	for _, q := range []struct {
		key   string
		quote *models.Quote
	}{{"ops.quote_request", w.Quote}, {"ops.quote_approval", w.ApprovalQuote}} {
		if q.quote != nil {
			facts = append(facts, components.KeyValue{Key: i18n.T(ctx, q.key), Value: i18n.T(ctx, "withdrawals.rate", i18n.Decimal(ctx, quote.FormatRate(q.quote.Rate))) +
				" · " + i18n.T(ctx, "withdrawals.usdt", i18n.Decimal(ctx, quote.FormatUSDT(q.quote.Amount))) + " · " + i18n.T(ctx, "ops.quote_until", i18n.DateTime(ctx, q.quote.ExpiresAt))})
		}
	}
	return facts
}

func opsBooks(live bool, b models.Balance) pages.OpsBooks {
	return pages.OpsBooks{Live: live, Gross: b.Gross, Fee: b.Fee, Pending: b.Pending, Available: b.Available, Reserved: b.Reserved, Blocked: b.Blocked}
}
