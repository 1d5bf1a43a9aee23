package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/tracing"
)

// Types of events (contract 6).
const (
	EventCheckoutCreated = "checkout.created"
	EventCheckoutPaid    = "checkout.paid"
	EventCheckoutExpired = "checkout.expired"
)

// EventCheckoutCancelled is an addition to the contract: it is written only if an endpoint has
// subscribed to it (docs/rules.md, "Events").
const EventCheckoutCancelled = "checkout.cancelled"

// EventCheckoutRefunded is an addition to the contract: it is written once for each refund that is done, if an
// endpoint has subscribed to it (docs/rules.md, "Events").
const EventCheckoutRefunded = "checkout.refunded"

// EventTypes are the types that a new endpoint receives.
var EventTypes = []string{EventCheckoutCreated, EventCheckoutPaid, EventCheckoutExpired}

// OptionalEventTypes are the types that an endpoint receives only if it subscribes to them.
var OptionalEventTypes = []string{EventCheckoutCancelled, EventCheckoutRefunded}

// Types of events about withdrawals, one for each state that a withdrawal enters. Only
// endpoints that subscribe to a type receive it (docs/rules.md, "Events").
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

// WithdrawalEventTypes are further types to which live endpoints can subscribe.
var WithdrawalEventTypes = []string{
	EventWithdrawalCreated, EventWithdrawalCancelled, EventWithdrawalRejected, EventWithdrawalApproved,
	EventWithdrawalProcessing, EventWithdrawalCompleted, EventWithdrawalFailed, EventWithdrawalReturned,
}

// Event is something that happened, in the form sent to the merchant. Body is the exact JSON
// that every attempt of every delivery sends and signs; it is rendered once.
type Event struct {
	ID           string
	ProjectID    string
	Environment  Environment `gorm:"column:livemode" db:"livemode"`
	Type         string
	CheckoutID   string // "" if the event is not about a checkout
	WithdrawalID string // "" if the event is not about a withdrawal
	RefundID     string // "" if the event is not about a refund
	Test         bool   // sent by a member to try an endpoint; its object does not exist
	Body         []byte
	CreatedAt    time.Time
}

// Position is the event's place in lists.
func (e Event) Position() Position { return Position{e.CreatedAt, e.ID} }

// monthOf returns the SQL for the month of an event about something that was created at a time, an expression of
// SQL. Events lie in a table for each month (docs/decisions/0060).
func monthOf(created string) string {
	return "date_trunc('month', " + created + " AT TIME ZONE 'UTC')::date"
}

// newDeliveryID makes an id for a delivery of the event in the step "told". It begins with the time of the
// event's id, and ends with 64 random bits.
const newDeliveryID = "'dlv_' || substr(told.id, 5, 8) || left(replace(gen_random_uuid()::text, '-', ''), 16)"

// deliverTold continues a WITH whose step "told" inserted events: one delivery for each
// endpoint that subscribes to the type. Deliveries to endpoints that are off are SKIPPED.
// queuedTold, of the step "due", is how many will be waiting.
const deliverTold = `due AS (
	INSERT INTO webhook_deliveries (id, month, event_id, endpoint_id, status, next_attempt_at, created_at, finished_at)
	SELECT ` + newDeliveryID + `, told.month, told.id, e.id,
		CASE WHEN e.active THEN 'PENDING' ELSE 'SKIPPED' END,
		CASE WHEN e.active THEN told.created_at END, told.created_at,
		CASE WHEN e.active THEN NULL ELSE told.created_at END
	FROM told JOIN webhook_endpoints e ON e.project_id = told.project_id AND e.livemode = told.livemode
		AND e.deleted_at IS NULL AND told.type = ANY(e.types)
	RETURNING status
)`

const queuedTold = "(SELECT count(*) FROM due WHERE status = 'PENDING')"

// insertEvents reads when the object of each event was created, so that all events about it have one month.
var insertEvents = `WITH told AS (
	INSERT INTO events (id, month, project_id, livemode, type, checkout_id, withdrawal_id, refund_id, body,
		created_at)
	SELECT id, ` + monthOf(`coalesce(CASE
			WHEN refund_id <> '' THEN (SELECT r.created_at FROM refunds r WHERE r.id = refund_id)
			WHEN withdrawal_id <> '' THEN (SELECT w.created_at FROM withdrawals w WHERE w.id = withdrawal_id)
			ELSE (SELECT c.created_at FROM checkouts c WHERE c.id = checkout_id) END, created_at)`) + `,
		project_id, livemode, type, nullif(checkout_id, ''), nullif(withdrawal_id, ''),
		nullif(refund_id, ''), body, created_at
	FROM unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::bytea[],
		$8::timestamptz[], $9::text[])
		AS t (id, project_id, livemode, type, checkout_id, withdrawal_id, body, created_at, refund_id)
	RETURNING id, month, project_id, livemode, type, created_at
), ` + deliverTold + `
SELECT ` + queuedTold

// InsertEvents writes events with their deliveries. It reports whether deliveries
// will be waiting for a worker once tx commits.
func InsertEvents(tx *Tx, events ...Event) (queued bool, err error) {
	n := len(events)
	var (
		ids, projects, types   = make([]string, n), make([]string, n), make([]string, n)
		checkouts, withdrawals = make([]string, n), make([]string, n)
		refunds                = make([]string, n)
		live                   = make([]bool, n)
		bodies                 = make([][]byte, n)
		times                  = make([]time.Time, n)
	)
	for i, e := range events {
		tracing.Remember(tx.ctx, e.ID)
		ids[i], projects[i], live[i], types[i] = e.ID, e.ProjectID, bool(e.Environment), e.Type
		checkouts[i], withdrawals[i], bodies[i], times[i] = e.CheckoutID, e.WithdrawalID, e.Body, e.CreatedAt
		refunds[i] = e.RefundID
	}
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		var waiting int
		err := conn.QueryRow(ctx, insertEvents, ids, projects, live, types, checkouts, withdrawals, bodies,
			times, refunds).Scan(&waiting)
		queued = waiting > 0
		return err
	})
	return queued, err
}

// EventWritten reports whether the event with this id exists. Ids are random, so an operation
// whose COMMIT had no answer can check by its event whether it was committed.
func EventWritten(ctx context.Context, q Querier, id string) (written bool, err error) {
	err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM events WHERE id = $1)", id).Scan(&written)
	return written, err
}

// EndpointsWant reports whether an endpoint of the scope, on or off, subscribes to events of
// the type.
func EndpointsWant(tx *Tx, scope Scope, eventType string) (wanted bool, err error) {
	err = tx.Scan(`SELECT EXISTS (SELECT FROM webhook_endpoints
		WHERE project_id = $1 AND livemode = $2 AND deleted_at IS NULL AND $3 = ANY(types))`,
		[]any{scope.ProjectID, scope.Environment, eventType}, &wanted)
	return wanted, err
}

// InsertTestEvent writes a test event with a delivery to one endpoint of the same scope, and
// returns the delivery's id.
func InsertTestEvent(tx *Tx, e *Event, endpointID string) (deliveryID string, err error) {
	err = tx.Scan(`WITH told AS (
			INSERT INTO events (id, month, project_id, livemode, type, test, body, created_at)
			VALUES ($1, `+monthOf("$6::timestamptz")+`, $2, $3, $4, true, $5, $6) RETURNING id, month, created_at
		), due AS (
			INSERT INTO webhook_deliveries (id, month, event_id, endpoint_id, priority, next_attempt_at, created_at)
			SELECT `+newDeliveryID+`, month, id, $7, `+forPerson+`, created_at,
				created_at
			FROM told RETURNING id
		)
		SELECT id FROM due`,
		[]any{e.ID, e.ProjectID, e.Environment, e.Type, e.Body, e.CreatedAt, endpointID}, &deliveryID)
	return deliveryID, err
}

// ProjectsWanting returns the projects of the account that have an endpoint in the environment
// that subscribes to the type.
func ProjectsWanting(tx *Tx, accountID string, environment Environment,
	eventType string) (projectIDs []string, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx,
			`SELECT DISTINCT j.id FROM projects j JOIN webhook_endpoints e ON e.project_id = j.id
			WHERE j.account_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL AND $3 = ANY(e.types) ORDER BY j.id`,
			accountID, environment, eventType)
		if err != nil {
			return err
		}
		projectIDs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return projectIDs, err
}
