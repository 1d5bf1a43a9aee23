package models

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const eventColumns = `v.id, v.project_id, v.livemode, v.type, coalesce(v.checkout_id, ''), coalesce(v.withdrawal_id, ''), v.test, v.created_at`

func (e *Event) targets() []any {
	return []any{&e.ID, &e.ProjectID, &e.Livemode, &e.Type, &e.CheckoutID, &e.WithdrawalID, &e.Test, &e.CreatedAt}
}

// EventByID returns one event of the scope with its body, or ErrNotFound.
func EventByID(ctx context.Context, q Querier, scope Scope, id string) (*Event, error) {
	if !wellFormed(id, "evt_", 24) {
		return nil, ErrNotFound
	}
	var e Event
	err := q.QueryRow(ctx, "SELECT "+eventColumns+", v.body FROM events v WHERE v.id = $1 AND v.project_id = $2 AND v.livemode = $3",
		id, scope.ProjectID, scope.Livemode).Scan(append(e.targets(), &e.Body)...)
	if err != nil {
		return nil, notFound(err)
	}
	return &e, nil
}

// CheckoutEvents lists the events of a checkout of the scope, oldest first.
func CheckoutEvents(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Event, error) {
	rows, err := q.Query(ctx, "SELECT "+eventColumns+` FROM events v
		WHERE v.checkout_id = $1 AND v.project_id = $2 AND v.livemode = $3 ORDER BY v.created_at, v.tx, v.id`, checkoutID, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEvent)
}

func scanEvent(row pgx.CollectableRow) (e Event, err error) { return e, row.Scan(e.targets()...) }

// EventFilter narrows a list of events. Its zero fields do not.
type EventFilter struct {
	Type        string
	CheckoutID  string
	Undelivered bool      // an endpoint that is still there lacks it: it failed, waits for its next attempt, or was skipped
	After       *Position // the last event of the page before
	Limit       int
}

// ListEvents lists events of the scope without their bodies, newest first. Each
// filter has an index, so that a page never reads much more than it shows.
func ListEvents(ctx context.Context, q Querier, scope Scope, f EventFilter) ([]Event, error) {
	query := eventQuery{args: []any{scope.ProjectID, scope.Livemode, f.Limit}}
	sql := "SELECT " + eventColumns + " FROM events v WHERE v.project_id = $1 AND v.livemode = $2"
	if f.Undelivered {
		// A delivery is made with its event, at the same time, so the latest of each
		// endpoint hold the latest of all.
		sql = "SELECT DISTINCT " + eventColumns + ` FROM webhook_endpoints e CROSS JOIN LATERAL (
			SELECT v.* FROM webhook_deliveries d JOIN events v ON v.id = d.event_id
			WHERE d.endpoint_id = e.id AND d.undelivered` + query.filter(f) + query.after("d.created_at, d.event_id", f.After) + `
			ORDER BY d.created_at DESC, d.event_id DESC LIMIT $3) v
			WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL`
	} else {
		sql += query.filter(f) + query.after("v.created_at, v.id", f.After)
	}
	rows, err := q.Query(ctx, sql+" ORDER BY v.created_at DESC, v.id DESC LIMIT $3", query.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEvent)
}

// eventQuery gathers the arguments of a list's statement.
type eventQuery struct{ args []any }

func (q *eventQuery) arg(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}

func (q *eventQuery) filter(f EventFilter) string {
	var sql strings.Builder
	if f.Type != "" {
		sql.WriteString(" AND v.type = " + q.arg(f.Type))
		if f.Type != EventCheckoutCreated && f.Type != EventCheckoutPaid {
			sql.WriteString(" AND v.type NOT IN ('checkout.created', 'checkout.paid')") // the words of the index
		}
	}
	if f.CheckoutID != "" {
		sql.WriteString(" AND v.checkout_id = " + q.arg(f.CheckoutID))
	}
	return sql.String()
}

func (q *eventQuery) after(columns string, after *Position) string {
	if after == nil {
		return ""
	}
	return " AND (" + columns + ") < (" + q.arg(after.CreatedAt) + ", " + q.arg(after.ID) + ")"
}

// EventDelivery is how one event stands at one endpoint.
type EventDelivery struct {
	ID, EventID, EndpointID, URL string
	Status                       DeliveryStatus
	Attempts                     int
	NextAttemptAt                *time.Time
	EndpointDeleted              bool
}

// EventDeliveries lists the deliveries of events, by event, in the order of the
// endpoints. The caller has found the events within its scope.
func EventDeliveries(ctx context.Context, q Querier, eventIDs []string) (map[string][]EventDelivery, error) {
	rows, err := q.Query(ctx, `SELECT d.id, d.event_id, e.id, e.url, d.status, d.attempts, d.next_attempt_at, e.deleted_at IS NOT NULL
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
