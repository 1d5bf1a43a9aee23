package console

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// fillTerms adds an account's fees and limits, with who decided them, to its page.
func (s *console) fillTerms(c *fiber.Ctx, id string, props *pages.AccountProps) error {
	ctx, now := c.UserContext(), s.Now()
	account, err := s.anyAccount(c, id)
	if err != nil {
		return err
	}
	terms, err := s.Payments.TermsAt(ctx, account, now)
	if err != nil {
		return err
	}
	fees, err := models.AccountFees(ctx, s.DB.Pool, id)
	if err != nil {
		return err
	}
	current := page.CurrentFee(fees, now)
	props.Terms = pages.Terms{
		Now: page.ShownTerms(terms), OwnFee: current.Fee != nil, OwnWithdrawalFee: current.WithdrawalFee != nil,
		CanLimit: !props.Account.Own && page.Visitor(c).StaffRole.Can(models.SetTerms),
	}
	pending, err := models.PendingFeeProposal(ctx, s.DB.Pool, id)
	switch {
	case errors.Is(err, models.ErrNotFound):
		props.Terms.CanChange = !props.Account.Own
	case err != nil:
		return err
	default:
		proposed, err := s.FeesOr(c, pending.Fee, pending.WithdrawalFee)
		if err != nil {
			return err
		}
		props.Terms.Pending = &pages.FeePending{ID: pending.ID, By: pending.Proposer, Fees: proposed,
			At: pending.ProposedAt}
	}
	return s.fillTermsHistory(c, id, fees, props)
}

// fillTermsHistory adds every decided change, the latest first.
func (s *console) fillTermsHistory(c *fiber.Ctx, id string, fees []models.AccountFee,
	props *pages.AccountProps) error {
	ctx, now := c.UserContext(), s.Now()
	history, err := models.AccountLimitsOf(ctx, s.DB.Pool, id)
	if err != nil {
		return err
	}
	byHand := i18n.T(ctx, "ops.terms_by_hand")
	type decided struct {
		at time.Time
		pages.TermsChange
	}
	var all []decided
	for _, f := range fees {
		change := pages.TermsChange{What: feesInWords(c, f), From: f.ValidFrom,
			Later: f.ValidFrom.After(now), By: byHand, Reason: page.Text(f.Reason)}
		if f.ProposalID != nil {
			change.By = i18n.T(ctx, "ops.terms_two", f.Proposer, f.Approver)
		}
		all = append(all, decided{f.WrittenAt, change})
	}
	for _, l := range history {
		all = append(all, decided{l.WrittenAt, pages.TermsChange{
			What: limitsInWords(c, page.ShownTerms(s.Payments.Resolve(l.Limits))), From: l.ValidFrom,
			Later: l.ValidFrom.After(now),
			By:    cmp.Or(l.Writer, byHand), Reason: page.Text(l.Reason),
		}})
	}
	slices.SortStableFunc(all, func(a, b decided) int { return b.at.Compare(a.at) })
	for _, change := range all {
		props.Terms.History = append(props.Terms.History, change.TermsChange)
	}
	return nil
}

// feesInWords returns fees as one line of text.
func feesInWords(c *fiber.Ctx, f models.AccountFee) string {
	ctx := c.UserContext()
	words := func(fee *money.Fee) string {
		if fee == nil {
			return i18n.T(ctx, "ops.terms_fee_default")
		}
		return i18n.Fee(ctx, *fee)
	}
	return i18n.T(ctx, "terms.fee") + ": " + words(f.Fee) + " · " +
		i18n.T(ctx, "terms.withdrawal_fee") + ": " + words(f.WithdrawalFee)
}

// limitsInWords returns limits as one line of text.
func limitsInWords(c *fiber.Ctx, t base.Terms) string {
	var values []string
	for _, fact := range t.LimitFacts(c.UserContext()) {
		values = append(values, fact.Key+": "+fact.Value)
	}
	return strings.Join(values, " · ")
}
