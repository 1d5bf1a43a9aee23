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
	DeliveryID string
	Month      time.Time  // the value of Delivery.Month
	Resend     []byte     // the value of DueDelivery.Resend
	Made       int        // the value of Delivery.Scheduled before the attempt
	EndedAt    time.Time  // the wait for the next attempt starts here
	NextAt     *time.Time // when the next attempt is due; nil if none follows
}

// recordAttempts writes attempts and the resulting states of their deliveries, resends and endpoints in one
// statement.
//
// An attempt of the schedule whose place in it is taken is late: the process lost its lease, and another made
// the attempt again. It is recorded outside of the schedule, unless this very attempt is recorded already.
//
// An endpoint's row is written only if its health changes, in the order of ids.
const recordAttempts = `WITH given AS (
	SELECT t.* FROM unnest($1::int[], $2::text[], $3::int[],
		$4::boolean[], $5::timestamptz[], $6::int[], $7::int[], $8::text[],
		$9::text[], $10::text[], $11::bytea[], $12::timestamptz[], $13::timestamptz[], $14::bytea[], $15::date[])
		AS t (n, delivery_id, made, manual, started_at, duration_ms, status_code, error_class, detail, headers,
			response, ended_at, next_at, resend, month)
	WHERE ` + briefly + `
), placed AS (
	SELECT g.*, NOT g.manual AND (d.status <> 'PENDING' OR d.attempts - d.manual_attempts <> g.made) AS late
	FROM given g JOIN webhook_deliveries d ON d.id = g.delivery_id AND d.month = g.month
	ORDER BY d.id FOR NO KEY UPDATE OF d
), changed AS (
	UPDATE webhook_deliveries d SET attempts = d.attempts + 1,
		manual_attempts = d.manual_attempts + (p.manual OR p.late)::int,
		status = CASE WHEN p.error_class = '' THEN 'DELIVERED'
			WHEN p.manual OR p.late OR p.next_at IS NOT NULL THEN d.status ELSE 'FAILED' END,
		next_attempt_at = CASE WHEN p.error_class = '' THEN NULL WHEN p.manual OR p.late THEN d.next_attempt_at
			ELSE p.next_at END,
		leased_until = CASE WHEN p.manual OR p.late THEN d.leased_until END,
		finished_at = CASE WHEN p.error_class = '' AND d.status <> 'DELIVERED'
			OR NOT p.manual AND NOT p.late AND p.next_at IS NULL THEN p.ended_at ELSE d.finished_at END
	FROM placed p
	WHERE d.id = p.delivery_id AND d.month = p.month AND CASE
		WHEN p.late THEN NOT EXISTS (SELECT FROM webhook_attempts a
			WHERE a.delivery_id = p.delivery_id AND a.started_at = p.started_at)
		WHEN p.manual THEN NOT EXISTS (SELECT FROM webhook_resends r
			WHERE r.delivery_id = p.delivery_id AND r.token = p.resend AND r.finished_at = p.ended_at)
		ELSE true END
	RETURNING d.id, d.endpoint_id, d.attempts, d.attempts - d.manual_attempts - d.before_replay AS round, d.status,
		p.n, p.manual, p.late
), kept AS (
	INSERT INTO webhook_attempts (delivery_id, month, number, manual, late, started_at, duration_ms, status_code,
		error_class, detail, headers)
	SELECT c.id, g.month, c.attempts, c.manual, c.late, g.started_at, g.duration_ms, nullif(g.status_code, 0),
		g.error_class, g.detail, g.headers::jsonb
	FROM changed c JOIN given g USING (n)
), quoted AS (
	INSERT INTO webhook_answers (delivery_id, number, started_at, body)
	SELECT c.id, c.attempts, g.started_at, g.response
	FROM changed c JOIN given g USING (n) WHERE g.response <> ''
), answered AS (
	UPDATE webhook_resends r SET finished_at = g.ended_at, leased_until = NULL FROM changed c JOIN given g USING (n)
	WHERE c.manual AND r.delivery_id = c.id AND r.token = g.resend
), fared AS (
	SELECT c.endpoint_id, bool_or(g.error_class = '') AS succeeded,
		bool_or(g.error_class <> '' AND NOT (c.manual OR c.late)) AS failed,
		bool_or(g.error_class <> '' AND NOT (c.manual OR c.late) AND c.round >= 3) AS third,
		count(*) FILTER (WHERE c.status = 'FAILED' AND NOT (c.manual OR c.late)) AS given_up, max(g.ended_at) AS at
	FROM changed c JOIN given g USING (n) GROUP BY c.endpoint_id
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
SELECT array_agg(n) FROM changed WHERE NOT late`

// RecordAttempts writes finished attempts of different deliveries, all or none, and reports for each whether
// it took its place in the schedule, or ended its resend. Others are late: they are kept among the attempts,
// and a late success ends the delivery, but they schedule nothing.
func RecordAttempts(ctx context.Context, q Querier, attempts []FinishedAttempt) (placed []bool, err error) {
	n := len(attempts)
	var (
		places, made, statuses = make([]int, n), make([]int, n), make([]int, n)
		durations              = make([]int64, n)
		deliveries, classes    = make([]string, n), make([]string, n)
		details, headers       = make([]string, n), make([]string, n)
		manual                 = make([]bool, n)
		responses, resends     = make([][]byte, n), make([][]byte, n)
		started, ended         = make([]time.Time, n), make([]time.Time, n)
		months                 = make([]time.Time, n)
		next                   = make([]*time.Time, n)
	)
	for i, a := range attempts {
		text, err := json.Marshal(a.Headers)
		if err != nil {
			return nil, fmt.Errorf("models: attempt headers: %w", err)
		}
		places[i], deliveries[i], made[i], manual[i] = i, a.DeliveryID, a.Made, a.Manual
		started[i], durations[i], statuses[i] = a.StartedAt, a.Duration.Milliseconds(), a.StatusCode
		classes[i], details[i], headers[i] = a.ErrorClass, a.Detail, string(text)
		responses[i], resends[i] = append([]byte{}, a.Response...), a.Resend
		ended[i], next[i], months[i] = a.EndedAt, a.NextAt, a.Month
	}
	var changed []int
	err = q.QueryRow(ctx, recordAttempts, places, deliveries, made, manual, started, durations, statuses, classes,
		details, headers, responses, ended, next, resends, months).Scan(&changed)
	if err != nil {
		return nil, err
	}
	placed = make([]bool, n)
	for _, i := range changed {
		placed[i] = true
	}
	return placed, nil
}

// RecordAttempt is RecordAttempts for one attempt, in a transaction that writes more.
func RecordAttempt(tx *Tx, a FinishedAttempt) (placed bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		if _, err := conn.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil { // like the sessions of DB.Queue
			return err
		}
		one, err := RecordAttempts(ctx, conn, []FinishedAttempt{a})
		placed = err == nil && one[0]
		return err
	})
	return placed, err
}

// AttemptWriter records attempts that end at the same time in one commit. It is safe for
// concurrent use.
type AttemptWriter struct {
	batch *Batch[FinishedAttempt, bool]
}

// State returns the state of its batch.
func (w *AttemptWriter) State() BatchState { return w.batch.State() }

// NewAttemptWriter returns a writer that writes up to 250 attempts per commit to q, in one commit
// at a time, because few large commits cost the database less than many small ones.
func NewAttemptWriter(q Querier) *AttemptWriter {
	return &AttemptWriter{NewBatch(250, 1, func(ctx context.Context, attempts []FinishedAttempt) ([]bool, error) {
		return RecordAttempts(ctx, q, attempts)
	})}
}

// Write records a, and reports whether it took its place, see RecordAttempts.
func (w *AttemptWriter) Write(ctx context.Context, a FinishedAttempt) (placed bool, err error) {
	return w.batch.Add(ctx, a)
}

// EndResend ends a request for an attempt that is not made.
func EndResend(ctx context.Context, q Querier, d *DueDelivery, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE webhook_resends SET finished_at = $3, leased_until = NULL
		WHERE delivery_id = $1 AND token = $2 AND finished_at IS NULL`, d.ID, d.Resend, now)
	return err
}
