package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// AddEventBodies reads the bodies of listed events. The caller must have found them within its scope.
func AddEventBodies(ctx context.Context, q Reader, events []Event) error {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	rows, err := q.Query(ctx, "SELECT id, body FROM events WHERE id = ANY($1)", ids)
	if err != nil {
		return err
	}
	bodies := make(map[string][]byte, len(events))
	var id string
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		bodies[id], body = body, nil
		return nil
	})
	for i := range events {
		events[i].Body = bodies[events[i].ID]
	}
	return err
}

// DeliveriesOfEvent lists the deliveries of an event of the scope to endpoints that were not deleted, ordered
// by endpoint.
func DeliveriesOfEvent(ctx context.Context, q Querier, scope Scope, eventID string) ([]Delivery, error) {
	rows, err := q.Query(ctx, deliveryQuery+`WHERE d.event_id = $1 AND e.project_id = $2 AND e.livemode = $3
		AND e.deleted_at IS NULL ORDER BY e.created_at, e.id`, eventID, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanDelivery)
}

// EventOfDelivery returns the event of a delivery of the scope, or ErrNotFound.
func EventOfDelivery(ctx context.Context, q Querier, scope Scope, deliveryID string) (eventID string, err error) {
	if !deliveryShape.fits(deliveryID) {
		return "", ErrNotFound
	}
	err = q.QueryRow(ctx, `SELECT v.id FROM webhook_deliveries d
		JOIN events v ON v.id = d.event_id AND v.month = d.month
		WHERE d.id = $1 AND v.project_id = $2 AND v.livemode = $3`, deliveryID, scope.ProjectID,
		scope.Environment).Scan(&eventID)
	return eventID, notFound(err)
}
