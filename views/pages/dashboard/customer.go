package dashboard

import (
	"context"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// CustomerProps is GET /app/clientes/{id}?cursor=. The forms of an owner post the field buyer to the page of a
// buyer's data, and to the file there.
type CustomerProps struct {
	Shell layouts.Shell
	CustomerRow
	Paid    int            // charges
	Open    []OpenCharge   // that can still be paid, the latest ones
	Links   []CustomerLink // at which the customer paid most often
	Refunds []CustomerRefund
	History []CheckoutRow
	Pager   components.PagerProps
	CanSell bool
	// Buyer is the document or email address that finds the buyer's data. It is "" if there is neither, or for
	// visitors who may not see them.
	Buyer string
}

// OpenCharge is a charge that can still be paid.
type OpenCharge struct {
	CheckoutRow
	URL string // where the buyer pays
}

// CustomerLink is a payment link at which a customer paid.
type CustomerLink struct {
	ID      string
	Product string
	Paid    int
	Amount  money.Cents
}

// CustomerRefund is a refund with the charge that it belongs to.
type CustomerRefund struct {
	RefundRow
	CheckoutID string
}

// href is the page of the refund's charge.
func (r CustomerRefund) href() string { return "/app/cobrancas/" + r.CheckoutID }

// cards are the totals.
func (p CustomerProps) cards(ctx context.Context) []components.StatCardProps {
	last := "—"
	if p.LastPaid != nil {
		last = i18n.Date(ctx, *p.LastPaid)
	}
	return []components.StatCardProps{
		{Label: i18n.T(ctx, "customers.paid"), Value: p.paid(ctx), Hint: i18n.N(ctx, "customers.times", p.Paid)},
		{Label: i18n.T(ctx, "nav.checkouts"), Value: p.charges(ctx), Hint: p.openHint(ctx)},
		{Label: i18n.T(ctx, "customers.last_paid"), Value: last, Hint: p.lastHint(ctx)},
	}
}

func (p CustomerProps) openHint(ctx context.Context) string {
	if len(p.Open) == 0 {
		return i18n.T(ctx, "customers.none_open")
	}
	return i18n.N(ctx, "customers.open", len(p.Open))
}

func (p CustomerProps) lastHint(ctx context.Context) string {
	if p.LastPaid == nil {
		return i18n.T(ctx, "customers.never_paid")
	}
	return i18n.Clock(ctx, *p.LastPaid)
}

// again is the form of a charge that is filled in with those of another one.
func again(checkoutID string) string { return "/app/cobrancas/nova?like=" + checkoutID }
