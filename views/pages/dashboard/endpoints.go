package dashboard

import (
	"context"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// WebhooksProps is GET /app/webhooks: the endpoints of the environment.
type WebhooksProps struct {
	Shell     layouts.Shell
	Endpoints []EndpointRow
	CanCreate bool
	// NoDeliveries says that how they fare could not be read.
	NoDeliveries bool
	Pager        components.PagerProps
}

// EndpointRow is one webhook endpoint in the list.
type EndpointRow struct {
	ID          string
	URL         string
	Description string
	Types       []string
	Enabled     bool
	Delivered   int                   // events of the last 24 h that arrived
	Missed      int                   // and that were tried and did not, so far
	Hours       []components.SparkBar // the same, hour by hour
	Trouble     EndpointTrouble
}

// EndpointTrouble is what a member should look at. Its zero value is none.
type EndpointTrouble struct {
	ID         string
	URL        string
	Since      *time.Time // nothing has arrived from then on
	Failed     int        // events given up since
	DisabledAt *time.Time // when the gateway turned the endpoint off
	Gone       bool       // because it answered 410, and not because it failed for days
}

// why returns the key of the text for the reason that the endpoint was turned off.
func (t EndpointTrouble) why(failing, gone string) string {
	if t.Gone {
		return gone
	}
	return failing
}

// subtitle says what endpoints are for, which an empty list says by itself.
func (p WebhooksProps) subtitle(ctx context.Context) string {
	if len(p.Endpoints) == 0 {
		return ""
	}
	return i18n.T(ctx, "webhooks.subtitle")
}

// tried is the number of events that were tried.
func (r EndpointRow) tried() int { return r.Delivered + r.Missed }

// success is the share of the events that arrived, of those that were tried, rounded
// down: what did not arrive shows.
func (r EndpointRow) success(ctx context.Context) string {
	if r.tried() == 0 {
		return i18n.T(ctx, "webhooks.success_none")
	}
	return i18n.T(ctx, "webhooks.success", i18n.Decimal(ctx, tenth(1000*r.Delivered/r.tried()))+"%")
}

// failed says how many events were given up, "" if none was.
func (t EndpointTrouble) failed(ctx context.Context) string {
	if t.Failed == 0 {
		return ""
	}
	return " " + i18n.N(ctx, "trouble.given_up", t.Failed)
}

// WebhookFormProps is GET /app/webhooks/novo and GET /app/webhooks/{id}/editar, and
// answers their POSTs to /app/webhooks and /app/webhooks/{id}/editar. Fields: url,
// description, types (repeated).
type WebhookFormProps struct {
	Shell       layouts.Shell
	ID          string // "" for a new one
	Key         string // makes one endpoint of the form, however often it is sent
	URL         string
	Description string
	Types       []string // ticked; a fresh form ticks the contract's three
	AllTypes    []string // offered, in order
	HTTPAllowed bool     // plain http is accepted here; the hint says so
	Errors      components.FieldErrors
}

// WebhookCreatedProps answers POST /app/webhooks with the signing secret and how
// to check a signature with it.
type WebhookCreatedProps struct {
	Shell  layouts.Shell
	ID     string
	URL    string
	Secret string
}

// endpointStatus names the state of an endpoint for its badge.
func endpointStatus(enabled bool, trouble EndpointTrouble) string {
	switch {
	case !enabled:
		return "DISABLED"
	case trouble.Since != nil:
		return "FAILING"
	}
	return "ENABLED"
}

func (p WebhookFormProps) urlHint(ctx context.Context) string {
	if p.HTTPAllowed {
		return i18n.T(ctx, "webhooks.url_hint_http")
	}
	return i18n.T(ctx, "webhooks.url_hint")
}

// options are the boxes of the form, one for each type on offer.
func (p WebhookFormProps) options(ctx context.Context) []components.CheckboxOption {
	var options []components.CheckboxOption
	for _, name := range p.AllTypes {
		options = append(options, components.CheckboxOption{Value: name, Label: eventLabel(ctx, name), Code: name})
	}
	return options
}

// eventLabel says in words what an event tells of.
func eventLabel(ctx context.Context, eventType string) string {
	return i18n.T(ctx, "event."+strings.ReplaceAll(eventType, ".", "_"))
}

func (p WebhookFormProps) title(ctx context.Context) string {
	if p.ID == "" {
		return i18n.T(ctx, "webhooks.new_title")
	}
	return i18n.T(ctx, "webhooks.edit_title")
}

// back is the page that the form was opened from.
func (p WebhookFormProps) back() string {
	if p.ID == "" {
		return "/app/webhooks"
	}
	return "/app/webhooks/" + p.ID
}

func (p WebhookFormProps) action() string {
	if p.ID == "" {
		return "/app/webhooks"
	}
	return "/app/webhooks/" + p.ID + "/editar"
}
