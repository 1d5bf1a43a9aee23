package console

import (
	"context"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// LimitsFields are the fields of the form that sets limits, besides reason. Their names
// are min, max, delay, hold, endpoints and starts. An empty one follows the installation.
type LimitsFields struct{ Min, Max, Delay, Hold, Endpoints, Starts string }

// LimitsProps is GET and POST /ops/contas/{id}/limites.
type LimitsProps struct {
	Shell   layouts.OpsShell
	Account AccountHead
	Default base.Terms // the installation's
	Version string
	Fields  LimitsFields
	Reason  string
	Saved   []SavedReason // those to pick from
	Picked  string        // the id of one of them; "" for none
	Changed string
	Errors  components.FieldErrors
}

// amountHint and spanHint say what an empty field means.
func (p LimitsProps) amountHint(ctx context.Context, amount money.Cents) string {
	return i18n.T(ctx, "ops.limits_default", i18n.Money(ctx, amount))
}

func (p LimitsProps) countHint(ctx context.Context, n int64) string {
	return i18n.T(ctx, "ops.limits_default", strconv.FormatInt(n, 10))
}

func (p LimitsProps) spanHint(ctx context.Context, d time.Duration) string {
	return i18n.T(ctx, "ops.limits_default", i18n.Span(ctx, d))
}
