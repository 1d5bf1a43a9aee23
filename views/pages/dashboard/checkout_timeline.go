package dashboard

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// timeline returns the past and future steps of the checkout.
func (p CheckoutProps) timeline(ctx context.Context) []components.TimelineStep {
	steps := []components.TimelineStep{{Label: i18n.T(ctx, "checkout.step_created"),
		When: i18n.Instant(ctx, p.CreatedAt), Done: true}}
	if p.CopyPaste != "" { // the institution gave it when the checkout was created
		steps = append(steps, components.TimelineStep{Label: i18n.T(ctx, "checkout.step_code"),
			When: i18n.Instant(ctx, p.CreatedAt), Done: true})
	}
	switch {
	case p.PaidAt != nil:
		steps = append(steps, components.TimelineStep{Label: i18n.T(ctx, "checkout.step_paid"),
			When: i18n.Instant(ctx, *p.PaidAt), Done: true})
		return append(steps, p.settlementSteps(ctx)...)
	case p.Status == base.StatusExpired:
		return append(steps, components.TimelineStep{Label: i18n.T(ctx, "checkout.step_expired"),
			When: i18n.Instant(ctx, p.expiredAt()), Done: true, Ended: components.Checkout + "_" + p.Status})
	case p.Status == base.StatusCancelled:
		return append(steps, components.TimelineStep{Label: i18n.T(ctx, "checkout.step_cancelled"),
			When: instantOrNone(ctx, p.ClosedAt), Done: true, Ended: components.Checkout + "_" + p.Status})
	}
	return append(steps,
		components.TimelineStep{Label: i18n.T(ctx, "checkout.step_pending"),
			Note: i18n.T(ctx, "checkout.step_until", i18n.DateTime(ctx, p.ExpiresAt)), Now: true},
		components.TimelineStep{Label: i18n.T(ctx, "checkout.step_available")},
	)
}

// expiredAt returns when the checkout could no longer be paid: at its expiry, or when it
// was ended earlier, as in test.
func (p CheckoutProps) expiredAt() time.Time {
	if p.ClosedAt != nil && p.ClosedAt.Before(p.ExpiresAt) {
		return *p.ClosedAt
	}
	return p.ExpiresAt
}

// settlementSteps returns the steps of the money of a paid checkout.
func (p CheckoutProps) settlementSteps(ctx context.Context) []components.TimelineStep {
	steps := p.Settlement.steps(ctx)
	for _, r := range p.Refunds {
		if r.Status != "COMPLETED" {
			continue
		}
		steps = append(steps, components.TimelineStep{
			Label: i18n.T(ctx, "checkout.step_refunded", i18n.Money(ctx, r.Amount)),
			When:  i18n.Instant(ctx, r.CreatedAt), Done: true,
		})
	}
	return steps
}

// steps returns where the money has been, or is expected; none of a checkout that was not paid.
func (s *Settlement) steps(ctx context.Context) []components.TimelineStep {
	if s == nil {
		return nil
	}
	at := instantOrNone(ctx, s.AvailableAt)
	switch s.place() {
	case SettlementOwn:
		return []components.TimelineStep{{Label: i18n.T(ctx, "status.settlement_OWN"), When: at, Done: true}}
	case SettlementPending:
		return []components.TimelineStep{{Label: i18n.T(ctx, "checkout.step_settling"), Note: expectedAt(ctx, at),
			Now: true}}
	}
	steps := []components.TimelineStep{{Label: i18n.T(ctx, "checkout.step_available"), When: at, Done: true}}
	if s.Status == SettlementCompleted {
		steps = append(steps, components.TimelineStep{Label: i18n.T(ctx, "checkout.step_left"), Done: true})
	}
	return steps
}

// expectedAt says that a moment is in the future; "" for none.
func expectedAt(ctx context.Context, when string) string {
	if when == "" {
		return ""
	}
	return i18n.T(ctx, "checkout.step_expected", when)
}

// shareText returns a message for the buyer.
func (p CheckoutProps) shareText(ctx context.Context) string {
	return i18n.T(ctx, "checkout.share_text", i18n.Money(ctx, p.Amount), p.Description, p.CheckoutURL)
}
