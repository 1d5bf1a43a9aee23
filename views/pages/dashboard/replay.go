package dashboard

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// ReplayProps is GET /app/webhooks/{id}/repetir, which counts, and asks. Its form
// posts to the same address: since and until (RFC 3339), and enable if the endpoint
// is off.
type ReplayProps struct {
	Shell   layouts.Shell
	ID      string
	URL     string
	Enabled bool
	Period  string // one of ReplayPeriods
	Since   time.Time
	Until   time.Time
	Count   int // what it takes, Limit at most
	Limit   int
	More    bool // there is more than one replay takes
}

func (p ReplayProps) periods(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, period := range base.ReplayPeriods {
		options = append(options, components.SelectOption{Value: period, Label: i18n.T(ctx, "replay.period_"+period)})
	}
	return options
}

func (p ReplayProps) confirm(ctx context.Context) string {
	if !p.Enabled {
		return i18n.T(ctx, "replay.enable_and_replay")
	}
	return i18n.N(ctx, "replay.confirm", p.Count)
}
