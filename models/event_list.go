package models

import (
	"context"
	"errors"
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

// LatestEventID returns the id of the newest event of the scope, or "" if there is none.
func LatestEventID(ctx context.Context, q Querier, scope Scope) (id string, err error) {
	err = q.QueryRow(ctx, `SELECT id FROM events WHERE project_id = $1 AND livemode = $2
		ORDER BY created_at DESC, id DESC LIMIT 1`, scope.ProjectID, scope.Environment).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// CheckoutEvents lists the events of a checkout of the scope, oldest first.
func CheckoutEvents(ctx context.Context, q Reader, scope Scope, checkoutID string) ([]Event, error) {
	return collect[Event](ctx, q, "SELECT "+eventWithoutBody+` FROM events v
		WHERE v.id IN `+eventsOf("checkout_id = $1")+` AND v.project_id = $2 AND v.livemode = $3
		ORDER BY v.created_at, v.tx, v.id`,
		checkoutID, scope.ProjectID, scope.Environment)
}

// EventFilter narrows a list of events. A zero field does not.
type EventFilter struct {
	ID          string
	Type        string
	CheckoutIDs []string  // events about any of these, of which there are few
	From, Until time.Time // of the creation; Until is exclusive
	Undelivered bool      // not delivered to an existing endpoint: failed, retrying or skipped
	Arrived     bool      // the opposite of Undelivered
	NoTests     bool      // without the events that members sent to try an endpoint
	After       *Position // the last event of the previous page
	Limit       int
}

// ListEvents lists events of the scope without their bodies, newest first. Each filter has an
// index, so a page reads little more than it shows.
func ListEvents(ctx context.Context, q Reader, scope Scope, f EventFilter) ([]Event, error) {
	if f.ID != "" && !eventShape.fits(f.ID) {
		return nil, nil
	}
	query := where{args: []any{scope.ProjectID, scope.Environment, f.Limit}}
	sql := "SELECT " + eventWithoutBody + " FROM events v WHERE v.project_id = $1 AND v.livemode = $2"
	f.narrow(&query)
	switch {
	case f.Undelivered && f.ID == "" && len(f.CheckoutIDs) == 0:
		f.period(&query, "d.created_at")
		query.after("d.created_at, d.event_id", "<", f.After)
		// A delivery has the same time as its event, so the latest events are among the latest
		// deliveries of each endpoint.
		sql = "SELECT DISTINCT " + eventWithoutBody + ` FROM webhook_endpoints e CROSS JOIN LATERAL (
			SELECT v.* FROM webhook_deliveries d JOIN events v ON v.id = d.event_id AND v.month = d.month
			WHERE d.endpoint_id = e.id AND d.undelivered` + query.sql + `
			ORDER BY d.created_at DESC, d.event_id DESC LIMIT $3) v
			WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL`
	default:
		if f.Undelivered {
			query.and("EXISTS (" + missing + ")")
		} else if f.Arrived {
			query.and("NOT EXISTS (" + missing + ")")
		}
		f.period(&query, "v.created_at")
		query.after("v.created_at, v.id", "<", f.After)
		sql += query.sql
	}
	return collect[Event](ctx, q, sql+" ORDER BY v.created_at DESC, v.id DESC LIMIT $3", query.args...)
}

// missing selects the deliveries of an event v that did not arrive at an existing endpoint. OFFSET makes the
// planner run it for each event that is read, and not for all events at once.
const missing = `SELECT FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
	WHERE d.event_id = v.id AND d.month = v.month AND d.undelivered AND e.deleted_at IS NULL OFFSET 0`

// period adds the filter's conditions on the time in a column.
func (f EventFilter) period(query *where, column string) {
	if !f.From.IsZero() {
		query.and(column+" >= %s", f.From)
	}
	if !f.Until.IsZero() {
		query.and(column+" < %s", f.Until)
	}
}

// narrow adds the filter's conditions on an event v, except that on its time.
func (f EventFilter) narrow(query *where) {
	if f.Type != "" {
		query.and("v.type = %s", f.Type)
		if f.Type != EventCheckoutCreated && f.Type != EventCheckoutPaid {
			query.and("v.type NOT IN ('checkout.created', 'checkout.paid')") // the condition of the index
		}
	}
	if f.ID != "" {
		query.and("v.id = %s", f.ID)
	}
	if len(f.CheckoutIDs) > 0 { // refunds have an index of their own
		ids := query.arg(f.CheckoutIDs)
		query.sql += " AND (v.checkout_id = ANY(" + ids + ") AND v.refund_id IS NULL OR v.checkout_id = ANY(" + ids +
			") AND v.refund_id IS NOT NULL)"
	}
	if f.NoTests {
		query.and("NOT v.test")
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
func EventDeliveries(ctx context.Context, q Reader, eventIDs []string) (map[string][]EventDelivery, error) {
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
