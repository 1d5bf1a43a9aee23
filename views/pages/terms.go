package pages

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// Fees are what an account pays.
type Fees struct{ Charge, Withdrawal money.Fee }

// Facts are the fees, each with its name.
func (f Fees) Facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "terms.fee"), Value: i18n.Fee(ctx, f.Charge)},
		{Key: i18n.T(ctx, "terms.withdrawal_fee"), Value: i18n.Fee(ctx, f.Withdrawal)},
	}
}

// Text is the fees as one line.
func (f Fees) Text(ctx context.Context) string {
	return i18n.T(ctx, "terms.fees", i18n.Fee(ctx, f.Charge), i18n.Fee(ctx, f.Withdrawal))
}

// Terms are what an account pays and may do.
type Terms struct {
	Fees                             Fees
	MinAmount, MaxAmount             money.Cents   // of one charge
	SettlementDelay, DestinationHold time.Duration // of live
	WebhookEndpoints                 int64         // of a project in an environment
}

// Facts are the terms, each with its name.
func (t Terms) Facts(ctx context.Context) []components.KeyValue {
	return append(t.Fees.Facts(ctx), t.LimitFacts(ctx)...)
}

// LimitFacts are the terms without the fees.
func (t Terms) LimitFacts(ctx context.Context) []components.KeyValue {
	delay, hold := i18n.T(ctx, "terms.delay_none"), i18n.T(ctx, "terms.hold_none")
	if t.SettlementDelay > 0 {
		delay = i18n.T(ctx, "terms.delay_value", i18n.Span(ctx, t.SettlementDelay))
	}
	if t.DestinationHold > 0 {
		hold = i18n.T(ctx, "terms.hold_value", i18n.Span(ctx, t.DestinationHold))
	}
	return []components.KeyValue{
		{Key: i18n.T(ctx, "terms.bounds"), Value: i18n.T(ctx, "terms.bounds_value", i18n.Money(ctx, t.MinAmount),
			i18n.Money(ctx, t.MaxAmount))},
		{Key: i18n.T(ctx, "terms.delay"), Value: delay}, {Key: i18n.T(ctx, "terms.hold"), Value: hold},
		{Key: i18n.T(ctx, "terms.endpoints"), Value: i18n.T(ctx, "terms.endpoints_value", t.WebhookEndpoints)},
	}
}

// Sale is the sale, and the withdrawal, that shows what a fee means.
const Sale money.Cents = 100_00

// Example tells what is left of Sale.
func (t Terms) Example(ctx context.Context) string {
	return i18n.T(ctx, "terms.example", i18n.Money(ctx, Sale), i18n.Money(ctx, Sale-t.Fees.Charge.Of(Sale)))
}
