package dashboard

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// OwnPixListProps is GET /app/saldo/avulsos: open exceptions at the merchant's own bank account.
type OwnPixListProps struct {
	Shell layouts.Shell
	Rows  []OwnPix // oldest first
}

// OwnPix is a Pix that paid no charge.
type OwnPix struct {
	ID         string // the payment's
	Kind       string // LATE and the others of models.ExceptionKind
	Amount     money.Cents
	PaidAt     time.Time
	EndToEndID string
	CheckoutID string // "" if it was meant for none
}

// OwnPixProps is GET and POST /app/saldo/avulsos/{id}. Fields of its form: outcome, reason, returnId.
type OwnPixProps struct {
	Shell                     layouts.Shell
	Pix                       OwnPix
	Outcome, Reason, ReturnID string
	Errors                    components.FieldErrors
}

func (p OwnPix) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ownbank.pix_kind"), Value: i18n.T(ctx, "ops.exception_"+p.Kind)},
		{Key: i18n.T(ctx, "ownbank.pix_received"), Value: i18n.DateTime(ctx, p.PaidAt)},
		{Key: i18n.T(ctx, "ownbank.pix_id"), Value: p.EndToEndID, Mono: true},
	}
	if p.CheckoutID != "" {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ownbank.pix_charge"), Value: p.CheckoutID,
			Href: "/app/cobrancas/" + p.CheckoutID, Mono: true})
	}
	return facts
}

func (p OwnPixProps) options(ctx context.Context) (options []components.RadioOption) {
	for _, outcome := range []string{"ACCEPTED", "REFUNDED"} {
		options = append(options, components.RadioOption{Value: outcome, Label: i18n.T(ctx, "ownbank.pix_"+outcome),
			Hint: i18n.T(ctx, "ownbank.pix_"+outcome+"_hint")})
	}
	return options
}
