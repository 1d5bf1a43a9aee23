package console

import (
	"context"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// The answers to whose a fee is to be.
const (
	FeeOwn     = "OWN"
	FeeDefault = "DEFAULT"
)

// FeeNames are the names of the fields about one of the two fees.
type FeeNames struct{ Whose, Percent, Fixed string }

// The names of the fields about each fee.
var (
	ChargeFee     = FeeNames{"outcome", "percent", "fixed"}
	WithdrawalFee = FeeNames{"withdrawal", "withdrawalPercent", "withdrawalFixed"}
)

// TypedFee is one of the two fees as typed.
type TypedFee struct {
	Whose          string // FeeOwn or FeeDefault
	Percent, Fixed string
}

// FeeFields are the fields of the form that proposes fees, besides reason. The name of the
// last one is starts.
type FeeFields struct {
	Charge, Withdrawal TypedFee
	Starts             string
}

// FeeProps is GET and POST /ops/contas/{id}/tarifa.
type FeeProps struct {
	Shell   layouts.OpsShell
	Account AccountHead
	Now     base.Fees
	Default base.Fees // the installation's
	Version string
	Fields  FeeFields
	Reason  string
	Saved   []SavedReason // those to pick from
	Picked  string        // the id of one of them; "" for none
	Changed string        // who was first; "" if no one was
	Errors  components.FieldErrors
}

// feeGroup is the part of the form about one of the two fees.
type feeGroup struct {
	names                 FeeNames
	label, percent, fixed string // keys of the catalog
	installation          money.Fee
	typed                 TypedFee
}

func (p FeeProps) groups() []feeGroup {
	return []feeGroup{
		{ChargeFee, "terms.fee", "ops.fee_percent", "ops.fee_fixed", p.Default.Charge, p.Fields.Charge},
		{WithdrawalFee, "terms.withdrawal_fee", "ops.fee_percent_withdrawal", "ops.fee_fixed_withdrawal",
			p.Default.Withdrawal, p.Fields.Withdrawal},
	}
}

func (g feeGroup) whose(ctx context.Context) []components.RadioOption {
	return []components.RadioOption{
		{Value: FeeOwn, Label: i18n.T(ctx, "ops.fee_OWN"), Hint: i18n.T(ctx, "ops.fee_OWN_hint")},
		{Value: FeeDefault, Label: i18n.T(ctx, "ops.fee_DEFAULT"),
			Hint: i18n.T(ctx, "ops.fee_DEFAULT_hint", i18n.Fee(ctx, g.installation))},
	}
}
