package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/usdt/quote"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// showWithdrawal answers with the page of a withdrawal.
func (s *console) showWithdrawal(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
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
	props := pages.CaseProps{
		Section: layouts.OpsWithdrawals, Href: "/ops/saques", Title: i18n.Money(ctx, w.Amount),
		Badge: pages.WithdrawalBadge(string(w.Status)), Notices: notices, Account: &head,
	}
	if w.Status == models.WithdrawalPendingReview || w.Status == models.WithdrawalApproved {
		if props.Stops, err = s.withdrawalStopsFor(c, head); err != nil {
			return err
		}
	}
	if props.TakesPart, err = s.takesPart(c, models.Matter{
		AccountID: w.AccountID, Since: w.CreatedAt, AskedBy: w.RequestedBy,
	}); err != nil {
		return err
	}
	if withdrawalWaits(w.Status) {
		props.Since, props.Late = &w.CreatedAt, s.late(w.CreatedAt)
	}
	paid, err := s.payoutsOf(c, w)
	if err != nil {
		return err
	}
	props.Notices = append(props.Notices, paid.notice(c)...)
	if err := s.withdrawalParts(c, w, &props); err != nil {
		return err
	}
	props.Parts = slices.Insert(props.Parts, 1, paid.parts(c)...)
	barred := len(props.Stops) > 0 || approvedFirst(c, w)
	if outcomes := s.leaveToBank(paid, outcomesNow(w.Status, barred)); len(outcomes) > 0 {
		props.Decision = s.withdrawalForm(c, w, outcomes, d, errs)
	}
	return s.showCase(c, props, w.AccountID, w.ID, changed)
}

// approvedFirst reports whether the visitor gave the first of two approvals, and so cannot give the second.
func approvedFirst(c *fiber.Ctx, w *models.AccountWithdrawal) bool {
	return w.FirstApprovedBy != nil && *w.FirstApprovedBy == page.Visitor(c).UserID
}

// outcomesNow lists what staff may decide about a withdrawal in its state. One that is barred, because something
// stops it or another person must approve it, can be neither approved nor sent.
func outcomesNow(status models.WithdrawalStatus, barred bool) []string {
	outcomes := slices.Clone(withdrawalOutcomes[status])
	if barred {
		outcomes = slices.DeleteFunc(outcomes, func(outcome string) bool {
			return outcome == outcomeApprove || outcome == outcomeStart
		})
	}
	return outcomes
}

// withdrawalParts fills in what the page shows below its head: the facts of the withdrawal,
// the balance, the destination, the account's other withdrawals and the history.
func (s *console) withdrawalParts(c *fiber.Ctx, w *models.AccountWithdrawal, props *pages.CaseProps) error {
	ctx := c.UserContext()
	destination, err := s.destinationPart(c, &w.Destination)
	if err != nil {
		return err
	}
	requester, err := s.Requester(c, &w.Withdrawal)
	if err != nil {
		return err
	}
	facts := pages.Part{
		ID: "facts", Title: i18n.T(ctx, "withdrawals.facts"), Facts: withdrawalFacts(c, w, requester),
	}
	books, err := s.Payments.Books(ctx, w.AccountID, models.Live)
	if err != nil {
		return err
	}
	props.Books = []pages.Books{shownBooks(models.Live, books)}
	if destination.Facts, err = s.destinationUse(c, w, destination.Facts); err != nil {
		return err
	}
	sums, err := s.balanceMath(c, w, books)
	if err != nil {
		return err
	}
	props.Parts = []pages.Part{facts, sums, destination}
	if props.Others, err = s.otherWithdrawals(c, w); err != nil {
		return err
	}
	props.History, err = s.acts(c, w.ID)
	return err
}

// otherWithdrawals lists the latest withdrawals of the account besides this one.
func (s *console) otherWithdrawals(c *fiber.Ctx, w *models.AccountWithdrawal) (*pages.Others, error) {
	ctx := c.UserContext()
	others, err := models.Withdrawals(ctx, s.DB.Read,
		models.WithdrawalFilter{AccountID: w.AccountID, Limit: latestRows})
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(other models.AccountWithdrawal) bool { return other.ID == w.ID })
	return &pages.Others{
		Title: i18n.T(ctx, "ops.withdrawals_before"), None: i18n.T(ctx, "ops.withdrawals_none"),
		Items: ownItems(s.withdrawalRows(c, others)),
	}, nil
}

// destinationUse adds to the facts of a destination how old it is and how it was used.
func (s *console) destinationUse(
	c *fiber.Ctx, w *models.AccountWithdrawal, facts []components.KeyValue,
) ([]components.KeyValue, error) {
	ctx := c.UserContext()
	use, err := models.UseOfDestination(ctx, s.DB.Pool, w.Destination.ID, w.ID)
	if err != nil {
		return nil, err
	}
	used := i18n.T(ctx, "ops.destination_unused")
	if use.LastAt != nil {
		used = i18n.N(ctx, "ops.destination_used", use.Completed) + " · " +
			i18n.T(ctx, "ops.destination_last", i18n.DateTime(ctx, *use.LastAt))
	}
	return append(facts,
		components.KeyValue{Key: i18n.T(ctx, "ops.destination_age"), Value: i18n.Age(
			ctx, w.Destination.CreatedAt, s.Now(),
		)},
		components.KeyValue{Key: i18n.T(ctx, "ops.destination_use"), Value: used}), nil
}

// balanceMath compares what was available when the withdrawal was requested with what is
// available now.
func (s *console) balanceMath(c *fiber.Ctx, w *models.AccountWithdrawal, now models.Balance) (pages.Part, error) {
	ctx := c.UserContext()
	part := pages.Part{ID: "balance", Title: i18n.T(ctx, "ops.balance_math")}
	lines, err := models.Statement(ctx, s.DB.Read, w.AccountID, models.Live, models.StatementFilter{
		From: w.CreatedAt.Add(-time.Second), Until: w.CreatedAt.Add(time.Second),
		Kinds: []models.MovementKind{models.MovementReservation}, Limit: latestRows,
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
func (s *console) withdrawalForm(
	c *fiber.Ctx, w *models.AccountWithdrawal, outcomes []string, d decision, errs components.FieldErrors,
) *pages.DecisionForm {
	ctx := c.UserContext()
	form := &pages.DecisionForm{
		Kind: "withdrawal", Action: "/ops/saques/" + w.ID, Version: strconv.Itoa(w.Version), Outcomes: outcomes,
		Reasons: withdrawalReasons, ReasonKey: "ops.why_", ReasonHint: i18n.T(ctx, "ops.reason_hint"),
		Fields: d.DecisionFields, Errors: errs,
	}
	if slices.Contains(outcomes, outcomeComplete) {
		form.AskProof, form.ProofHint = proofLabel(c, w), i18n.T(ctx, "ops.proof_pix")
		if w.Rail == models.RailUSDT {
			form.ProofHint = i18n.T(ctx, "ops.proof_usdt")
		}
	}
	return form
}

// withdrawalNotices lists the risks that staff must look at before they decide.
func (s *console) withdrawalNotices(
	c *fiber.Ctx, w *models.AccountWithdrawal, flags []string,
) (notices []components.NoticeProps, err error) {
	ctx := c.UserContext()
	warn := func(title, body string) {
		notices = append(notices, components.NoticeProps{
			Tone: components.ToneWarn, Icon: "triangle-alert", Title: title, Body: body,
		})
	}
	if w.Destination.RemovedAt != nil && (w.Status == models.WithdrawalPendingReview ||
		w.Status == models.WithdrawalApproved) {
		warn(i18n.T(ctx, "ops.destination_removed"),
			i18n.T(ctx, "ops.destination_removed_body", i18n.DateTime(ctx, *w.Destination.RemovedAt)))
	}
	if w.Status != models.WithdrawalPendingReview {
		return notices, nil
	}
	if len(flags) > 0 {
		warn(i18n.T(ctx, "ops.account_risks"), strings.Join(flags, "\n"))
	}
	if w.Amount > s.Payments.Withdrawals.FourEyes {
		threshold := i18n.Money(ctx, s.Payments.Withdrawals.FourEyes)
		switch {
		case w.FirstApprovedBy == nil:
			warn(i18n.T(ctx, "ops.two_people"), i18n.T(ctx, "ops.two_people_body", threshold))
		case *w.FirstApprovedBy == page.Visitor(c).UserID:
			warn(i18n.T(ctx, "ops.two_people"),
				i18n.T(ctx, "ops.first_was_you", i18n.DateTime(ctx, *w.FirstApprovedAt)))
		default:
			first, err := models.UserByID(ctx, s.DB, *w.FirstApprovedBy)
			if err != nil {
				return nil, fmt.Errorf("console: read who first approved %s: %w", w.ID, err)
			}
			stands, err := s.Payments.FirstApprovalStands(ctx, &w.Withdrawal)
			if err != nil {
				return nil, err
			}
			told := i18n.T(ctx, "ops.first_was_other", first.Name, i18n.DateTime(ctx, *w.FirstApprovedAt))
			if !stands {
				told = i18n.T(ctx, "ops.first_void", first.Name)
			}
			warn(i18n.T(ctx, "ops.two_people"), told)
		}
	}
	if w.ApprovalQuote != nil && w.Quote != nil {
		warn(i18n.T(ctx, "ops.quote_worse", quote.FormatRate(w.Quote.Rate), quote.FormatRate(w.ApprovalQuote.Rate)), "")
	}
	return notices, nil
}

// withdrawalFacts lists what was requested and how it ended.
func withdrawalFacts(c *fiber.Ctx, w *models.AccountWithdrawal, requester string) []components.KeyValue {
	ctx := c.UserContext()
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "withdrawals.id"), Value: w.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.amount"), Value: i18n.Money(ctx, w.Amount)},
		{Key: i18n.T(ctx, "withdraw.fee"), Value: i18n.Money(ctx, w.Fee)},
		{Key: i18n.T(ctx, "ops.net"), Value: i18n.Money(ctx, w.Net())},
		{Key: i18n.T(ctx, "withdrawals.requested_at"), Value: i18n.DateTime(ctx, w.CreatedAt)},
		{Key: i18n.T(ctx, "withdrawals.requested_by"), Href: base.OpsPage(w.RequestedBy),
			Value: strings.TrimPrefix(requester+" · "+w.RequestedBy, " · ")},
		{Key: i18n.T(ctx, "withdrawals.end_to_end_id"), Value: page.Text(w.EndToEndID), Mono: true},
		{Key: i18n.T(ctx, "withdrawals.tx_hash"), Value: page.Text(w.TxHash), Mono: true},
		{Key: i18n.T(ctx, "ops.reason_code"), Value: page.Text(w.FailureCode), Mono: true},
		{Key: i18n.T(ctx, "ops.reason"), Value: page.Text(w.Reason)},
	}
	for _, q := range []struct {
		key   string
		quote *models.Quote
	}{{"ops.quote_request", w.Quote}, {"ops.quote_approval", w.ApprovalQuote}} {
		if q.quote != nil {
			rate := i18n.T(ctx, "withdrawals.rate", i18n.Decimal(ctx, quote.FormatRate(q.quote.Rate)))
			amount := i18n.T(ctx, "withdrawals.usdt", i18n.Decimal(ctx, quote.FormatUSDT(q.quote.Amount)))
			until := i18n.T(ctx, "ops.quote_until", i18n.DateTime(ctx, q.quote.ExpiresAt))
			facts = append(facts, components.KeyValue{
				Key: i18n.T(ctx, q.key), Value: rate + " · " + amount + " · " + until,
			})
		}
	}
	return facts
}

func shownBooks(environment models.Environment, b models.Balance) pages.Books {
	return pages.Books{
		Live: environment == models.Live, Gross: b.Gross, Fee: b.Fee, Pending: b.Pending,
		Available: b.Available, Reserved: b.Reserved, Blocked: b.Blocked,
	}
}
