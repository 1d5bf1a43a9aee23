package dashboard

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewRefundProps is GET and POST /app/cobrancas/{id}/devolver. Fields: amount, reason, key.
type NewRefundProps struct {
	Shell          layouts.Shell
	ID             string // of the charge
	Key            string // makes one refund of the form, however often it is sent
	Paid, Fee      money.Cents
	Left           money.Cents // what can still be given back
	Until          time.Time   // the last moment at which the bank gives back
	Amount, Reason string      // as typed
	Errors         components.FieldErrors
}

// facts returns what the refund is about.
func (p NewRefundProps) facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "checkout.paid"), Value: i18n.Money(ctx, p.Paid)},
		{Key: i18n.T(ctx, "refund.left"), Value: i18n.Money(ctx, p.Left)},
		{Key: i18n.T(ctx, "refund.fee"), Value: i18n.Money(ctx, p.Fee)},
		{Key: i18n.T(ctx, "refund.until"), Value: i18n.Date(ctx, p.Until)},
	}
}
