package models

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// laneClass is the class of advisory locks that lanes use.
const laneClass = 0x6761726c // "garl"

// LaneRoom says how many deliveries a process may take, and from which lanes. A lane is an
// endpoint's queue, or QueueWebhooks, to which earlier versions added all jobs.
type LaneRoom struct {
	Total int            // limit for all lanes together
	Lanes map[string]int // deliveries in progress that count against the lane's share, by lane
	Depth map[string]int // how many times its share a lane may have; 1 if absent
	Share int            // places that all busy lanes share evenly
	Most  int            // limit of a lane's share
	After string         // lanes with names after this one are served first
	Taken []int64        // jobs that the process has taken already
}

// DueDelivery is a delivery whose attempt is due, with the job that represents it.
type DueDelivery struct {
	Delivery // without its last attempt
	JobID    int64
	Lane     string
	ByHand   bool // a person requested this attempt, outside of the schedule
}

// TakenLane holds the deliveries that were taken from a lane.
type TakenLane struct {
	Name       string
	Room       int // the lane's room; if as many deliveries were taken, more may be waiting
	Deliveries []*DueDelivery
}

// DeliveryQueue takes deliveries for one process. The process holds an advisory lock on each
// lane it takes from until no delivery of the lane is in progress. PostgreSQL drops the locks
// with the connection, so the lanes of a killed process are free at once. Taken deliveries are
// therefore not marked: taking costs no write, and deliveries that the process loses are taken
// again. It is safe for concurrent use.
type DeliveryQueue struct {
	db *DB

	mu   sync.Mutex
	conn *ownConnection
	own  map[string]bool
}

// NewDeliveryQueue returns a queue of db. It connects at the first Take.
func NewDeliveryQueue(db *DB) *DeliveryQueue { return &DeliveryQueue{db: db} }

// Close releases all lanes.
func (q *DeliveryQueue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.disconnect()
}

func (q *DeliveryQueue) disconnect() {
	if q.conn != nil {
		q.conn.close()
	}
	q.conn, q.own = nil, nil
}

// Take returns due deliveries, lane by lane. If it fails, other processes may take the lanes
// until the next call.
func (q *DeliveryQueue) Take(ctx context.Context, room LaneRoom) (lanes []TakenLane, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.conn != nil && q.conn.stale() {
		q.disconnect()
	}
	if q.conn == nil {
		conn, err := q.db.ownConnection(ctx, q.db.Queue)
		if err != nil {
			return nil, fmt.Errorf("models: connect to the queue: %w", err)
		}
		q.conn, q.own = conn, map[string]bool{}
	}
	defer func() {
		if err != nil {
			q.disconnect()
			err = fmt.Errorf("models: take deliveries: %w", err)
		}
	}()
	if err := q.release(ctx, room.Lanes); err != nil {
		return nil, err
	}
	if lanes, err = q.open(ctx, room); err != nil || len(lanes) == 0 {
		return nil, err
	}
	return lanes, q.fill(ctx, lanes, room)
}

// release unlocks lanes without work in progress. All of their results are committed, so
// the next process that locks them sees everything.
func (q *DeliveryQueue) release(ctx context.Context, busy map[string]int) error {
	var idle []string
	for lane := range q.own {
		if _, ok := busy[lane]; !ok {
			idle = append(idle, lane)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	if _, err := q.conn.Exec(ctx, "SELECT pg_advisory_unlock($1, hashtext(lane)) FROM unnest($2::text[]) AS lane",
		laneClass, idle); err != nil {
		return err
	}
	for _, lane := range idle {
		delete(q.own, lane)
	}
	return nil
}

// openLanes walks from lane to lane in River's index, where a lane is a range: the deliveries
// in a lane without room cost one step, whatever their number. A lane's share is at least one.
// The statement locks and returns the lanes that have room and due deliveries and that no
// other process has locked.
const openLanes = `WITH RECURSIVE lane (queue) AS (
	(SELECT queue FROM river_job WHERE state = 'available' AND queue >= 'we' AND queue < 'wf' ORDER BY queue LIMIT 1)
	UNION ALL
	SELECT (SELECT j.queue FROM river_job j WHERE j.state = 'available' AND j.queue > lane.queue AND j.queue < 'wf'
		ORDER BY j.queue LIMIT 1)
	FROM lane WHERE lane.queue IS NOT NULL
), busy AS (
	SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) AS t (queue, under_way, depth)
), share AS (
	SELECT least(greatest($4::int / greatest(count(*), 1), 1), $5::int) AS share
	FROM (SELECT queue FROM lane WHERE queue IS NOT NULL UNION SELECT queue FROM busy) AS lanes
), turn AS MATERIALIZED (
	SELECT lane.queue, share.share * coalesce(busy.depth, 1) - coalesce(busy.under_way, 0) AS room
	FROM share CROSS JOIN lane LEFT JOIN busy ON busy.queue = lane.queue
	WHERE lane.queue IS NOT NULL AND share.share * coalesce(busy.depth, 1) > coalesce(busy.under_way, 0)
		-- EXISTS would be planned as a join with all jobs
		AND (SELECT true FROM river_job j
			WHERE j.state = 'available' AND j.queue = lane.queue AND j.scheduled_at <= now() LIMIT 1)
)
SELECT queue, room FROM turn
WHERE CASE WHEN queue = ANY($6) THEN true ELSE pg_try_advisory_lock($7, hashtext(queue)) END
ORDER BY queue <= $8, queue`

// open locks and returns the lanes from which deliveries may be taken.
func (q *DeliveryQueue) open(ctx context.Context, room LaneRoom) (lanes []TakenLane, err error) {
	names, underWay, depth := make([]string, 0, len(room.Lanes)), make([]int, 0, len(room.Lanes)), make([]int, 0,
		len(room.Lanes))
	for name, n := range room.Lanes {
		names, underWay, depth = append(names, name), append(underWay, n), append(depth, max(room.Depth[name], 1))
	}
	own := slices.AppendSeq(make([]string, 0, len(q.own)), maps.Keys(q.own))
	rows, err := q.conn.Query(ctx, openLanes, names, underWay, depth, room.Share, room.Most, own, laneClass, room.After)
	if err != nil {
		return nil, err
	}
	lanes, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l TakenLane, err error) {
		return l,
			row.Scan(&l.Name, &l.Room)
	})
	for _, lane := range lanes {
		q.own[lane.Name] = true
	}
	return lanes, err
}

// takeDeliveries is a separate statement because it must see what the previous owner of a lane
// has committed.
const takeDeliveries = `WITH due AS MATERIALIZED (
	SELECT lane.turn, job.* FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS lane (queue, room, turn)
	CROSS JOIN LATERAL (
		SELECT id, priority, scheduled_at, args FROM river_job
		WHERE state = 'available' AND queue = lane.queue AND scheduled_at <= now()
			AND id NOT IN (SELECT unnest($3::bigint[]))
		ORDER BY priority, scheduled_at, id LIMIT lane.room) AS job
	LIMIT $4
)
SELECT due.turn::int - 1, due.id, coalesce((due.args->>'manual')::boolean, false), d.id, d.status, d.attempts,
	d.manual_attempts, d.before_replay, d.next_attempt_at, d.endpoint_id, d.event_id,
	(SELECT v.body FROM events v WHERE v.id = d.event_id)
FROM due JOIN webhook_deliveries d ON d.id = due.args->>'deliveryId'
ORDER BY due.turn, due.priority, due.scheduled_at, due.id`

// fill reads the due deliveries of the lanes.
func (q *DeliveryQueue) fill(ctx context.Context, lanes []TakenLane, room LaneRoom) error {
	names, rooms := make([]string, len(lanes)), make([]int, len(lanes))
	for i, lane := range lanes {
		names[i], rooms[i] = lane.Name, lane.Room
	}
	rows, err := q.conn.Query(ctx, takeDeliveries, names, rooms, room.Taken, room.Total)
	if err != nil {
		return err
	}
	defer rows.Close()
	endpoints := map[string]*Endpoint{}
	for rows.Next() {
		var turn int
		d := &DueDelivery{}
		err := rows.Scan(&turn, &d.JobID, &d.ByHand, &d.ID, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay,
			&d.NextAttemptAt, &d.Endpoint.ID, &d.Event.ID, &d.Event.Body)
		if err != nil {
			return err
		}
		d.Lane = lanes[turn].Name
		lanes[turn].Deliveries = append(lanes[turn].Deliveries, d)
		endpoints[d.Endpoint.ID] = nil
	}
	if err := rows.Err(); err != nil || len(endpoints) == 0 {
		return err
	}
	if err := q.readEndpoints(ctx, endpoints); err != nil {
		return err
	}
	for _, lane := range lanes {
		for _, d := range lane.Deliveries {
			d.Endpoint = *endpoints[d.Endpoint.ID]
			d.Event.Environment = d.Endpoint.Environment
		}
	}
	return nil
}

func (q *DeliveryQueue) readEndpoints(ctx context.Context, endpoints map[string]*Endpoint) error {
	ids := slices.AppendSeq(make([]string, 0, len(endpoints)), maps.Keys(endpoints))
	rows, err := q.conn.Query(ctx, "SELECT "+endpointColumns+" FROM webhook_endpoints e WHERE e.id = ANY($1)", ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e := &Endpoint{}
		if err := rows.Scan(e.targets()...); err != nil {
			return err
		}
		endpoints[e.ID] = e
	}
	return rows.Err()
}

// EndDeliveryJob ends a job of a delivery without an attempt. The job of an attempt by hand
// is kept for a day, because it identifies the form that requested it.
func EndDeliveryJob(ctx context.Context, q Querier, id int64) error {
	_, err := q.Exec(ctx,
		"UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = $1 AND finalized_at IS NULL", id)
	return err
}

// StrandedDeliveries returns ids of pending deliveries without a job to send them, at most
// limit. There are none unless rows were deleted by hand.
func StrandedDeliveries(ctx context.Context, q Querier, limit int) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT id FROM webhook_deliveries d WHERE status = 'PENDING' AND NOT EXISTS (
			SELECT FROM river_job WHERE kind = '`+JobDeliverWebhook+
		`' AND finalized_at IS NULL AND args->>'deliveryId' = d.id)
		ORDER BY id LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
