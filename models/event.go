package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Types of events (contract 6).
const (
	EventCheckoutCreated = "checkout.created"
	EventCheckoutPaid    = "checkout.paid"
	EventCheckoutExpired = "checkout.expired"
)

// EventCheckoutCancelled is an addition to the contract: it exists only where an
// endpoint asked for it (decisions, 4).
const EventCheckoutCancelled = "checkout.cancelled"

// EventTypes are the types that a new endpoint receives.
var EventTypes = []string{EventCheckoutCreated, EventCheckoutPaid, EventCheckoutExpired}

// OptionalEventTypes are those that an endpoint receives only if it asks.
var OptionalEventTypes = []string{EventCheckoutCancelled}

// Types of events about withdrawals, one for each state that they enter. Only
// endpoints that asked for them get them (decisions, 4).
const (
	EventWithdrawalCreated    = "withdrawal.created"
	EventWithdrawalCancelled  = "withdrawal.cancelled"
	EventWithdrawalRejected   = "withdrawal.rejected"
	EventWithdrawalApproved   = "withdrawal.approved"
	EventWithdrawalProcessing = "withdrawal.processing"
	EventWithdrawalCompleted  = "withdrawal.completed"
	EventWithdrawalFailed     = "withdrawal.failed"
	EventWithdrawalReturned   = "withdrawal.returned"
)

// WithdrawalEventTypes are the types that live endpoints may ask for besides.
var WithdrawalEventTypes = []string{
	EventWithdrawalCreated, EventWithdrawalCancelled, EventWithdrawalRejected, EventWithdrawalApproved,
	EventWithdrawalProcessing, EventWithdrawalCompleted, EventWithdrawalFailed, EventWithdrawalReturned,
}

// Event is one thing that happened, as the merchant is told it. Body is the exact
// JSON that every attempt of every delivery sends and signs: it is rendered once.
type Event struct {
	ID           string
	ProjectID    string
	Livemode     bool
	Type         string
	CheckoutID   string // "" if it is about none
	WithdrawalID string // likewise
	Test         bool   // sent by a member to see what arrives; it tells of nothing
	Body         []byte
	CreatedAt    time.Time
}

// JobDeliverWebhook is the kind of the River job that sends one delivery. Its
// arguments are {"deliveryId": "dlv_…"}; "manual": true beside it asks for one
// attempt outside of the schedule. Each endpoint has a queue of such jobs, named by
// its id. QueueWebhooks is what River knows all of them by. Such a job stays available
// until its end is recorded (DeliveryQueue), and River counts no runs of it.
const (
	JobDeliverWebhook = "deliver_webhook"
	QueueWebhooks     = "webhooks"
)

const (
	// What a person waits for goes before events, and those before replays.
	forPerson, forEvent, forReplay = "1", "2", "3"
	// insertDeliveryJobs is followed by endpoint, priority, arguments and FROM. Jobs'
	// rows are written here, not by River's client, so that they cost no round trip
	// of their own.
	insertDeliveryJobs = `INSERT INTO river_job (kind, max_attempts, queue, priority, args)
		SELECT '` + JobDeliverWebhook + `', 32767, `
)

// deliverTold continues a WITH whose step "told" inserted events: one delivery for
// each endpoint that asked for the type, and River's job for each delivery.
// Endpoints that are off keep theirs as SKIPPED.
const deliverTold = `due AS (
	INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, next_attempt_at, created_at, finished_at)
	SELECT 'dlv_' || left(replace(gen_random_uuid()::text, '-', ''), 24), told.id, e.id,
		CASE WHEN e.active THEN 'PENDING' ELSE 'SKIPPED' END,
		CASE WHEN e.active THEN told.created_at END, told.created_at,
		CASE WHEN e.active THEN NULL ELSE told.created_at END
	FROM told JOIN webhook_endpoints e ON e.project_id = told.project_id AND e.livemode = told.livemode
		AND e.deleted_at IS NULL AND told.type = ANY(e.types)
	RETURNING id, endpoint_id, status
), queued AS (
	` + insertDeliveryJobs + `endpoint_id, ` + forEvent + `, jsonb_build_object('deliveryId', id)
	FROM due WHERE status = 'PENDING' RETURNING id
)`

const insertEvents = `WITH told AS (
	INSERT INTO events (id, project_id, livemode, type, checkout_id, withdrawal_id, body, created_at)
	SELECT id, project_id, livemode, type, nullif(checkout_id, ''), nullif(withdrawal_id, ''), body, created_at
	FROM unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::timestamptz[])
		AS t (id, project_id, livemode, type, checkout_id, withdrawal_id, body, created_at)
	RETURNING id, project_id, livemode, type, created_at
), ` + deliverTold + `
SELECT count(*) FROM queued`

// InsertEvents writes events with their deliveries and jobs. It reports whether
// deliveries wait for a worker once tx commits.
func InsertEvents(tx *Tx, events ...Event) (queued bool, err error) {
	n := len(events)
	var (
		ids, projects, types   = make([]string, n), make([]string, n), make([]string, n)
		checkouts, withdrawals = make([]string, n), make([]string, n)
		livemodes              = make([]bool, n)
		bodies                 = make([][]byte, n)
		times                  = make([]time.Time, n)
	)
	for i, e := range events {
		ids[i], projects[i], livemodes[i], types[i] = e.ID, e.ProjectID, e.Livemode, e.Type
		checkouts[i], withdrawals[i], bodies[i], times[i] = e.CheckoutID, e.WithdrawalID, e.Body, e.CreatedAt
	}
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		var jobs int
		err := conn.QueryRow(ctx, insertEvents, ids, projects, livemodes, types, checkouts, withdrawals, bodies, times).Scan(&jobs)
		queued = jobs > 0
		return err
	})
	return queued, err
}

// EndpointsWant reports whether an endpoint of the scope, on or off, asked for
// events of the type.
func EndpointsWant(tx *Tx, scope Scope, eventType string) (wanted bool, err error) {
	err = tx.Raw(`SELECT EXISTS (SELECT FROM webhook_endpoints WHERE project_id = ? AND livemode = ? AND deleted_at IS NULL
		AND ? = ANY(types))`, scope.ProjectID, scope.Livemode, eventType).Row().Scan(&wanted)
	return wanted, err
}

// InsertTestEvent writes an event that tells of nothing, with a delivery to one
// endpoint of the same scope and its job, and returns the delivery's id.
func InsertTestEvent(tx *Tx, e *Event, endpointID string) (deliveryID string, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `WITH told AS (
			INSERT INTO events (id, project_id, livemode, type, test, body, created_at)
			VALUES ($1, $2, $3, $4, true, $5, $6) RETURNING id, created_at
		), due AS (
			INSERT INTO webhook_deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
			SELECT 'dlv_' || left(replace(gen_random_uuid()::text, '-', ''), 24), id, $7, created_at, created_at FROM told RETURNING id
		), queued AS (
			`+insertDeliveryJobs+`$7, `+forPerson+`, jsonb_build_object('deliveryId', id) FROM due
		)
		SELECT id FROM due`, e.ID, e.ProjectID, e.Livemode, e.Type, e.Body, e.CreatedAt, endpointID).Scan(&deliveryID)
	})
	return deliveryID, err
}

// ProjectsWanting returns the projects of the account with an endpoint in the
// environment that asked for the type.
func ProjectsWanting(tx *Tx, accountID string, livemode bool, eventType string) (projectIDs []string, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT DISTINCT j.id FROM projects j JOIN webhook_endpoints e ON e.project_id = j.id
			WHERE j.account_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL AND $3 = ANY(e.types) ORDER BY j.id`, accountID, livemode, eventType)
		if err != nil {
			return err
		}
		projectIDs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return projectIDs, err
}
