package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeliveryStatus is how an event fares on its way to one endpoint.
type DeliveryStatus string

const (
	DeliveryPending   DeliveryStatus = "PENDING"
	DeliveryDelivered DeliveryStatus = "DELIVERED"
	DeliveryFailed    DeliveryStatus = "FAILED"  // after the fifth attempt
	DeliverySkipped   DeliveryStatus = "SKIPPED" // the endpoint was off
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID            string
	Status        DeliveryStatus
	Attempts      int // finished ones
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	FinishedAt    *time.Time
	Event         Event
	Endpoint      Endpoint
	Last          Attempt // the latest one; its Number is 0 when there is none
}

// Attempt is one post of a delivery.
type Attempt struct {
	Number     int
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0: no answer
	ErrorClass string // "" on success; see package webhook
	Detail     string
	Headers    map[string][]string // as sent
	Response   []byte              // its beginning
}

const deliveryQuery = `SELECT d.id, d.status, d.attempts, d.next_attempt_at, d.created_at, d.finished_at,
	v.id, v.type, v.body, v.created_at, v.livemode, coalesce(v.checkout_id, ''), ` + endpointColumns + `,
	coalesce(l.number, 0), coalesce(l.started_at, 'epoch'), coalesce(l.duration_ms, 0), coalesce(l.status_code, 0),
	coalesce(l.error_class, ''), coalesce(l.detail, '')
	FROM webhook_deliveries d JOIN events v ON v.id = d.event_id JOIN webhook_endpoints e ON e.id = d.endpoint_id
	LEFT JOIN webhook_attempts l ON l.delivery_id = d.id AND l.number = d.attempts `

func scanDelivery(row pgx.CollectableRow) (d Delivery, err error) {
	var milliseconds int64
	err = row.Scan(append(append([]any{&d.ID, &d.Status, &d.Attempts, &d.NextAttemptAt, &d.CreatedAt, &d.FinishedAt,
		&d.Event.ID, &d.Event.Type, &d.Event.Body, &d.Event.CreatedAt, &d.Event.Livemode, &d.Event.CheckoutID},
		d.Endpoint.targets()...), &d.Last.Number, &d.Last.StartedAt, &milliseconds, &d.Last.StatusCode, &d.Last.ErrorClass, &d.Last.Detail)...)
	d.Last.Duration = time.Duration(milliseconds) * time.Millisecond
	return d, err
}

// DeliveryByID returns a delivery of any merchant, for the worker, or ErrNotFound.
func DeliveryByID(ctx context.Context, q Querier, id string) (*Delivery, error) {
	rows, err := q.Query(ctx, deliveryQuery+"WHERE d.id = $1", id)
	if err != nil {
		return nil, err
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// EndpointDeliveries lists the latest deliveries of an endpoint of the scope,
// newest first.
func EndpointDeliveries(ctx context.Context, q Querier, scope Scope, endpointID string, limit int) ([]Delivery, error) {
	rows, err := q.Query(ctx, deliveryQuery+`WHERE d.endpoint_id = $1 AND e.project_id = $2 AND e.livemode = $3
		ORDER BY d.created_at DESC, d.id DESC LIMIT $4`, endpointID, scope.ProjectID, scope.Livemode, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanDelivery)
}

// RecordAttempt writes a finished attempt and where it leaves its delivery. It
// changes nothing if the attempt was recorded before.
func RecordAttempt(ctx context.Context, q Querier, d *Delivery, a Attempt) error {
	headers, err := json.Marshal(a.Headers)
	if err != nil {
		return fmt.Errorf("models: attempt headers: %w", err)
	}
	_, err = q.Exec(ctx, `WITH attempt AS (
			INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, error_class, detail, headers, response)
			VALUES ($1, $2, $3, $4, nullif($5, 0), $6, $7, $8, coalesce($9, ''::bytea)) ON CONFLICT DO NOTHING RETURNING number)
		UPDATE webhook_deliveries SET attempts = attempt.number, status = $10, next_attempt_at = $11, finished_at = $12
		FROM attempt WHERE id = $1`, d.ID, a.Number, a.StartedAt, a.Duration.Milliseconds(), a.StatusCode, a.ErrorClass, a.Detail,
		string(headers), a.Response, d.Status, d.NextAttemptAt, d.FinishedAt)
	return err
}

// CheckoutEvents lists the events of a checkout of the scope, oldest first.
func CheckoutEvents(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Event, error) {
	rows, err := q.Query(ctx, `SELECT id, type, created_at FROM events
		WHERE checkout_id = $1 AND project_id = $2 AND livemode = $3 ORDER BY created_at, id`, checkoutID, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Event, err error) {
		return e, row.Scan(&e.ID, &e.Type, &e.CreatedAt)
	})
}

// SkipDelivery ends a pending delivery without an attempt.
func SkipDelivery(ctx context.Context, q Querier, id string, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE webhook_deliveries SET status = 'SKIPPED', next_attempt_at = NULL, finished_at = $2
		WHERE id = $1 AND status = 'PENDING'`, id, now)
	return err
}
