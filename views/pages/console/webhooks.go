package console

import (
	"context"
	"math"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// EndpointsProps is GET /ops/webhooks: endpoints of all merchants.
type EndpointsProps struct {
	Shell layouts.OpsShell
	Tabs  components.TabsProps
	Rows  []EndpointRow
	Pager components.PagerProps
}

// EndpointRow is an endpoint of some merchant's, with how its events fared in 24 hours.
type EndpointRow struct {
	ID                          string
	Host                        string // what follows in the address may hold a token
	Account, AccountID          string
	Test, Active                bool
	Delivered, Retrying, Failed int
	FailedEvents                int        // given up since the last success
	FailingSince, DisabledAt    *time.Time // nil: it is not
	CreatedAt                   time.Time
}

// Delivery is an event as it was sent to an endpoint.
type Delivery struct {
	EventID, Type, State string
	At                   time.Time
	Attempts, StatusCode int
	ErrorClass           string
}

// EndpointProps is GET /ops/webhooks/{id}. Its form posts to …/repetir: since and until
// (RFC 3339).
type EndpointProps struct {
	Shell        layouts.OpsShell
	Row          EndpointRow
	Account      AccountHead
	Deliveries   []Delivery // the latest
	Period       string     // one of ReplayPeriods
	Since, Until time.Time
	Count, Limit int
	More         bool   // there is more than one replay takes
	Problem      string // why nothing was sent again
	AuditHref    string // the trail; "" without the right to see it
}

// rate is how many of a hundred finished deliveries failed, in words.
func (r EndpointRow) rate(ctx context.Context) string {
	if r.Delivered+r.Failed == 0 {
		return i18n.T(ctx, "ops.rate_none")
	}
	share := int(math.Round(100 * float64(r.Failed) / float64(r.Delivered+r.Failed)))
	return i18n.T(ctx, "ops.rate", i18n.Number(ctx, share), i18n.Number(ctx, r.Failed),
		i18n.Number(ctx, r.Delivered+r.Failed))
}

func (r EndpointRow) badge(ctx context.Context) components.BadgeProps {
	switch {
	case r.DisabledAt != nil:
		return components.BadgeProps{Tone: components.ToneBad, Icon: "ban", Text: i18n.T(ctx, "ops.health_off")}
	case !r.Active:
		return components.BadgeProps{Icon: "ban", Text: i18n.T(ctx, "ops.endpoint_off")}
	case r.FailingSince != nil:
		return components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
			Text: i18n.T(ctx, "ops.endpoint_failing")}
	}
	return components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.endpoint_well")}
}

func (p EndpointProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.endpoint_id"), Value: p.Row.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.endpoint_host"), Value: p.Row.Host, Mono: true},
		{Key: i18n.T(ctx, "ops.endpoint_rate"), Value: p.Row.rate(ctx)},
		{Key: i18n.T(ctx, "ops.endpoint_retrying"), Value: i18n.Number(ctx, p.Row.Retrying)},
		{Key: i18n.T(ctx, "ops.endpoint_given_up"), Value: i18n.Number(ctx, p.Row.FailedEvents)},
	}
	if p.Row.FailingSince != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.endpoint_since"),
			Value: i18n.DateTime(ctx, *p.Row.FailingSince)})
	}
	if p.Row.DisabledAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.endpoint_disabled"),
			Value: i18n.DateTime(ctx, *p.Row.DisabledAt)})
	}
	return facts
}
