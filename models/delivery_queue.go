package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// LaneRoom says how many deliveries a process may take from which lanes. A lane is
// an endpoint's queue, or QueueWebhooks, where earlier versions put all jobs.
type LaneRoom struct {
	Total    int      // at most so many
	Lanes    []string // those with deliveries under way
	UnderWay []int    // how many, of each of Lanes
	Shared   int      // what all lanes with something to do share evenly
	Most     int      // under way in one lane
	After    string   // lanes whose name comes after it go first
}

// DeliveryJob is a job that was taken.
type DeliveryJob struct {
	ID         int64
	Lane       string
	DeliveryID string
	Manual     bool // asks for one attempt outside of the schedule
	Run        int  // of the job, not of the delivery; from 1
}

// takeDeliveryJobs walks from lane to lane by River's own index, in which a lane is
// a range: what waits in a lane that has no room costs one step, however much it is.
// A lane's share is at least one.
const takeDeliveryJobs = `WITH RECURSIVE lane (queue) AS (
	(SELECT queue FROM river_job WHERE state = 'available' AND queue >= 'we' AND queue < 'wf' ORDER BY queue LIMIT 1)
	UNION ALL
	SELECT (SELECT j.queue FROM river_job j WHERE j.state = 'available' AND j.queue > lane.queue AND j.queue < 'wf' ORDER BY j.queue LIMIT 1)
	FROM lane WHERE lane.queue IS NOT NULL
), busy AS (
	SELECT * FROM unnest($2::text[], $3::int[]) AS t (queue, under_way)
), share AS (
	SELECT least(greatest($4::int / greatest(count(*), 1), 1), $5::int) AS share
	FROM (SELECT queue FROM lane WHERE queue IS NOT NULL UNION SELECT queue FROM busy) AS lanes
), turn AS (
	SELECT lane.queue, share.share - coalesce(busy.under_way, 0) AS room
	FROM share CROSS JOIN lane LEFT JOIN busy ON busy.queue = lane.queue
	WHERE lane.queue IS NOT NULL ORDER BY lane.queue <= $7, lane.queue
), due AS (
	SELECT job.id FROM turn CROSS JOIN LATERAL (
		SELECT id FROM river_job WHERE state = 'available' AND queue = turn.queue AND scheduled_at <= now()
		ORDER BY priority, scheduled_at, id LIMIT turn.room FOR UPDATE SKIP LOCKED) AS job
	WHERE turn.room > 0 LIMIT $6
), taken AS (
	UPDATE river_job SET state = 'running', attempt = least(attempt + 1, max_attempts), attempted_at = now(), attempted_by = ARRAY[$1::text]
	FROM due WHERE river_job.id = due.id
	RETURNING river_job.id, river_job.queue, river_job.args, river_job.attempt
)
SELECT share, coalesce(id, 0), coalesce(queue, ''), coalesce(args->>'deliveryId', ''), coalesce((args->>'manual')::boolean, false), coalesce(attempt, 0)
FROM share LEFT JOIN taken ON true`

// TakeDeliveryJobs marks jobs that are due as running for the process and returns
// them, with how many of each lane may be under way.
func TakeDeliveryJobs(ctx context.Context, q Querier, process string, room LaneRoom) (jobs []DeliveryJob, share int, err error) {
	rows, err := q.Query(ctx, takeDeliveryJobs, process, room.Lanes, room.UnderWay, room.Shared, room.Most, room.Total, room.After)
	if err != nil {
		return nil, 0, err
	}
	var j DeliveryJob
	_, err = pgx.ForEachRow(rows, []any{&share, &j.ID, &j.Lane, &j.DeliveryID, &j.Manual, &j.Run}, func() error {
		if j.ID != 0 {
			jobs = append(jobs, j)
		}
		return nil
	})
	return jobs, share, err
}

// DueDeliveries returns those of the deliveries that exist, by id, of any merchant,
// for the worker: without their last attempts.
func DueDeliveries(ctx context.Context, q Querier, ids []string) (map[string]*Delivery, error) {
	rows, err := q.Query(ctx, `SELECT d.id, d.status, d.attempts, d.manual_attempts, d.before_replay, d.next_attempt_at,
			d.event_id, (SELECT v.body FROM events v WHERE v.id = d.event_id), e.livemode, `+endpointColumns+`
		FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE d.id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	due := make(map[string]*Delivery, len(ids))
	for rows.Next() {
		d := &Delivery{}
		err := rows.Scan(append([]any{&d.ID, &d.Status, &d.Attempts, &d.Manual, &d.BeforeReplay, &d.NextAttemptAt,
			&d.Event.ID, &d.Event.Body, &d.Event.Livemode}, d.Endpoint.targets()...)...)
		if err != nil {
			return nil, err
		}
		due[d.ID] = d
	}
	return due, rows.Err()
}

// StrandedDeliveries returns ids of deliveries that are pending and that no job will
// send, at most limit. There are none, unless somebody took rows away by hand.
func StrandedDeliveries(ctx context.Context, q Querier, limit int) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT id FROM webhook_deliveries d WHERE status = 'PENDING' AND NOT EXISTS (
			SELECT FROM river_job WHERE kind = '`+JobDeliverWebhook+`' AND finalized_at IS NULL AND args->>'deliveryId' = d.id)
		ORDER BY id LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
