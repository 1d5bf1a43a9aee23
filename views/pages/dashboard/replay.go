package dashboard

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// The values of ?only= of a replay.
const (
	ReplayMissing = "undelivered"
	ReplayAll     = "all"
)

// ReplayProps is GET /app/webhooks/{id}/repetir, which counts, and asks. Its form
// posts to the same address: since and until (RFC 3339), only, and enable if the endpoint
// is off.
type ReplayProps struct {
	Shell   layouts.Shell
	ID      string
	URL     string
	Enabled bool
	Period  string // one of ReplayPeriods
	From    string // as typed, in place of Period; "" for none
	All     bool   // also what was delivered
	Errors  components.FieldErrors
	Since   time.Time
	Until   time.Time
	Count   int // what it takes, Limit at most
	Limit   int
	More    bool // there is more than one replay takes
}

func (p ReplayProps) choices(ctx context.Context) []components.SelectOption {
	return []components.SelectOption{{Value: ReplayMissing, Label: i18n.T(ctx, "replay.only_undelivered")},
		{Value: ReplayAll, Label: i18n.T(ctx, "replay.only_all")}}
}

// only is the value of the choice.
func (p ReplayProps) only() string {
	if p.All {
		return ReplayAll
	}
	return ReplayMissing
}

// nothing says that there is nothing to resend.
func (p ReplayProps) nothing(ctx context.Context) string {
	if p.All {
		return i18n.T(ctx, "replay.none_body_all", i18n.DateTime(ctx, p.Since))
	}
	return i18n.T(ctx, "replay.none_body", i18n.DateTime(ctx, p.Since))
}

// span says what was counted.
func (p ReplayProps) span(ctx context.Context) string {
	key := "replay.range"
	if p.All {
		key = "replay.range_all"
	}
	return i18n.T(ctx, key, i18n.DateTime(ctx, p.Since), i18n.DateTime(ctx, p.Until))
}

func (p ReplayProps) confirm(ctx context.Context) string {
	if !p.Enabled {
		return i18n.T(ctx, "replay.enable_and_replay")
	}
	return i18n.N(ctx, "replay.confirm", p.Count)
}
