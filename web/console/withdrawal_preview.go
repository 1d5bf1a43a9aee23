package console

import (
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
)

// withdrawalBecomes is the state after each outcome.
var withdrawalBecomes = map[string]models.WithdrawalStatus{
	outcomeApprove: models.WithdrawalApproved, outcomeAsk: models.WithdrawalRejected,
	outcomeReject: models.WithdrawalRejected,
	outcomeStart:  models.WithdrawalProcessing, outcomeComplete: models.WithdrawalCompleted,
	outcomeFail:   models.WithdrawalFailed,
	outcomeReturn: models.WithdrawalReturned,
}

func (s *console) previewWithdrawal(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	w, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsWithdrawals, title: i18n.T(ctx, "ops.preview_title"), back: i18n.Money(ctx, w.Amount),
		backHref: "/ops/saques/" + d.id, account: w.AccountID,
		confirm: i18n.T(ctx, "ops.withdrawal_"+d.Outcome),
		danger:  slices.Contains([]string{outcomeReject, outcomeFail}, d.Outcome),
	}
	if p.facts, err = s.withdrawalPreviewFacts(c, w); err != nil {
		return p, err
	}
	becomes, change := withdrawalBecomes[d.Outcome], models.Balance{}
	switch d.Outcome {
	case outcomeApprove:
		becomes, err = s.previewApproval(c, w, &p)
	case outcomeComplete:
		p.effects = []string{i18n.T(ctx, "ops.effect_complete", i18n.Money(ctx, w.Net()), i18n.Money(ctx, w.Fee))}
		p.facts = append(p.facts, components.KeyValue{Key: proofLabel(c, w), Value: d.Proof, Mono: true})
		change.Reserved = -w.Amount
	case outcomeStart:
		p.effects = []string{i18n.T(ctx, "ops.effect_start")}
		if w.Destination.RemovedAt != nil {
			p.confirm, p.danger = i18n.T(ctx, "ops.start_removed"), true
		}
	case outcomeReturn:
		change.Available, err = s.notReturned(c, w)
		p.effects = []string{i18n.T(ctx, "ops.effect_back", i18n.Money(ctx, change.Available))}
	default:
		p.effects = []string{i18n.T(ctx, "ops.effect_back", i18n.Money(ctx, w.Amount))}
		change.Available, change.Reserved = w.Amount, -w.Amount
	}
	if err != nil {
		return p, err
	}
	if w.Destination.RemovedAt != nil && (d.Outcome == outcomeApprove || d.Outcome == outcomeStart) {
		p.effects = append(p.effects, i18n.T(ctx, "ops.effect_removed", i18n.DateTime(ctx, *w.Destination.RemovedAt)))
	}
	if p.compare, err = s.balances(c, w.AccountID, models.Live, change); err != nil {
		return p, err
	}
	if p.others, err = s.otherWithdrawals(c, w); err != nil {
		return p, err
	}
	p.page = pages.StatusNotice(components.Withdrawal, string(becomes), d.Reason)
	p.language, err = s.spokenBy(c, w.AccountID)
	return p, err
}

// previewApproval adds the effects of an approval, and returns the state after it.
func (s *console) previewApproval(c *fiber.Ctx, w *models.AccountWithdrawal, p *preview) (models.WithdrawalStatus,
	error) {
	ctx := c.UserContext()
	address, err := s.WholeAddress(&w.Destination)
	if err != nil {
		return "", err
	}
	p.effects = []string{
		i18n.T(ctx, "ops.effect_approve", i18n.Money(ctx, w.Net()), address, w.Destination.HolderName),
	}
	if w.Destination.RemovedAt != nil {
		p.confirm, p.danger = i18n.T(ctx, "ops.approve_removed"), true
	}
	second, err := s.needsSecond(c, &w.Withdrawal)
	if err != nil || !second {
		return models.WithdrawalApproved, err
	}
	p.effects = append(p.effects, i18n.T(ctx, "ops.effect_first",
		i18n.Money(ctx, s.Payments.Withdrawals.FourEyes)))
	return models.WithdrawalPendingReview, nil
}

// notReturned returns what of a completed withdrawal has not come back.
func (s *console) notReturned(c *fiber.Ctx, w *models.AccountWithdrawal) (money.Cents, error) {
	returns, err := models.WithdrawalReturns(c.UserContext(), s.DB.Pool, w.ID)
	rest := w.Net()
	for _, r := range returns {
		rest -= r.Amount
	}
	return rest, err
}

// withdrawalPreviewFacts returns whose withdrawal it is, what was requested, who approved it first, and the whole
// destination.
func (s *console) withdrawalPreviewFacts(c *fiber.Ctx, w *models.AccountWithdrawal) ([]components.KeyValue, error) {
	requester, err := s.Requester(c, &w.Withdrawal)
	if err != nil {
		return nil, err
	}
	destination, err := s.destinationPart(c, &w.Destination)
	if err != nil {
		return nil, err
	}
	facts := withdrawalFacts(c, w, requester)
	if w.FirstApprovedBy != nil {
		first, err := models.UserByID(c.UserContext(), s.DB, *w.FirstApprovedBy)
		if err != nil {
			return nil, fmt.Errorf("console: read who first approved %s: %w", w.ID, err)
		}
		facts = append(facts, components.KeyValue{Key: i18n.T(c.UserContext(), "ops.first_approval"),
			Value: first.Name + " · " + i18n.DateTime(c.UserContext(), *w.FirstApprovedAt)})
	}
	books, err := s.Payments.Books(c.UserContext(), w.AccountID, models.Live)
	if err != nil {
		return nil, err
	}
	sums, err := s.balanceMath(c, w, books)
	if err != nil {
		return nil, err
	}
	return s.destinationUse(c, w, slices.Concat(facts, sums.Facts, destination.Facts))
}

// proofLabel names what proves that a withdrawal was paid.
func proofLabel(c *fiber.Ctx, w *models.AccountWithdrawal) string {
	if w.Rail == models.RailUSDT {
		return i18n.T(c.UserContext(), "withdrawals.tx_hash")
	}
	return i18n.T(c.UserContext(), "withdrawals.end_to_end_id")
}

// needsSecond reports whether the next approval is the first of two.
func (s *console) needsSecond(c *fiber.Ctx, w *models.Withdrawal) (bool, error) {
	if w.Amount <= s.Payments.Withdrawals.FourEyes {
		return false, nil
	}
	stands, err := s.Payments.FirstApprovalStands(c.UserContext(), w)
	return !stands, err
}
