package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeliveryFilter narrows a list of deliveries. A zero field does not.
type DeliveryFilter struct {
	// Undelivered selects deliveries that have not arrived, by these statuses. Of pending
	// deliveries it selects those that have failed before.
	Undelivered []DeliveryStatus
	After       *Position // the last delivery of the previous page
	Limit       int
}

// EndpointDeliveries lists the deliveries of an endpoint of the scope, newest
// first, without the bodies of their events and without their endpoint.
func EndpointDeliveries(ctx context.Context, q Reader, scope Scope, endpointID string,
	f DeliveryFilter) ([]Delivery, error) {
	query := where{args: []any{endpointID, scope.ProjectID, scope.Environment, f.Limit}}
	sql := `SELECT d.id, d.month, d.status, d.attempts, d.manual_attempts, d.before_replay, d.next_attempt_at,
		d.created_at, d.finished_at, v.id, v.type, v.test, v.created_at,
		coalesce(l.number, 0), coalesce(l.duration_ms, 0), coalesce(l.status_code, 0), coalesce(l.error_class, '')
		FROM webhook_deliveries d JOIN events v ON v.id = d.event_id AND v.month = d.month
		JOIN webhook_endpoints e ON e.id = d.endpoint_id
		LEFT JOIN webhook_attempts l ON l.delivery_id = d.id AND l.month = d.month AND l.number = d.attempts
		WHERE d.endpoint_id = $1 AND e.project_id = $2 AND e.livemode = $3`
	query.after("d.created_at, d.id", "<", f.After)
	if len(f.Undelivered) > 0 {
		query.and("d.undelivered AND d.status = ANY(%s)", f.Undelivered)
	}
	rows, err := q.Query(ctx, sql+query.sql+" ORDER BY d.created_at DESC, d.id DESC LIMIT $4", query.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Delivery, err error) {
		var milliseconds int64
		err = row.Scan(&d.ID, &d.Month, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay, &d.NextAttemptAt,
			&d.CreatedAt, &d.FinishedAt,
			&d.Event.ID, &d.Event.Type, &d.Event.Test, &d.Event.CreatedAt, &d.Last.Number, &milliseconds,
			&d.Last.StatusCode, &d.Last.ErrorClass)
		d.Last.Duration = time.Duration(milliseconds) * time.Millisecond
		return d, err
	})
}

// DeliveryAttempts lists the attempts of deliveries, by delivery id, newest first. The caller
// must have found the deliveries within its scope.
func DeliveryAttempts(ctx context.Context, q Reader, deliveryIDs []string) (map[string][]Attempt, error) {
	rows, err := q.Query(ctx,
		`SELECT a.delivery_id, a.number, a.manual, a.late, a.started_at, a.duration_ms, coalesce(a.status_code, 0),
			a.error_class, a.detail, a.headers, coalesce(w.body, a.response)
		FROM webhook_attempts a LEFT JOIN webhook_answers w
			ON w.delivery_id = a.delivery_id AND w.number = a.number AND w.started_at = a.started_at
		WHERE a.delivery_id = ANY($1) ORDER BY a.delivery_id, a.number DESC`,
		deliveryIDs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	attempts := map[string][]Attempt{}
	for rows.Next() {
		var id string
		var a Attempt
		var milliseconds int64
		if err := rows.Scan(&id, &a.Number, &a.Manual, &a.Late, &a.StartedAt, &milliseconds, &a.StatusCode,
			&a.ErrorClass, &a.Detail, &a.Headers, &a.Response); err != nil {
			return nil, err
		}
		a.Duration = time.Duration(milliseconds) * time.Millisecond
		attempts[id] = append(attempts[id], a)
	}
	return attempts, rows.Err()
}

// DeliveryEndpoint returns the endpoint of a delivery of the scope, unless the endpoint is
// deleted, or ErrNotFound.
func DeliveryEndpoint(ctx context.Context, q Querier, scope Scope, id string) (endpointID string, err error) {
	if !deliveryShape.fits(id) {
		return "", ErrNotFound
	}
	err = q.QueryRow(ctx, `SELECT e.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
		WHERE d.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL`, id, scope.ProjectID,
		scope.Environment).Scan(&endpointID)
	return endpointID, notFound(err)
}
