package dashboard

import (
	"context"
	"strconv"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// DeliveryProps is GET /app/webhooks/{id}/entregas/{delivery}. Its form posts to
// …/reenviar: token.
type DeliveryProps struct {
	Shell         layouts.Shell
	ID            string
	Status        string // a Delivery constant
	EventID       string
	Type          string
	Test          bool   // the event is a member's test
	CheckoutID    string // "" for an event without a checkout
	WithdrawalID  string // "" for an event without a withdrawal
	EndpointID    string
	URL           string
	CreatedAt     time.Time
	NextAttemptAt *time.Time
	Scheduled     int          // attempts of the present schedule
	Attempts      []AttemptRow // newest first
	UnderWay      bool         // an attempt waits or runs: the page polls
	CanResend     bool
	Token         string // of the form, so that it resends only once
	Signature     SignatureCheck
	Body          EventBody
}

// SignatureCheck is a signature that a receiver computed, ?signature=, and the result of
// its check.
type SignatureCheck struct {
	Typed  string
	Result string // a Signature constant; "" before a signature was typed
}

// The results of checking a receiver's signature.
const (
	SignatureCurrent   = "current"   // correct
	SignaturePrevious  = "previous"  // correct with the previous secret
	SignatureCase      = "case"      // in capitals
	SignatureBase64    = "base64"    // in another encoding
	SignatureRewritten = "rewritten" // of the same JSON in other bytes
	SignaturePrefix    = "prefix"    // by the secret without its prefix
	SignatureHash      = "hash"      // by no secret
	SignatureOther     = "other"

	SignatureStandard         = "standard"          // correct for webhook-signature
	SignatureStandardPrevious = "standard_previous" // the same with the previous secret
	SignatureStandardKey      = "standard_key"      // by the secret's text in place of its bytes
	SignatureStandardOther    = "standard_other"
)

// verdict returns the result as text. The previous secret's signature is correct, too, for
// a while.
func (c SignatureCheck) verdict(ctx context.Context) components.NoticeProps {
	notice := components.NoticeProps{
		Tone: components.ToneWarn, Icon: "triangle-alert",
		Title: i18n.T(ctx, "signature."+c.Result+"_title"), Body: i18n.T(ctx, "signature."+c.Result+"_body"),
	}
	switch c.Result {
	case SignatureCurrent, SignatureStandard:
		notice.Tone, notice.Icon = components.ToneOK, "circle-check"
	case SignatureOther, SignatureStandardOther:
		notice.Tone, notice.Icon = components.ToneBad, "circle-x"
	}
	return notice
}

// EventBody is the sent body, formatted and raw.
type EventBody struct {
	Formatted string
	Raw       string
}

// verdict is the first statement of a delivery's page: its state, the reason, and what to
// do.
type verdict struct {
	components.VerdictProps
	what string
}

// verdict follows from the latest attempt.
func (p DeliveryProps) verdict(ctx context.Context) verdict {
	var last AttemptRow
	if len(p.Attempts) > 0 {
		last = p.Attempts[0]
	}
	switch {
	case p.Status == DeliveryDelivered && last.Error == "" && last.Number > 0:
		return verdict{VerdictProps: components.VerdictProps{
			Tone: components.ToneOK, Icon: "circle-check", Title: i18n.T(ctx, "delivery.delivered_title"),
			Body: i18n.T(ctx, "delivery.delivered_why", last.Status, i18n.Duration(ctx, last.Duration)),
		}}
	case p.Status == DeliveryDelivered:
		return verdict{VerdictProps: components.VerdictProps{
			Tone: components.ToneOK, Icon: "circle-check", Title: i18n.T(ctx, "delivery.delivered_title"),
			Body: i18n.T(ctx, "delivery.delivered_before"),
		}}
	case p.Status == DeliverySkipped && !last.Manual:
		return verdict{VerdictProps: components.VerdictProps{
			Icon: "ban", Title: i18n.T(ctx, "delivery.skipped_title"), Body: i18n.T(ctx, "delivery.skipped_why"),
		}, what: i18n.T(ctx, "delivery.skipped_what")}
	case last.Error == "":
		return verdict{VerdictProps: components.VerdictProps{
			Tone: components.ToneInfo, Icon: "clock", Title: i18n.T(ctx, "delivery.queued_title"),
			Body: i18n.T(ctx, "delivery.queued_why"),
		}}
	}
	return p.failed(ctx, last)
}

// queued reports whether nothing has happened yet.
func (p DeliveryProps) queued() bool { return p.Status == DeliveryPending && len(p.Attempts) == 0 }

// failed says why an attempt failed and what to do about it.
func (p DeliveryProps) failed(ctx context.Context, last AttemptRow) verdict {
	kind, title := last.failure(), ""
	if last.Error == "status" {
		title = i18n.T(ctx, "failure.status_title", last.Status)
	} else {
		title = i18n.T(ctx, "failure."+kind+"_title")
	}
	v := verdict{VerdictProps: components.VerdictProps{
		Tone: components.ToneBad, Icon: "circle-x", Title: title, Body: i18n.T(ctx, "failure."+kind+"_why"),
	}, what: i18n.T(ctx, "failure."+kind+"_what")}
	if p.Status == DeliveryRetrying {
		v.Tone, v.Icon = components.ToneWarn, "rotate-cw"
	}
	return v
}

// failure names the texts about the cause of a failed attempt: its class and, for a status,
// its usual meaning.
func (a AttemptRow) failure() string {
	switch a.Error {
	case "dns", "connect", "tls", "timeout", "redirect", "blocked":
		return a.Error
	}
	switch {
	case a.Status == 401 || a.Status == 403 || a.Status == 407:
		return "denied"
	case a.Status == 404 || a.Status == 405:
		return "path"
	case a.Status == 410:
		return "gone"
	case a.Status == 429:
		return "busy"
	case a.Status >= 500:
		return "server"
	}
	return "status"
}

// schedule describes the progress of the automatic attempts.
func (p DeliveryProps) schedule(ctx context.Context) string {
	return i18n.T(ctx, "delivery.schedule", p.Scheduled, MaxAttempts)
}

// version changes when the page has something new to show.
func (p DeliveryProps) version() string {
	return p.Status + " " + strconv.Itoa(len(p.Attempts)) + " " + strconv.FormatBool(p.UnderWay)
}

func (p DeliveryProps) facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "delivery.event"), Value: p.EventID, Mono: true, Href: "/app/eventos/" + p.EventID},
		{Key: i18n.T(ctx, "delivery.checkout"), Value: p.CheckoutID, Mono: true,
			Href: "/app/cobrancas/" + p.CheckoutID},
		{Key: i18n.T(ctx, "delivery.withdrawal"), Value: p.WithdrawalID, Mono: true,
			Href: "/app/saques/" + p.WithdrawalID},
		{Key: i18n.T(ctx, "delivery.endpoint"), Value: p.URL, Mono: true, Href: "/app/webhooks/" + p.EndpointID},
		{Key: i18n.T(ctx, "delivery.id"), Value: p.ID, Mono: true},
		{Key: i18n.T(ctx, "delivery.created_at"), Value: i18n.DateTime(ctx, p.CreatedAt)},
	}
}

// detailed reports whether the gateway's note says more than the outcome.
func (a AttemptRow) detailed() bool {
	return a.Detail != "" && a.Error != "status" && a.Error != "timeout"
}

// copyID names the element whose text an attempt's copy button copies.
func (a AttemptRow) copyID(part string) string { return part + "-" + strconv.Itoa(a.Number) }

// name returns "Tentativa 3", and says if a member requested it, or if it was recorded late.
func (a AttemptRow) name(ctx context.Context) string {
	switch {
	case a.Manual:
		return i18n.T(ctx, "attempt.manual", a.Number)
	case a.Late:
		return i18n.T(ctx, "attempt.late", a.Number)
	}
	return i18n.T(ctx, "attempt.number", a.Number)
}

// subtitle names the event's object, and says if it is a test.
func (p DeliveryProps) subtitle(ctx context.Context) string {
	parts := []string{eventLabel(ctx, p.Type)}
	if p.Test {
		parts = append(parts, i18n.T(ctx, "delivery.test"))
	}
	return strings.Join(parts, " · ")
}
