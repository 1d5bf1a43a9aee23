package dashboard

import (
	"cmp"
	"context"
	"slices"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// FilterUndelivered is what ?delivery= of GET /app/eventos has for events that did not
// arrive everywhere.
const FilterUndelivered = "undelivered"

// EventsProps is GET /app/eventos, with what its filters find: type, delivery, day
// and q.
type EventsProps struct {
	Shell       layouts.Shell
	Type        string // "" for all
	Undelivered bool
	Text        string // as typed; "" for all
	Day         string // as typed; "" for all
	Errors      components.FieldErrors
	Types       []string
	Events      []EventRow
	Pager       components.PagerProps
}

// EventRow is one event and the state of its deliveries.
type EventRow struct {
	ID           string
	Type         string
	CreatedAt    time.Time
	CheckoutID   string // "" for an event without a checkout
	WithdrawalID string // "" for an event without a withdrawal
	Test         bool   // a member's test
	Deliveries   []EventDelivery
}

// EventDelivery is one endpoint an event goes to.
type EventDelivery struct {
	ID        string
	WebhookID string
	URL       string
	Status    string // a Delivery constant
	Gone      bool   // the endpoint was deleted: there is no link
}

// EventProps is GET /app/eventos/{id}.
type EventProps struct {
	Shell layouts.Shell
	Event EventRow
	Body  EventBody
}

func (p EventsProps) filtered() bool {
	return p.Type != "" || p.Undelivered || p.Text != "" || p.Day != ""
}

// onlyUndelivered reports whether no other filter is set.
func (p EventsProps) onlyUndelivered() bool {
	return p.Undelivered && p.Type == "" && p.Text == "" && p.Day == ""
}

// types are the choices of the filter.
func (p EventsProps) types(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "events.type_all")}}
	for _, name := range p.Types {
		options = append(options, components.SelectOption{Value: name,
			Label: eventLabel(ctx, name) + " (" + name + ")"})
	}
	return options
}

// standing is the number of an event's deliveries in one state.
type standing struct {
	status string
	count  int
}

// standings sums up the deliveries, worst state first.
func (e EventRow) standings() []standing {
	var all []standing
	for _, status := range []string{DeliveryFailed, DeliveryRetrying, DeliverySkipped, DeliveryPending,
		DeliveryDelivered} {
		n := 0
		for _, d := range e.Deliveries {
			if d.Status == status {
				n++
			}
		}
		if n > 0 {
			all = append(all, standing{status, n})
		}
	}
	return all
}

// pending reports whether a delivery is due, or is being made.
func (e EventRow) pending() bool {
	return slices.ContainsFunc(e.Deliveries, func(d EventDelivery) bool { return d.Status == DeliveryPending })
}

// about names the event's object.
func (e EventRow) about(ctx context.Context) string {
	if e.Test {
		return i18n.T(ctx, "delivery.test")
	}
	return cmp.Or(e.CheckoutID, e.WithdrawalID)
}

func (e EventRow) facts(ctx context.Context) []components.KeyValue {
	about := ""
	if e.Test {
		about = i18n.T(ctx, "event.test_body")
	}
	return []components.KeyValue{
		{Key: i18n.T(ctx, "delivery.event"), Value: e.ID, Mono: true},
		{Key: i18n.T(ctx, "delivery.checkout"), Value: e.CheckoutID, Mono: true,
			Href: "/app/cobrancas/" + e.CheckoutID},
		{Key: i18n.T(ctx, "delivery.withdrawal"), Value: e.WithdrawalID, Mono: true,
			Href: "/app/saques/" + e.WithdrawalID},
		{Key: i18n.T(ctx, "delivery.test"), Value: about},
		{Key: i18n.T(ctx, "webhook.created_at"), Value: i18n.DateTime(ctx, e.CreatedAt)},
	}
}
