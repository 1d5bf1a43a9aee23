package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const eventColumns = `v.id, v.project_id, v.livemode, v.type, coalesce(v.checkout_id, '') AS checkout_id,
	coalesce(v.withdrawal_id, '') AS withdrawal_id, coalesce(v.refund_id, '') AS refund_id, v.test, v.created_at`

const eventWithoutBody = eventColumns + ", NULL::bytea AS body"

// EventByID returns one event of the scope with its body, or ErrNotFound.
func EventByID(ctx context.Context, q Querier, scope Scope, id string) (*Event, error) {
	if !eventShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[Event](ctx, q, "SELECT "+eventColumns+`, v.body FROM events v
		WHERE v.id = $1 AND v.project_id = $2 AND v.livemode = $3`, id, scope.ProjectID, scope.Environment)
}

// CheckoutEvents lists the events of a checkout of the scope, oldest first.
func CheckoutEvents(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Event, error) {
	return collect[Event](ctx, q, "SELECT "+eventWithoutBody+` FROM events v
		WHERE v.checkout_id = $1 AND v.project_id = $2 AND v.livemode = $3 ORDER BY v.created_at, v.tx, v.id`,
		checkoutID, scope.ProjectID, scope.Environment)
}

// EventFilter narrows a list of events. A zero field does not.
type EventFilter struct {
	Type        string
	CheckoutID  string
	Undelivered bool      // not delivered to an existing endpoint: failed, retrying or skipped
	After       *Position // the last event of the previous page
	Limit       int
}

// ListEvents lists events of the scope without their bodies, newest first. Each filter has an
// index, so a page reads little more than it shows.
func ListEvents(ctx context.Context, q Querier, scope Scope, f EventFilter) ([]Event, error) {
	query := where{args: []any{scope.ProjectID, scope.Environment, f.Limit}}
	sql := "SELECT " + eventWithoutBody + " FROM events v WHERE v.project_id = $1 AND v.livemode = $2"
	f.narrow(&query)
	if f.Undelivered {
		query.after("d.created_at, d.event_id", "<", f.After)
		// A delivery has the same time as its event, so the latest events are among the latest
		// deliveries of each endpoint.
		sql = "SELECT DISTINCT " + eventWithoutBody + ` FROM webhook_endpoints e CROSS JOIN LATERAL (
			SELECT v.* FROM webhook_deliveries d JOIN events v ON v.id = d.event_id
			WHERE d.endpoint_id = e.id AND d.undelivered` + query.sql + `
			ORDER BY d.created_at DESC, d.event_id DESC LIMIT $3) v
			WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL`
	} else {
		query.after("v.created_at, v.id", "<", f.After)
		sql += query.sql
	}
	return collect[Event](ctx, q, sql+" ORDER BY v.created_at DESC, v.id DESC LIMIT $3", query.args...)
}

// narrow adds the filter's conditions on an event v.
func (f EventFilter) narrow(query *where) {
	if f.Type != "" {
		query.and("v.type = %s", f.Type)
		if f.Type != EventCheckoutCreated && f.Type != EventCheckoutPaid {
			query.and("v.type NOT IN ('checkout.created', 'checkout.paid')") // the condition of the index
		}
	}
	if f.CheckoutID != "" {
		query.and("v.checkout_id = %s", f.CheckoutID)
	}
}

// EventDelivery is the state of one event at one endpoint.
type EventDelivery struct {
	ID, EventID, EndpointID, URL string
	Status                       DeliveryStatus
	Attempts                     int
	NextAttemptAt                *time.Time
	EndpointDeleted              bool
}

// EventDeliveries lists the deliveries of events, by event id, ordered by endpoint. The caller
// must have found the events within its scope.
func EventDeliveries(ctx context.Context, q Querier, eventIDs []string) (map[string][]EventDelivery, error) {
	rows, err := q.Query(ctx,
		`SELECT d.id, d.event_id, e.id, e.url, d.status, d.attempts, d.next_attempt_at, e.deleted_at IS NOT NULL
		FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
		WHERE d.event_id = ANY($1) ORDER BY e.created_at, e.id`, eventIDs)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[EventDelivery])
	if err != nil {
		return nil, err
	}
	byEvent := map[string][]EventDelivery{}
	for _, d := range all {
		byEvent[d.EventID] = append(byEvent[d.EventID], d)
	}
	return byEvent, nil
}
