package dashboard

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// DestinationsProps is GET /app/saques/destinos?cursor=. Its forms post to
// /app/saques/destinos/{id}/remover.
type DestinationsProps struct {
	Shell        layouts.Shell
	Gate         Gate // InTest shows nothing else
	Hold         time.Duration
	Destinations []DestinationRow // newest first
	Pager        components.PagerProps
}

// DestinationRow is one destination in the list.
type DestinationRow struct {
	DestinationFacts
	ID        string
	State     string // a Destination constant
	UsableAt  *time.Time
	Until     *time.Time // when another one takes its place
	Reason    string     // why it was rejected
	CreatedAt time.Time
	CanRemove bool
}

// NewDestinationProps is GET /app/saques/destinos/novo?rail= and POST
// /app/saques/destinos. Fields: rail, type, address, holderName, and checked for an
// address without a checksum.
type NewDestinationProps struct {
	Shell      layouts.Shell
	Gate       Gate // InTest shows nothing else
	Rail       string
	Type       string
	Address    string
	HolderName string
	Unchecked  bool // the address has no checksum: ask to look at it once more
	Checked    bool
	Hold       time.Duration
	Replaces   string // the present destination of the rail, masked; "" for none
	InReview   string // the one that waits for its review, masked; "" for none
	Errors     components.FieldErrors
}

// Types of keys, and networks of wallets, by rail, in the order of the form.
var destinationTypes = map[string][]string{
	RailPix:  {"CPF", "CNPJ", "PHONE", "EMAIL", "EVP"},
	RailUSDT: {"TRON", "ETHEREUM", "POLYGON"},
}

// tabs choose the rail.
func (p NewDestinationProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, rail := range []string{RailPix, RailUSDT} {
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "destinations.rail_"+rail),
			Href: "/app/saques/destinos/novo?rail=" + rail, Current: rail == p.Rail})
	}
	return tabs
}

// types are the options of the form.
func (p NewDestinationProps) types(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, kind := range destinationTypes[p.Rail] {
		options = append(options, components.SelectOption{Value: kind, Label: i18n.T(ctx, "destinations.type_"+kind)})
	}
	return options
}

// held returns the text about how long a new destination waits once it is approved, or the text
// for no wait.
func held(ctx context.Context, hold time.Duration, text, now string) string {
	if hold == 0 {
		return i18n.T(ctx, now)
	}
	return i18n.T(ctx, text, i18n.Span(ctx, hold))
}

// holdBody tells why a destination waits once it is approved, or that it does not.
func (p NewDestinationProps) holdBody(ctx context.Context) string {
	if p.Hold == 0 {
		return i18n.T(ctx, "destinations.hold_now_body")
	}
	return i18n.T(ctx, "destinations.hold_body")
}

// note tells what is to be known about the state of a destination.
func (d DestinationRow) note(ctx context.Context, hold time.Duration) string {
	switch {
	case d.State == base.DestinationReview:
		return held(ctx, hold, "destinations.note_review", "destinations.note_review_now")
	case d.State == base.DestinationHeld && d.UsableAt != nil:
		return i18n.T(ctx, "destinations.note_held", i18n.DateTime(ctx, *d.UsableAt))
	case d.State == base.DestinationActive && d.Until != nil:
		return i18n.T(ctx, "destinations.note_until", i18n.DateTime(ctx, *d.Until))
	case d.State == base.DestinationRejected:
		return i18n.T(ctx, "destinations.note_rejected", d.Reason)
	}
	return ""
}
