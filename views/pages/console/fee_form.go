package console

import (
	"context"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// The answers to whose fee it is to be.
const (
	FeeOwn     = "OWN"
	FeeDefault = "DEFAULT"
)

// FeeFields are the fields of the form that proposes a fee, besides reason. Their names
// are outcome (FeeOwn, FeeDefault), percent, fixed and starts.
type FeeFields struct{ Whose, Percent, Fixed, Starts string }

// OpsFeeProps is GET and POST /ops/contas/{id}/tarifa.
type OpsFeeProps struct {
	Shell   layouts.OpsShell
	Account OpsAccountHead
	Now     money.Fee
	Default money.Fee // the installation's
	Version string
	Fields  FeeFields
	Reason  string
	Changed string // who was first; "" if no one was
	Errors  components.FieldErrors
}

func (p OpsFeeProps) whose(ctx context.Context) []components.RadioOption {
	return []components.RadioOption{
		{Value: FeeOwn, Label: i18n.T(ctx, "ops.fee_OWN"), Hint: i18n.T(ctx, "ops.fee_OWN_hint")},
		{Value: FeeDefault, Label: i18n.T(ctx, "ops.fee_DEFAULT"),
			Hint: i18n.T(ctx, "ops.fee_DEFAULT_hint", i18n.Fee(ctx, p.Default))},
	}
}
