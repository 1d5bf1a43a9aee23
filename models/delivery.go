package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeliveryStatus is the status of an event's delivery to one endpoint.
type DeliveryStatus string

const (
	DeliveryPending   DeliveryStatus = "PENDING"
	DeliveryDelivered DeliveryStatus = "DELIVERED"
	DeliveryFailed    DeliveryStatus = "FAILED"  // after the fifth attempt
	DeliverySkipped   DeliveryStatus = "SKIPPED" // the endpoint was off or deleted
)

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID            string
	Status        DeliveryStatus
	Attempts      int // number of finished attempts
	Manual        int // how many of them were outside of the schedule: a person requested them, or they were late
	BeforeReplay  int // how many of the others were made before the last replay
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	FinishedAt    *time.Time
	Month         time.Time // names the tables of the delivery and its event
	Event         Event
	Endpoint      Endpoint
	Last          Attempt // the latest attempt; its Number is 0 if there is none
}

// Position is the delivery's place in lists.
func (d Delivery) Position() Position { return Position{d.CreatedAt, d.ID} }

// Scheduled returns the number of attempts that followed the schedule.
func (d *Delivery) Scheduled() int { return d.Attempts - d.Manual }

// Attempt is one post of a delivery.
type Attempt struct {
	Number     int  // within its delivery, from 1
	Manual     bool // a person requested it, outside of the schedule
	Late       bool // another process had made it again before it was recorded
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0 without an answer
	ErrorClass string // "" on success; see package webhook
	Detail     string
	Headers    map[string][]string // as webhook.Stored keeps them
	Response   []byte              // the beginning of the answer's body
	RetryAfter time.Duration       // the least wait that the answer asks for; it is not stored
}

const deliveryQuery = `SELECT d.id, d.month, d.status, d.attempts, d.manual_attempts, d.before_replay,
	d.next_attempt_at, d.created_at, d.finished_at,
	v.id, v.type, v.body, v.created_at, v.livemode, coalesce(v.checkout_id, ''),
	coalesce(v.withdrawal_id, ''), v.test, ` + endpointColumns + `,
	coalesce(l.number, 0), coalesce(l.started_at, 'epoch'), coalesce(l.duration_ms, 0), coalesce(l.status_code, 0),
	coalesce(l.error_class, ''), coalesce(l.detail, '')
	FROM webhook_deliveries d JOIN events v ON v.id = d.event_id AND v.month = d.month
	JOIN webhook_endpoints e ON e.id = d.endpoint_id
	LEFT JOIN webhook_attempts l ON l.delivery_id = d.id AND l.month = d.month AND l.number = d.attempts `

func scanDelivery(row pgx.CollectableRow) (d Delivery, err error) {
	var milliseconds int64
	err = row.Scan(append(append([]any{&d.ID, &d.Month, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay,
		&d.NextAttemptAt, &d.CreatedAt, &d.FinishedAt,
		&d.Event.ID, &d.Event.Type, &d.Event.Body, &d.Event.CreatedAt, &d.Event.Environment, &d.Event.CheckoutID,
		&d.Event.WithdrawalID, &d.Event.Test},
		d.Endpoint.targets()...), &d.Last.Number, &d.Last.StartedAt, &milliseconds, &d.Last.StatusCode,
		&d.Last.ErrorClass, &d.Last.Detail)...)
	d.Last.Duration = time.Duration(milliseconds) * time.Millisecond
	return d, err
}

// DeliveryOf returns a delivery of the scope whose endpoint was not deleted, or ErrNotFound.
func DeliveryOf(ctx context.Context, q Querier, scope Scope, id string) (*Delivery, error) {
	if !deliveryShape.fits(id) {
		return nil, ErrNotFound
	}
	return oneDelivery(ctx, q, "WHERE d.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL", id,
		scope.ProjectID, scope.Environment)
}

func oneDelivery(ctx context.Context, q Querier, where string, args ...any) (*Delivery, error) {
	rows, err := q.Query(ctx, deliveryQuery+where, args...)
	if err != nil {
		return nil, err
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}
