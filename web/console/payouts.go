package console

import (
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// payouts are the payouts of a withdrawal by banks, and what follows for its page.
type payouts struct {
	attempts []models.PayoutAttempt
	returns  []models.WithdrawalReturn
	open     *models.PayoutAttempt // the one that has not ended; nil if there is none
	bankPays bool                  // the bank will pay the withdrawal by itself
	unknown  bool                  // staff are asked how the open one ended
}

func (s *console) payoutsOf(c *fiber.Ctx, w *models.AccountWithdrawal) (p payouts, err error) {
	ctx := c.UserContext()
	if p.attempts, err = models.PayoutAttempts(ctx, s.DB.Pool, w.ID); err != nil {
		return p, fmt.Errorf("console: read the payouts of %s: %w", w.ID, err)
	}
	if p.returns, err = models.WithdrawalReturns(ctx, s.DB.Pool, w.ID); err != nil {
		return p, fmt.Errorf("console: read the returns of %s: %w", w.ID, err)
	}
	for i := range p.attempts {
		if p.attempts[i].EndedAt == nil {
			p.open = &p.attempts[i]
			p.unknown = slices.Contains(s.Payments.PayoutEnds(p.open), models.PayoutDone)
		}
	}
	if w.Status == models.WithdrawalApproved {
		p.bankPays, err = s.Payments.BankPays(ctx, w.Rail)
	}
	return p, err
}

// leaveToBank leaves out the outcomes that are the bank's while it pays.
func (s *console) leaveToBank(p payouts, outcomes []string) []string {
	var ends []models.PayoutStatus
	if p.open != nil {
		ends = s.Payments.PayoutEnds(p.open)
	}
	return slices.DeleteFunc(outcomes, func(outcome string) bool {
		switch outcome {
		case outcomeStart:
			return p.bankPays
		case outcomeComplete:
			return p.open != nil && !slices.Contains(ends, models.PayoutDone)
		case outcomeFail:
			return p.open != nil && !slices.Contains(ends, models.PayoutRefused)
		}
		return false
	})
}

// notice tells who pays, and what is to be done.
func (p payouts) notice(c *fiber.Ctx) []components.NoticeProps {
	ctx := c.UserContext()
	switch {
	case p.unknown:
		return []components.NoticeProps{{
			Tone: components.ToneWarn, Icon: "triangle-alert", Title: i18n.T(ctx, "ops.payout_unknown"),
			Body: i18n.T(ctx, "ops.payout_unknown_body", i18n.DateTime(ctx, *p.open.SendingAt)),
		}}
	case p.open != nil || p.bankPays:
		return []components.NoticeProps{{
			Tone: components.ToneInfo, Icon: "landmark", Title: i18n.T(ctx, "ops.payout_by_bank"),
			Body: i18n.T(ctx, "ops.payout_by_bank_body"),
		}}
	}
	return nil
}

// parts are the payouts, and what came back.
func (p payouts) parts(c *fiber.Ctx) (parts []pages.Part) {
	ctx := c.UserContext()
	row := func(key, value string, mono bool) components.KeyValue {
		return components.KeyValue{Key: i18n.T(ctx, key), Value: value, Mono: mono}
	}
	for _, a := range p.attempts {
		parts = append(parts, pages.Part{ID: a.ID, Title: i18n.T(ctx, "ops.payout"), Facts: []components.KeyValue{
			row("ops.payout_state", payoutState(c, &a), false),
			row("ops.payout_id", a.ID, true),
			row("withdrawals.end_to_end_id", page.Text(a.EndToEndID), true),
			row("ops.payout_code", a.Code, true),
			row("ops.payout_said", a.Failure, false),
		}})
	}
	if len(p.returns) > 0 {
		back := pages.Part{ID: "returns", Title: i18n.T(ctx, "withdrawals.returns")}
		for _, r := range p.returns {
			value := i18n.Money(ctx, r.Amount)
			if r.ReturnID != nil {
				value += " · " + *r.ReturnID
			}
			back.Facts = append(back.Facts, components.KeyValue{Key: i18n.DateTime(ctx, r.ReturnedAt), Value: value})
		}
		parts = append(parts, back)
	}
	return parts
}

// payoutState says how far a payout is.
func payoutState(c *fiber.Ctx, a *models.PayoutAttempt) string {
	ctx, at := c.UserContext(), a.CreatedAt
	switch {
	case a.EndedAt != nil:
		at = *a.EndedAt
	case a.SendingAt != nil:
		at = *a.SendingAt
	}
	return i18n.T(ctx, "ops.payout_"+string(a.Status), i18n.DateTime(ctx, at))
}

// unknownPayouts returns which withdrawals staff are asked about.
func (s *console) unknownPayouts(c *fiber.Ctx, found []models.AccountWithdrawal) (map[string]bool, error) {
	var ids []string
	for _, w := range found {
		if w.Status == models.WithdrawalProcessing {
			ids = append(ids, w.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return models.UnknownPayouts(c.UserContext(), s.DB.Pool, ids, s.Now().Add(-payments.PayoutUnknownAfter))
}
