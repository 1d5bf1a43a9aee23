package console

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// outcomeWithdraw withdraws one's own proposal.
const outcomeWithdraw = "WITHDRAW"

// feeQueue is the queue of proposed fees that another person has to approve.
func (s *console) feeQueue() queue {
	return queue{id: layouts.OpsFees, path: "/ops/tarifas", tabs: []string{"pending", "decided"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			list := models.PendingFeeProposals
			if tab == "decided" {
				list = models.DecidedFeeProposals
			}
			found, err := list(c.UserContext(), s.DB.Pool, after, limit)
			if err != nil {
				return nil, fmt.Errorf("console: list proposed fees: %w", err)
			}
			return s.feeRows(c, found)
		}}
}

func (s *console) feeRows(c *fiber.Ctx, found []models.ListedFeeProposal) (rows []queued, err error) {
	for _, p := range found {
		fees, err := s.FeesOr(c, p.Fee, p.WithdrawalFee)
		if err != nil {
			return nil, err
		}
		pending := p.Status == models.ProposalPending
		rows = append(rows, queued{at: models.Position{CreatedAt: p.ProposedAt, ID: p.ID}, Item: pages.Item{
			Href: "/ops/tarifas/" + p.ID, Title: p.AccountName,
			Detail: fees.Text(c.UserContext()) + " · " + p.Proposer,
			Badge:  components.StatusBadge(components.Fee, string(p.Status)), Since: p.ProposedAt, Late: pending &&
				s.late(p.ProposedAt),
		}})
	}
	return rows, nil
}

// otherFees lists the latest proposals for an account besides one.
func (s *console) otherFees(c *fiber.Ctx, accountID, except string) (*pages.Others, error) {
	found, err := models.FeeProposalsOf(c.UserContext(), s.DB.Pool, accountID, latestRows)
	if err != nil {
		return nil, fmt.Errorf("console: list the fees of %s: %w", accountID, err)
	}
	rows, err := s.feeRows(c,
		slices.DeleteFunc(found, func(p models.ListedFeeProposal) bool { return p.ID == except }))
	return &pages.Others{Title: i18n.T(c.UserContext(), "ops.fees_before"),
		None: i18n.T(c.UserContext(), "ops.fees_none"), Items: ownItems(rows)}, err
}

// fee shows GET /ops/tarifas/:id.
func (s *console) fee(c *fiber.Ctx) error {
	return s.showFee(c, decision{id: c.Params("id")}, nil, false)
}

// feeCase is the decision about a proposed fee.
func (s *console) feeCase() decisionCase {
	return decisionCase{
		show: s.showFee,
		check: func(c *fiber.Ctx, d *decision) (errs components.FieldErrors, current bool, err error) {
			p, err := models.FeeProposalByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			if !slices.Contains([]string{outcomeApprove, outcomeReject, outcomeWithdraw}, d.Outcome) {
				errs = append(errs, components.FieldError{Field: "outcome",
					Text: i18n.T(c.UserContext(), "problem.ops_outcome")})
			}
			if d.Outcome == outcomeReject {
				errs = append(errs, reasonErrors(c, d, nil)...)
			}
			return errs, p.Status == models.ProposalPending, nil
		},
		preview: s.previewFee,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			switch d.Outcome {
			case outcomeApprove:
				err = s.Merchants.ApproveFee(c.UserContext(), page.Actor(c), d.id)
			case outcomeReject:
				err = s.Merchants.RefuseFee(c.UserContext(), page.Actor(c), d.id, d.Reason)
			default:
				err = s.Merchants.WithdrawFee(c.UserContext(), page.Actor(c), d.id)
			}
			return "ops_fee_" + d.Outcome, "/ops/tarifas/" + d.id, err
		},
	}
}

func (s *console) previewFee(c *fiber.Ctx, d decision) (preview, error) {
	p, err := models.FeeProposalByID(c.UserContext(), s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	ctx := c.UserContext()
	shown := preview{
		section: layouts.OpsFees, title: i18n.T(ctx, "ops.preview_title"), back: p.AccountName,
		backHref: "/ops/tarifas/" + d.id, account: p.AccountID,
		confirm: i18n.T(ctx, "ops.fee_"+d.Outcome), effects: []string{i18n.T(ctx, "ops.effect_fee_nothing")},
	}
	n, err := s.feeNotice(c, p.FeeProposal)
	if err != nil {
		return preview{}, err
	}
	if shown.others, err = s.otherFees(c, p.AccountID, p.ID); err != nil {
		return preview{}, err
	}
	shown.facts = append([]components.KeyValue{
		{Key: i18n.T(ctx, "ops.proposed"), Value: i18n.T(ctx, "ops.fee_proposed_by", p.Proposer,
			i18n.DateTime(ctx, p.ProposedAt))}}, feeFacts(c, p, n)...)
	if d.Outcome != outcomeApprove {
		return shown, nil
	}
	starts := p.StartsAt
	if starts == nil || !starts.After(s.Now()) {
		now := s.Now()
		starts = &now
	}
	proposed := p.FeeProposal
	proposed.StartsAt = starts
	return shown, s.fillFeePreview(c, &shown, proposed)
}

// fillFeePreview adds the effects of proposed fees.
func (s *console) fillFeePreview(c *fiber.Ctx, shown *preview, p models.FeeProposal) error {
	ctx, accountID, from := c.UserContext(), p.AccountID, p.StartsAt
	account, err := s.anyAccount(c, accountID)
	if err != nil {
		return err
	}
	n, err := s.feeNotice(c, p)
	if err != nil {
		return err
	}
	shown.effects = feeEffects(ctx, n)
	fees, err := models.AccountFees(ctx, s.DB.Pool, accountID)
	if err != nil {
		return err
	}
	if planned := page.NextFee(fees, s.Now()); planned != nil && (from == nil || !planned.ValidFrom.Before(*from)) {
		shown.effects = append(shown.effects, i18n.T(ctx, "ops.effect_fee_scheduled",
			i18n.DateTime(ctx, planned.ValidFrom)))
	}
	shown.compare = &pages.Part{ID: "example", Title: n.ExampleTitle(ctx), Diff: n.Diff(ctx)}
	if shown.language, err = s.spokenBy(c, accountID); err != nil {
		return err
	}
	shown.page, shown.mail = pages.FeeNoticePart(n), mailSubject(shown.language, models.MailFeeChanged, account.Name)
	return nil
}

// feeEffects returns the effects of the fees that change.
func feeEffects(ctx context.Context, n pages.FeeNotice) (effects []string) {
	add := func(of string, before, after money.Fee) {
		effect := i18n.T(ctx, "ops.effect_"+of+"_approval", i18n.Fee(ctx, after))
		if n.From != nil {
			effect = i18n.T(ctx, "ops.effect_"+of, i18n.DateTime(ctx, *n.From), i18n.Fee(ctx, after))
		}
		effects = append(effects, effect, i18n.T(ctx, "ops.effect_"+of+"_kept", i18n.Fee(ctx, before)))
	}
	charge, withdrawal := n.Changes()
	if charge {
		add("fee", n.Before.Charge, n.After.Charge)
	}
	if withdrawal {
		add("withdrawal_fee", n.Before.Withdrawal, n.After.Withdrawal)
	}
	return effects
}

// feeNotice returns the notice about what a proposal changes of the current fees.
func (s *console) feeNotice(c *fiber.Ctx, p models.FeeProposal) (n pages.FeeNotice, err error) {
	n = pages.FeeNotice{From: p.StartsAt, Reason: p.Reason}
	account, err := s.anyAccount(c, p.AccountID)
	if err != nil {
		return n, err
	}
	terms, err := s.Payments.TermsAt(c.UserContext(), account, s.Now())
	if err != nil {
		return n, fmt.Errorf("console: read the fees: %w", err)
	}
	n.Before = page.ShownTerms(terms).Fees
	n.After, err = s.FeesOr(c, p.Fee, p.WithdrawalFee)
	return n, err
}

// showFee answers with the page of a proposal.
func (s *console) showFee(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	p, err := models.FeeProposalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	n, err := s.feeNotice(c, p.FeeProposal)
	if err != nil {
		return err
	}
	props := pages.CaseProps{
		Section: layouts.OpsFees, Href: "/ops/tarifas", Title: p.AccountName,
		Badge: components.StatusBadge(components.Fee, string(p.Status)),
		Parts: []pages.Part{{
			ID: "proposal", Title: i18n.T(ctx, "ops.fee_proposal"),
			Note:  i18n.T(ctx, "ops.fee_proposed_by", p.Proposer, i18n.DateTime(ctx, p.ProposedAt)),
			Facts: feeFacts(c, p, n),
		}},
	}
	if props.History, err = s.acts(c, p.ID); err != nil {
		return err
	}
	if p.Status == models.ProposalPending {
		props.Parts = append(props.Parts, pages.Part{ID: "example", Title: n.ExampleTitle(ctx), Diff: n.Diff(ctx)})
		props.Since, props.Late = &p.ProposedAt, s.late(p.ProposedAt)
		if err := s.fillFeeDecision(c, &props, p, d, errs); err != nil {
			return err
		}
	}
	return s.showCase(c, props, p.AccountID, p.ID, changed)
}

// feeFacts returns what was proposed, and what applies today while the proposal is pending.
func feeFacts(c *fiber.Ctx, p *models.ListedFeeProposal, n pages.FeeNotice) []components.KeyValue {
	ctx := c.UserContext()
	starts, today := i18n.T(ctx, "ops.fee_starts_approval"), ""
	if p.StartsAt != nil {
		starts = i18n.DateTime(ctx, *p.StartsAt)
	}
	if p.Status == models.ProposalPending {
		today = n.Before.Text(ctx)
	}
	return append(n.After.Facts(ctx),
		components.KeyValue{Key: i18n.T(ctx, "ops.fee_today"), Value: today},
		components.KeyValue{Key: i18n.T(ctx, "ops.fee_starts"), Value: starts},
		components.KeyValue{Key: i18n.T(ctx, "ops.fee_reason"), Value: p.Reason})
}

// fillFeeDecision adds the decisions that the person may make about a pending proposal, or
// says who may decide.
func (s *console) fillFeeDecision(c *fiber.Ctx, props *pages.CaseProps, p *models.ListedFeeProposal, d decision,
	errs components.FieldErrors) error {
	ctx := c.UserContext()
	form := pages.DecisionForm{Kind: "fee", Action: "/ops/tarifas/" + p.ID, Version: "1", Fields: d.DecisionFields,
		Errors: errs}
	switch {
	case p.ProposedBy == page.Visitor(c).UserID:
		form.Outcomes = []string{outcomeWithdraw}
	case !page.Visitor(c).StaffRole.Can(models.SetTerms):
		props.Notices = append(props.Notices, components.NoticeProps{
			Tone: components.ToneInfo, Icon: "users", Title: i18n.T(ctx, "ops.fee_waits"),
			Body: i18n.T(ctx, "ops.fee_waits_body"),
		})
		return nil
	default:
		form.Outcomes = []string{outcomeApprove, outcomeReject}
		form.ReasonLabel, form.ReasonHint = i18n.T(ctx, "ops.reason_kept_label"), i18n.T(ctx, "ops.reason_kept")
		proposer, err := models.UserAsDecider(ctx, s.DB.Pool, p.ProposedBy,
			models.Matter{AccountID: p.AccountID, Since: p.ProposedAt})
		if err != nil {
			return err
		}
		if !proposer.StaffRole.Can(models.Review) || proposer.TakesPart {
			form.Outcomes = []string{outcomeReject}
			props.Notices = append(props.Notices, components.NoticeProps{
				Tone: components.ToneWarn, Icon: "triangle-alert", Title: i18n.T(ctx, "ops.fee_gone"),
				Body: i18n.T(ctx, "ops.fee_gone_body"),
			})
		}
	}
	props.Decision = &form
	return nil
}
