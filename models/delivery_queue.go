package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LeaseFor is how long a process has a delivery that it took, unless it renews the lease. Other
// processes take over the deliveries of a process that is gone, frozen or cut off after this time.
const LeaseFor = 8 * time.Second

// Priorities of deliveries to one endpoint.
const (
	forPerson = "1" // a test event, which a person awaits
	forReplay = "3" // the default, 2, is an event
)

// BusyEndpoint is an endpoint that has deliveries to be made now.
type BusyEndpoint struct {
	ID, AccountID string
	Off           bool // off or deleted: the deliveries are to be skipped
	Asked         bool // persons have asked for attempts
}

// unleased is the condition for rows of the queue that no process has.
const unleased = "(leased_until IS NULL OR leased_until <= now())"

// busyEndpoints walks from endpoint to endpoint in the index of pending deliveries, so it costs a few steps
// for each endpoint, whatever the number of its deliveries.
const busyEndpoints = `WITH RECURSIVE endpoint (id) AS (
	(SELECT endpoint_id FROM webhook_deliveries WHERE status = 'PENDING' ORDER BY endpoint_id LIMIT 1)
	UNION ALL
	SELECT (SELECT d.endpoint_id FROM webhook_deliveries d WHERE d.status = 'PENDING' AND d.endpoint_id > endpoint.id
		ORDER BY d.endpoint_id LIMIT 1)
	FROM endpoint WHERE endpoint.id IS NOT NULL
), due AS MATERIALIZED (
	SELECT endpoint.id FROM endpoint WHERE endpoint.id IS NOT NULL
		-- EXISTS would be planned as a join with all deliveries
		AND (SELECT true FROM generate_series(1, 3) AS p (priority) CROSS JOIN LATERAL (
			SELECT FROM webhook_deliveries d WHERE d.status = 'PENDING' AND d.endpoint_id = endpoint.id
				AND d.priority = p.priority AND d.next_attempt_at <= $1 AND ` + unleased + ` LIMIT 1) AS first
			LIMIT 1)
), asked AS (
	SELECT DISTINCT endpoint_id AS id FROM webhook_resends WHERE finished_at IS NULL AND ` + unleased + `
)
SELECT e.id, p.account_id, due.id IS NOT NULL AND NOT e.active, asked.id IS NOT NULL
FROM due FULL JOIN asked ON asked.id = due.id JOIN webhook_endpoints e ON e.id = coalesce(due.id, asked.id)
JOIN projects p ON p.id = e.project_id
ORDER BY e.id`

// BusyEndpoints returns the endpoints that have deliveries due at now that no process has, by id.
func BusyEndpoints(ctx context.Context, q Querier, now time.Time) ([]BusyEndpoint, error) {
	rows, err := q.Query(ctx, busyEndpoints, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e BusyEndpoint, err error) {
		return e, row.Scan(&e.ID, &e.AccountID, &e.Off, &e.Asked)
	})
}

// EndpointRoom is how many deliveries to an endpoint may be taken.
type EndpointRoom struct {
	BusyEndpoint
	Room int
}

// DueDelivery is a delivery that this process has, without its last attempt.
type DueDelivery struct {
	Delivery
	AccountID string
	Resend    []byte // identifies the request for this attempt; nil if it follows the schedule
}

// ByHand reports whether a person asked for this attempt, outside of the schedule.
func (d *DueDelivery) ByHand() bool { return d.Resend != nil }

// due is what TakeDeliveries returns, of a step "taken".
const due = `SELECT t.resend, t.id, t.status, t.attempts, t.manual_attempts, t.before_replay, t.next_attempt_at,
	t.month, v.id, v.body, v.livemode, ` + endpointColumns + `
	FROM taken t JOIN events v ON v.id = t.event_id AND v.month = t.month
	JOIN webhook_endpoints e ON e.id = t.endpoint_id `

const dueColumns = "d.id, d.status, d.attempts, d.manual_attempts, d.before_replay, d.next_attempt_at, d.event_id, " +
	"d.endpoint_id, d.month"

// takeDeliveries leases rows that no other statement leases at this moment.
const takeDeliveries = `WITH chosen AS MATERIALIZED (
	SELECT first.id, first.month, wanted.turn
	FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS wanted (endpoint_id, room, turn)
	CROSS JOIN LATERAL (
		SELECT one.id, one.month FROM generate_series(1, 3) AS p (priority) CROSS JOIN LATERAL (
			SELECT d.id, d.month FROM webhook_deliveries d
			WHERE d.status = 'PENDING' AND d.endpoint_id = wanted.endpoint_id
				AND d.priority = p.priority AND d.next_attempt_at <= $3 AND ` + unleased + `
			ORDER BY d.next_attempt_at LIMIT wanted.room FOR NO KEY UPDATE SKIP LOCKED) AS one
		LIMIT wanted.room) AS first
), taken AS (
	UPDATE webhook_deliveries d SET leased_until = now() + $4::int * interval '1 ms'
	FROM chosen WHERE d.id = chosen.id AND d.month = chosen.month
	RETURNING NULL::bytea AS resend, chosen.turn, d.priority, ` + dueColumns + `
)
` + due + `ORDER BY t.turn, t.priority, t.next_attempt_at, t.id`

const takeResends = `WITH chosen AS MATERIALIZED (
	SELECT first.* FROM unnest($1::text[], $2::int[]) AS wanted (endpoint_id, room)
	CROSS JOIN LATERAL (
		SELECT r.delivery_id, r.token FROM webhook_resends r
		WHERE r.endpoint_id = wanted.endpoint_id AND r.finished_at IS NULL AND ` + unleased + `
		ORDER BY r.requested_at LIMIT wanted.room FOR UPDATE SKIP LOCKED) AS first
), leased AS (
	UPDATE webhook_resends r SET leased_until = now() + $3::int * interval '1 ms'
	FROM chosen WHERE r.delivery_id = chosen.delivery_id AND r.token = chosen.token
	RETURNING r.delivery_id, r.token, r.requested_at
), taken AS (
	SELECT leased.token AS resend, leased.requested_at, ` + dueColumns + `
	FROM leased JOIN webhook_deliveries d ON d.id = leased.delivery_id
)
` + due + `ORDER BY t.requested_at`

// TakeDeliveries leases deliveries to the endpoints that are due at now, up to their room, for LeaseFor.
// Attempts that persons asked for come first, and for them alone an endpoint may be off or deleted.
func TakeDeliveries(ctx context.Context, q Querier, now time.Time, rooms []EndpointRoom) ([]*DueDelivery, error) {
	var scheduled, asked struct {
		ids   []string
		rooms []int
	}
	accounts := map[string]string{}
	for _, r := range rooms {
		accounts[r.ID] = r.AccountID
		if r.Asked {
			asked.ids, asked.rooms = append(asked.ids, r.ID), append(asked.rooms, r.Room)
		}
		if !r.Off {
			scheduled.ids, scheduled.rooms = append(scheduled.ids, r.ID), append(scheduled.rooms, r.Room)
		}
	}
	var all []*DueDelivery
	if len(asked.ids) > 0 {
		rows, err := q.Query(ctx, takeResends, asked.ids, asked.rooms, LeaseFor.Milliseconds())
		if all, err = collectDue(rows, err, accounts); err != nil {
			return nil, err
		}
	}
	if len(scheduled.ids) == 0 {
		return all, nil
	}
	rows, err := q.Query(ctx, takeDeliveries, scheduled.ids, scheduled.rooms, now, LeaseFor.Milliseconds())
	more, err := collectDue(rows, err, accounts)
	return append(all, more...), err // what was asked for is leased, even if the rest was not
}

func collectDue(rows pgx.Rows, err error, accounts map[string]string) ([]*DueDelivery, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*DueDelivery, error) {
		d := &DueDelivery{}
		err := row.Scan(append([]any{&d.Resend, &d.ID, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay,
			&d.NextAttemptAt, &d.Month, &d.Event.ID, &d.Event.Body, &d.Event.Environment}, d.Endpoint.targets()...)...)
		d.AccountID = accounts[d.Endpoint.ID]
		return d, err
	})
}

// RenewLeases lets this process have the deliveries for another LeaseFor. It leaves out those whose lease is
// over, because another process may have them.
func RenewLeases(ctx context.Context, q Querier, held []*DueDelivery) error {
	length := LeaseFor.Milliseconds()
	return setLeases(ctx, q, held, &length)
}

// EndLeases lets other processes take the deliveries now.
func EndLeases(ctx context.Context, q Querier, held []*DueDelivery) error {
	return setLeases(ctx, q, held, nil)
}

// leaseDeliveries leaves out rows that are locked, because their attempts are being recorded.
const leaseDeliveries = `WITH held AS MATERIALIZED (
		SELECT d.id, d.month FROM unnest($1::text[], $2::date[]) AS t (id, month)
		JOIN webhook_deliveries d ON d.id = t.id AND d.month = t.month
		WHERE d.leased_until > now() FOR NO KEY UPDATE OF d SKIP LOCKED
	)
	UPDATE webhook_deliveries d SET leased_until = now() + $3::int * interval '1 ms'
	FROM held WHERE d.id = held.id AND d.month = held.month`

const leaseResends = `UPDATE webhook_resends r SET leased_until = now() + $3::int * interval '1 ms'
	FROM unnest($1::text[], $2::bytea[]) AS t (delivery_id, token)
	WHERE r.delivery_id = t.delivery_id AND r.token = t.token AND r.leased_until > now()`

// setLeases lets leases that are not over end after a length in milliseconds, or now if it is nil.
func setLeases(ctx context.Context, q Querier, held []*DueDelivery, length *int64) error {
	var scheduled, asked []string
	var months []time.Time
	var tokens [][]byte
	for _, d := range held {
		if d.ByHand() {
			asked, tokens = append(asked, d.ID), append(tokens, d.Resend)
		} else {
			scheduled, months = append(scheduled, d.ID), append(months, d.Month)
		}
	}
	if len(scheduled) > 0 {
		if _, err := q.Exec(ctx, leaseDeliveries, scheduled, months, length); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return nil
	}
	_, err := q.Exec(ctx, leaseResends, asked, tokens, length)
	return err
}

// skippedAtOnce limits the deliveries that one statement skips.
const skippedAtOnce = 1000

// SkipDeliveries ends deliveries to endpoints that are off or deleted without an attempt: those that are due,
// and all of a deleted endpoint. It does not touch deliveries that a process has.
func SkipDeliveries(ctx context.Context, q Querier, endpointIDs []string, now time.Time) error {
	_, err := q.Exec(ctx, `WITH chosen AS MATERIALIZED (
			SELECT d.id, d.month FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id
			WHERE e.id = ANY($1) AND NOT e.active AND d.status = 'PENDING' AND `+unleased+`
				AND (d.next_attempt_at <= $2 OR e.deleted_at IS NOT NULL)
			LIMIT $3 FOR NO KEY UPDATE OF d SKIP LOCKED
		)
		UPDATE webhook_deliveries d SET status = 'SKIPPED', next_attempt_at = NULL, finished_at = $2
		FROM chosen WHERE d.id = chosen.id AND d.month = chosen.month`, endpointIDs, now, skippedAtOnce)
	return err
}
