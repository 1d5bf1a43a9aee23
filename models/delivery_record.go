package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// FinishedAttempt is an attempt to be recorded.
type FinishedAttempt struct {
	Attempt
	JobID      int64 // the job that made the attempt; it ends with the record
	DeliveryID string
	Made       int        // the value of Delivery.Scheduled before the attempt
	EndedAt    time.Time  // the wait for the next attempt starts here
	NextAt     *time.Time // when the next attempt is due; nil if none follows
}

// recordAttempts writes attempts, the resulting states of their deliveries and endpoints, and
// the jobs of the next attempts in one statement: a pending delivery always has a job, and a
// finished one has none. A retry is a new job, because River may still change the one that
// ends. The job of a manual attempt is kept for a day, because it identifies the form that
// requested it.
//
// An endpoint's row is written only if its health changes, in the order of ids.
const recordAttempts = `WITH given AS (
	SELECT t.* FROM unnest($1::bigint[], $2::text[], $3::int[],
		$4::boolean[], $5::timestamptz[], $6::int[], $7::int[], $8::text[],
		$9::text[], $10::text[], $11::bytea[], $12::timestamptz[], $13::timestamptz[])
		AS t (job_id, delivery_id, made, manual, started_at, duration_ms, status_code, error_class, detail, headers,
			response, ended_at, next_at)
	WHERE ` + briefly + `
), changed AS (
	UPDATE webhook_deliveries d SET attempts = d.attempts + 1, manual_attempts = d.manual_attempts + g.manual::int,
		status = CASE WHEN g.error_class = '' THEN 'DELIVERED' WHEN g.manual OR g.next_at IS NOT NULL THEN d.status
			ELSE 'FAILED' END,
		next_attempt_at = CASE WHEN g.error_class = '' THEN NULL WHEN g.manual THEN d.next_attempt_at
			ELSE g.next_at END,
		finished_at = CASE WHEN g.error_class = '' AND d.status <> 'DELIVERED'
			OR NOT g.manual AND g.next_at IS NULL THEN g.ended_at ELSE d.finished_at END
	FROM given g
	WHERE d.id = g.delivery_id AND (g.manual OR d.status = 'PENDING' AND d.attempts - d.manual_attempts = g.made)
	RETURNING d.id, d.endpoint_id, d.attempts, d.attempts - d.manual_attempts - d.before_replay AS round, d.status,
		g.job_id, g.manual
), kept AS (
	INSERT INTO webhook_attempts (delivery_id, number, manual, started_at, duration_ms, status_code, error_class,
		detail, headers, response)
	SELECT c.id, c.attempts, g.manual, g.started_at, g.duration_ms, nullif(g.status_code, 0), g.error_class, g.detail,
		g.headers::jsonb, g.response
	FROM changed c JOIN given g USING (job_id)
), ended AS (
	DELETE FROM river_job USING changed c WHERE river_job.id = c.job_id AND NOT c.manual
), answered AS (
	UPDATE river_job SET state = 'completed', finalized_at = now() FROM changed c
	WHERE river_job.id = c.job_id AND c.manual AND river_job.finalized_at IS NULL
), following AS (
	INSERT INTO river_job (kind, max_attempts, queue, priority, args, scheduled_at, state)
	SELECT '` + JobDeliverWebhook + `', 32767, c.endpoint_id, ` + forEvent +
	`, jsonb_build_object('deliveryId', c.id), g.next_at,
		(CASE WHEN g.next_at <= g.ended_at + interval '5 s' THEN 'available' ELSE 'scheduled' END)::river_job_state
	FROM changed c JOIN given g USING (job_id) WHERE g.next_at IS NOT NULL
), fared AS (
	SELECT c.endpoint_id, bool_or(g.error_class = '') AS succeeded,
		bool_or(g.error_class <> '' AND NOT g.manual) AS failed,
		bool_or(g.error_class <> '' AND NOT g.manual AND c.round >= 3) AS third,
		count(*) FILTER (WHERE c.status = 'FAILED' AND NOT g.manual) AS given_up, max(g.ended_at) AS at
	FROM changed c JOIN given g USING (job_id) GROUP BY c.endpoint_id
), held AS (
	SELECT e.id FROM webhook_endpoints e JOIN fared f ON f.endpoint_id = e.id
	WHERE CASE WHEN f.succeeded THEN e.failing_since IS NOT NULL
		ELSE f.failed AND (e.failing_since IS NULL OR f.given_up > 0 OR f.third AND e.troubled_at IS NULL) END
	ORDER BY e.id FOR NO KEY UPDATE OF e
), health AS (
	UPDATE webhook_endpoints e SET
		failing_since = CASE WHEN NOT f.succeeded THEN coalesce(e.failing_since, f.at) END,
		troubled_at = CASE WHEN NOT f.succeeded THEN coalesce(e.troubled_at, CASE WHEN f.third THEN f.at END) END,
		failed_events = CASE WHEN f.succeeded THEN 0 ELSE e.failed_events + f.given_up END
	FROM held JOIN fared f ON f.endpoint_id = held.id WHERE e.id = held.id
)
SELECT array_agg(job_id) FROM changed`

// RecordAttempts writes finished attempts of different deliveries, all or none, and reports
// for each whether it was recorded. An attempt is not recorded if the delivery has changed
// meanwhile, by another attempt with the same place in the schedule or by a successful manual
// attempt; that record also scheduled what follows.
func RecordAttempts(ctx context.Context, q Querier, attempts []FinishedAttempt) (recorded []bool, err error) {
	n := len(attempts)
	var (
		jobs                      = make([]int64, n)
		made, durations, statuses = make([]int, n), make([]int64, n), make([]int, n)
		deliveries, classes       = make([]string, n), make([]string, n)
		details, headers          = make([]string, n), make([]string, n)
		manual                    = make([]bool, n)
		responses                 = make([][]byte, n)
		started, ended            = make([]time.Time, n), make([]time.Time, n)
		next                      = make([]*time.Time, n)
		place                     = make(map[int64]int, n)
	)
	for i, a := range attempts {
		text, err := json.Marshal(a.Headers)
		if err != nil {
			return nil, fmt.Errorf("models: attempt headers: %w", err)
		}
		place[a.JobID] = i
		jobs[i], deliveries[i], made[i], manual[i] = a.JobID, a.DeliveryID, a.Made, a.Manual
		started[i], durations[i], statuses[i] = a.StartedAt, a.Duration.Milliseconds(), a.StatusCode
		classes[i], details[i], headers[i], responses[i] = a.ErrorClass, a.Detail, string(text), append([]byte{},
			a.Response...)
		ended[i], next[i] = a.EndedAt, a.NextAt
	}
	var changed []int64
	err = q.QueryRow(ctx, recordAttempts, jobs, deliveries, made, manual, started, durations, statuses, classes,
		details, headers,
		responses, ended, next).Scan(&changed)
	if err != nil {
		return nil, err
	}
	recorded = make([]bool, n)
	for _, job := range changed {
		recorded[place[job]] = true
	}
	return recorded, nil
}

// RecordAttempt is RecordAttempts for one attempt, in a transaction that writes more.
func RecordAttempt(tx *Tx, a FinishedAttempt) (recorded bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		if _, err := conn.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil { // like the sessions of DB.Queue
			return err
		}
		one, err := RecordAttempts(ctx, conn, []FinishedAttempt{a})
		recorded = err == nil && one[0]
		return err
	})
	return recorded, err
}

// AttemptWriter records attempts that end at the same time in one commit. It is safe for
// concurrent use.
type AttemptWriter struct {
	batch *Batch[FinishedAttempt, bool]
}

// NewAttemptWriter returns a writer that writes up to 250 attempts per commit to q, in two
// commits at a time.
func NewAttemptWriter(q Querier) *AttemptWriter {
	return &AttemptWriter{NewBatch(250, 2, func(ctx context.Context, attempts []FinishedAttempt) ([]bool, error) {
		return RecordAttempts(ctx, q, attempts)
	})}
}

// Write records a, and reports whether it was recorded, see RecordAttempts.
func (w *AttemptWriter) Write(ctx context.Context, a FinishedAttempt) (recorded bool, err error) {
	return w.batch.Add(ctx, a)
}

// SkipDelivery ends a pending delivery without an attempt, and its job.
func SkipDelivery(ctx context.Context, q Querier, d *DueDelivery, now time.Time) error {
	_, err := q.Exec(ctx, `WITH skipped AS (
			UPDATE webhook_deliveries SET status = 'SKIPPED', next_attempt_at = NULL, finished_at = $2
				WHERE id = $1 AND status = 'PENDING'
		)
		DELETE FROM river_job WHERE id = $3`, d.ID, now, d.JobID)
	return err
}
