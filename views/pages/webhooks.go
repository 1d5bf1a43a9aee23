package pages

import (
	"cmp"
	"context"
	"strconv"
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
}

// EndpointRow is one webhook endpoint in the list.
type EndpointRow struct {
	ID          string
	URL         string
	Description string
	Types       []string
	Enabled     bool
	Delivered   int // events delivered in the last 24 h
	Failed      int // events given up on in the last 24 h
}

// NewWebhookProps is GET /app/webhooks/novo and POST /app/webhooks. Fields: url,
// description, types (repeated).
type NewWebhookProps struct {
	Shell       layouts.Shell
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

// The states of a delivery. A RETRYING one has failed and will be tried again.
const (
	DeliveryPending   = "PENDING"
	DeliveryDelivered = "DELIVERED"
	DeliveryRetrying  = "RETRYING"
	DeliveryFailed    = "FAILED"
	DeliverySkipped   = "SKIPPED"
)

// MaxAttempts is how often a delivery is tried by itself (contract 6.3).
const MaxAttempts = 5

// WebhookProps is GET /app/webhooks/{id}. Its forms post to
// /app/webhooks/{id}/ativar, …/desativar, …/testar and …/excluir; a delivery's
// to /app/webhooks/{id}/entregas/{delivery}/reenviar.
type WebhookProps struct {
	Shell          layouts.Shell
	ID             string
	URL            string
	Description    string
	Types          []string
	SecretDisplay  string // "whsec_…3a9f"
	CreatedAt      time.Time
	Enabled        bool
	DisabledReason string // why it is off, if the gateway did it
	CanEdit        bool   // shows the forms
	CanTest        bool   // shows "Enviar teste"
	CanResend      bool   // shows "Reenviar"
	Stats          WebhookStats
	Status         string // the filter in force: "" or a Delivery constant
	Deliveries     []DeliveryRow
	Pager          components.PagerProps
}

// WebhookStats sums up the last 24 hours of an endpoint.
type WebhookStats struct {
	Delivered int
	Retrying  int
	Failed    int
}

// DeliveryRow is one event on its way to one endpoint.
type DeliveryRow struct {
	ID            string
	EventID       string
	Type          string
	Status        string // a Delivery constant
	CreatedAt     time.Time
	NextAttemptAt *time.Time
	Attempts      []AttemptRow // newest first
}

// AttemptRow is one try at a delivery.
type AttemptRow struct {
	Number   int
	At       time.Time
	Duration time.Duration
	Status   int    // of HTTP; 0 when no answer came
	Error    string // a class of decisions, 9: dns, connect, tls, timeout, redirect, status, blocked; "" = success
	Response string // the first bytes of the answer, shown as text
}

// endpointStatus names the state of an endpoint for its badge.
func endpointStatus(enabled bool) string {
	if enabled {
		return "ENABLED"
	}
	return "DISABLED"
}

func (p NewWebhookProps) urlHint(ctx context.Context) string {
	if p.HTTPAllowed {
		return i18n.T(ctx, "webhooks.url_hint_http")
	}
	return i18n.T(ctx, "webhooks.url_hint")
}

// options are the boxes of the form, one for each type on offer.
func (p NewWebhookProps) options(ctx context.Context) []components.CheckboxOption {
	var options []components.CheckboxOption
	for _, name := range p.AllTypes {
		label := i18n.T(ctx, "event."+strings.ReplaceAll(name, ".", "_"))
		options = append(options, components.CheckboxOption{Value: name, Label: label, Code: name})
	}
	return options
}

func (p WebhookProps) disabledBody(ctx context.Context) string {
	return cmp.Or(p.DisabledReason, i18n.T(ctx, "webhook.disabled_body"))
}

// tabs are the filters by state.
func (p WebhookProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, status := range []string{"", DeliveryFailed, DeliveryRetrying, DeliveryDelivered} {
		href := "/app/webhooks/" + p.ID
		if status != "" {
			href += "?status=" + status
		}
		name := cmp.Or(status, "ALL")
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "webhook.tab_"+name), Href: href, Current: status == p.Status})
	}
	return tabs
}

// attempts says how many of the automatic attempts were made. One sent by hand
// counts beyond them.
func (d DeliveryRow) attempts(ctx context.Context) string {
	if len(d.Attempts) > MaxAttempts {
		return i18n.N(ctx, "webhook.attempts_made", len(d.Attempts))
	}
	return i18n.T(ctx, "webhook.attempts_of", len(d.Attempts), MaxAttempts)
}

// outcome is the status that came back, or why none did.
func (a AttemptRow) outcome(ctx context.Context) string {
	if a.Status != 0 {
		return strconv.Itoa(a.Status)
	}
	switch a.Error {
	case "dns", "connect", "tls", "timeout", "blocked":
		return i18n.T(ctx, "attempt."+a.Error)
	}
	return i18n.T(ctx, "attempt.other")
}
