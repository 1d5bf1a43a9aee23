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
	Manual        int // of those, the ones that a person asked for
	BeforeReplay  int // of the others, those that a replay left behind
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	FinishedAt    *time.Time
	Event         Event
	Endpoint      Endpoint
	Last          Attempt // the latest one; its Number is 0 when there is none
}

// Attempt is one post of a delivery.
type Attempt struct {
	Number     int  // within its delivery, from 1
	Manual     bool // a person asked for it; it stands outside of the schedule
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0: no answer
	ErrorClass string // "" on success; see package webhook
	Detail     string
	Headers    map[string][]string // as sent
	Response   []byte              // its beginning
}

const deliveryQuery = `SELECT d.id, d.status, d.attempts, d.manual_attempts, d.before_replay, d.next_attempt_at, d.created_at, d.finished_at,
	v.id, v.type, v.body, v.created_at, v.livemode, coalesce(v.checkout_id, ''), ` + endpointColumns + `,
	coalesce(l.number, 0), coalesce(l.started_at, 'epoch'), coalesce(l.duration_ms, 0), coalesce(l.status_code, 0),
	coalesce(l.error_class, ''), coalesce(l.detail, '')
	FROM webhook_deliveries d JOIN events v ON v.id = d.event_id JOIN webhook_endpoints e ON e.id = d.endpoint_id
	LEFT JOIN webhook_attempts l ON l.delivery_id = d.id AND l.number = d.attempts `

func scanDelivery(row pgx.CollectableRow) (d Delivery, err error) {
	var milliseconds int64
	err = row.Scan(append(append([]any{&d.ID, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay, &d.NextAttemptAt, &d.CreatedAt, &d.FinishedAt,
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
// newest first: those with one of the statuses, or all if there are none.
func EndpointDeliveries(ctx context.Context, q Querier, scope Scope, endpointID string, limit int, statuses ...DeliveryStatus) ([]Delivery, error) {
	rows, err := q.Query(ctx, deliveryQuery+`WHERE d.endpoint_id = $1 AND e.project_id = $2 AND e.livemode = $3
		AND (cardinality($5::text[]) = 0 OR d.status = ANY($5))
		ORDER BY d.created_at DESC, d.id DESC LIMIT $4`, endpointID, scope.ProjectID, scope.Livemode, limit, append([]DeliveryStatus{}, statuses...))
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
	_, err = q.Exec(ctx, `WITH changed AS (
			UPDATE webhook_deliveries SET attempts = attempts + 1, status = $10, next_attempt_at = $11, finished_at = $12
			WHERE id = $1 AND status = 'PENDING' AND attempts - manual_attempts = $2 RETURNING attempts)
		INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, error_class, detail, headers, response)
		SELECT $1, attempts, $3, $4, nullif($5, 0), $6, $7, $8, coalesce($9, ''::bytea) FROM changed`,
		d.ID, d.Attempts-d.Manual, a.StartedAt, a.Duration.Milliseconds(), a.StatusCode, a.ErrorClass, a.Detail,
		string(headers), a.Response, d.Status, d.NextAttemptAt, d.FinishedAt)
	return err
}

// RecordManualAttempt writes a finished attempt that a person asked for. A success
// delivers, whatever the delivery's status was; a failure leaves it and its
// schedule as they are.
func RecordManualAttempt(ctx context.Context, q Querier, deliveryID string, a Attempt, now time.Time) error {
	headers, err := json.Marshal(a.Headers)
	if err != nil {
		return fmt.Errorf("models: attempt headers: %w", err)
	}
	_, err = q.Exec(ctx, `WITH changed AS (
			UPDATE webhook_deliveries SET attempts = attempts + 1, manual_attempts = manual_attempts + 1,
				status = CASE WHEN $6 = '' THEN 'DELIVERED' ELSE status END,
				next_attempt_at = CASE WHEN $6 = '' THEN NULL ELSE next_attempt_at END,
				finished_at = CASE WHEN $6 = '' AND status <> 'DELIVERED' THEN $2 ELSE finished_at END
			WHERE id = $1 RETURNING attempts)
		INSERT INTO webhook_attempts (delivery_id, number, manual, started_at, duration_ms, status_code, error_class, detail, headers, response)
		SELECT $1, attempts, true, $3, $4, nullif($5, 0), $6, $7, $8, coalesce($9, ''::bytea) FROM changed`,
		deliveryID, now, a.StartedAt, a.Duration.Milliseconds(), a.StatusCode, a.ErrorClass, a.Detail, string(headers), a.Response)
	return err
}

// SkipDelivery ends a pending delivery without an attempt.
func SkipDelivery(ctx context.Context, q Querier, id string, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE webhook_deliveries SET status = 'SKIPPED', next_attempt_at = NULL, finished_at = $2
		WHERE id = $1 AND status = 'PENDING'`, id, now)
	return err
}

// DeliveryAttempts lists the attempts of deliveries, by delivery, the latest first.
// The caller has found the deliveries within its scope.
func DeliveryAttempts(ctx context.Context, q Querier, deliveryIDs []string) (map[string][]Attempt, error) {
	rows, err := q.Query(ctx, `SELECT delivery_id, number, manual, started_at, duration_ms, coalesce(status_code, 0), error_class, detail, response
		FROM webhook_attempts WHERE delivery_id = ANY($1) ORDER BY delivery_id, number DESC`, deliveryIDs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	attempts := map[string][]Attempt{}
	for rows.Next() {
		var id string
		var a Attempt
		var milliseconds int64
		if err := rows.Scan(&id, &a.Number, &a.Manual, &a.StartedAt, &milliseconds, &a.StatusCode, &a.ErrorClass, &a.Detail, &a.Response); err != nil {
			return nil, err
		}
		a.Duration = time.Duration(milliseconds) * time.Millisecond
		attempts[id] = append(attempts[id], a)
	}
	return attempts, rows.Err()
}

// DeliveryCounts are how the deliveries of an endpoint fare.
type DeliveryCounts struct {
	Delivered, Retrying, Failed int
}

// EndpointCounts counts the deliveries since a time, by endpoint of the scope.
func EndpointCounts(ctx context.Context, q Querier, scope Scope, since time.Time) (map[string]DeliveryCounts, error) {
	rows, err := q.Query(ctx, `SELECT e.id, count(*) FILTER (WHERE d.status = 'DELIVERED'),
			count(*) FILTER (WHERE d.status = 'PENDING' AND d.attempts > 0), count(*) FILTER (WHERE d.status = 'FAILED')
		FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id
		WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL AND d.created_at >= $3 GROUP BY e.id`,
		scope.ProjectID, scope.Livemode, since)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := map[string]DeliveryCounts{}
	for rows.Next() {
		var id string
		var c DeliveryCounts
		if err := rows.Scan(&id, &c.Delivered, &c.Retrying, &c.Failed); err != nil {
			return nil, err
		}
		counts[id] = c
	}
	return counts, rows.Err()
}

// CheckoutDelivery is how one event of a checkout stands at one endpoint.
type CheckoutDelivery struct {
	EventID, EndpointID, URL string
	Status                   DeliveryStatus
	Attempts                 int
}

// CheckoutDeliveries lists the deliveries of a checkout's events in the scope.
func CheckoutDeliveries(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]CheckoutDelivery, error) {
	rows, err := q.Query(ctx, `SELECT v.id, e.id, e.url, d.status, d.attempts
		FROM events v JOIN webhook_deliveries d ON d.event_id = v.id JOIN webhook_endpoints e ON e.id = d.endpoint_id
		WHERE v.checkout_id = $1 AND v.project_id = $2 AND v.livemode = $3 ORDER BY d.created_at, d.id`,
		checkoutID, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[CheckoutDelivery])
}
