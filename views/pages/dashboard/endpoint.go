package dashboard

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

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
// /app/webhooks/{id}/ativar, …/desativar, …/testar (type) and …/excluir; it links to
// …/editar, …/segredo and …/repetir.
type WebhookProps struct {
	Shell         layouts.Shell
	ID            string
	URL           string
	Description   string
	Types         []string
	SecretDisplay string     // "whsec_…3a9f"
	PreviousUntil *time.Time // until then the secret before signs too
	CreatedAt     time.Time
	Enabled       bool
	Trouble       EndpointTrouble
	CanEdit       bool // shows the forms
	Days          []WebhookDay
	Sampled       int // events that are counted of a day at most; 0 if all were
	Answers       Answers
	Status        string         // the filter in force: "" or a Delivery constant
	Test          *DeliveryProps // the test event that was just sent; nil for none
	Deliveries    []DeliveryRow
	NoDays        bool // how the days went could not be read
	NoDeliveries  bool // likewise
	Pager         components.PagerProps
}

// WebhookDay is how the events of one day fared at an endpoint.
type WebhookDay struct {
	Day       time.Time
	Delivered int // at the first attempt
	Retried   int // needed more, or still does
	Failed    int
	Answers   Answers
}

// Answers are how long an endpoint took to answer; zero if it never did.
type Answers struct {
	Median, Slow time.Duration // half, and 95 of 100, were faster
}

// DeliveryRow is one event on its way to one endpoint.
type DeliveryRow struct {
	ID        string
	EventID   string
	Type      string
	Test      bool
	Status    string // a Delivery constant
	CreatedAt time.Time
	Attempts  int
	Last      AttemptRow // its Number is 0 when there is none
}

// AttemptRow is one try at a delivery.
type AttemptRow struct {
	Number   int
	Manual   bool // a member asked for it
	Late     bool // another process had repeated it before it was recorded
	At       time.Time
	Duration time.Duration
	Status   int    // of HTTP; 0 when no answer came
	Error    string // why it failed: dns, connect, tls, timeout, redirect, status, blocked; "" = success
	Detail   string // of the failure, in English, as the gateway noted it
	Headers  string // that were sent, a line each
	Response string // the first bytes of the answer, shown as text
}

// tabs are the filters by state.
func (p WebhookProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, status := range []string{"", DeliveryRetrying, DeliveryFailed, DeliverySkipped} {
		href := "/app/webhooks/" + p.ID
		if status != "" {
			href += "?status=" + status
		}
		name := cmp.Or(status, "ALL")
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "webhook.tab_"+name), Href: href,
			Current: status == p.Status})
	}
	return tabs
}

// sum adds up the days.
func (p WebhookProps) sum() (all WebhookDay) {
	for _, day := range p.Days {
		all.Delivered += day.Delivered
		all.Retried += day.Retried
		all.Failed += day.Failed
	}
	return all
}

// chart is the last days, a bar each.
func (p WebhookProps) chart(ctx context.Context) components.BarChartProps {
	chart := components.BarChartProps{
		ID: "days", Title: i18n.T(ctx, "webhook.week"),
		Series: []components.BarSeries{
			{Name: i18n.T(ctx, "webhook.first_try"), Tone: components.ToneOK},
			{Name: i18n.T(ctx, "webhook.retried"), Tone: components.ToneWarn},
			{Name: i18n.T(ctx, "webhook.failed"), Tone: components.ToneBad},
		},
		Columns: []string{i18n.T(ctx, "webhook.median"), i18n.T(ctx, "webhook.slow")},
	}
	for _, day := range p.Days {
		chart.Bars = append(chart.Bars, components.Bar{
			Label: i18n.ShortDay(ctx, day.Day), Full: i18n.Date(ctx, day.Day),
			Values: []int{day.Delivered, day.Retried, day.Failed},
			Extra:  []string{tookOrNone(ctx, day.Answers.Median), tookOrNone(ctx, day.Answers.Slow)},
		})
	}
	return chart
}

// tookOrNone is a dash for what was never measured.
func tookOrNone(ctx context.Context, d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return i18n.Duration(ctx, d)
}

// outcome is the status that came back, or why none did.
func (a AttemptRow) outcome(ctx context.Context) string {
	if a.Status != 0 {
		return "HTTP " + strconv.Itoa(a.Status)
	}
	switch a.Error {
	case "dns", "connect", "tls", "timeout", "blocked":
		return i18n.T(ctx, "attempt."+a.Error)
	}
	return i18n.T(ctx, "attempt.other")
}

// latest is how the latest attempt ended.
func (d DeliveryRow) latest(ctx context.Context) string {
	switch {
	case d.Last.Number == 0 && d.Status == DeliverySkipped:
		return i18n.T(ctx, "attempt.never")
	case d.Last.Number == 0:
		return i18n.T(ctx, "attempt.none")
	}
	return i18n.T(ctx, "attempt.in", d.Last.outcome(ctx), i18n.Duration(ctx, d.Last.Duration))
}

// deliveryHref is the page of a delivery.
func deliveryHref(endpointID, deliveryID string) string {
	return "/app/webhooks/" + endpointID + "/entregas/" + deliveryID
}

func failedTone(failed int) string {
	if failed > 0 {
		return "text-bad"
	}
	return ""
}

// testTypes are what a test event may tell of: what the endpoint asked for.
func (p WebhookProps) testTypes(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, name := range p.Types {
		options = append(options, components.SelectOption{Value: name, Label: eventLabel(ctx, name)})
	}
	return options
}
