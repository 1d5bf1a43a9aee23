package models

import (
	"context"
	"crypto/sha256"
	"time"
)

// QueueManualAttempt writes the job of one manual attempt. token identifies the form: if the
// form is sent again within a day, no second job is written and queued is false.
func QueueManualAttempt(tx *Tx, deliveryID, token string) (queued bool, err error) {
	key := sha256.Sum256([]byte("manual attempt " + deliveryID + " " + token))
	// This uses River's index of unique jobs, for jobs in all states including finished ones.
	return tx.execOne(`INSERT INTO river_job (kind, max_attempts, queue, priority, args, unique_key, unique_states)
		SELECT '`+JobDeliverWebhook+`', 25, endpoint_id, `+forPerson+
		`, jsonb_build_object('deliveryId', id, 'manual', true), $2, B'11111111'
		FROM webhook_deliveries WHERE id = $1 ON CONFLICT DO NOTHING`, deliveryID, key[:])
}

// ManualAttemptUnderWay reports whether a manual attempt is waiting or running.
func ManualAttemptUnderWay(ctx context.Context, q Querier, deliveryID string) (underWay bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook_deliveries d JOIN river_job j ON j.queue = d.endpoint_id
			AND j.state IN ('available', 'running', 'retryable', 'scheduled') AND j.priority = `+forPerson+`
		WHERE d.id = $1 AND j.args->>'deliveryId' = d.id AND (j.args->>'manual')::boolean)`, deliveryID).Scan(&underWay)
	return underWay, err
}

// repeatable is the condition for deliveries that a replay repeats: failed or skipped ones,
// created between two times, both inclusive.
const repeatable = `d.endpoint_id = $1 AND d.undelivered AND d.status IN ('FAILED', 'SKIPPED')
	AND d.created_at BETWEEN $2 AND $3`

// CountRepeatable returns the number of deliveries that a replay of the endpoint would repeat,
// up to limit. The caller must have found the endpoint within its scope.
func CountRepeatable(ctx context.Context, q Querier, endpointID string, since, until time.Time, limit int) (n int,
	err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM webhook_deliveries d WHERE "+repeatable+
		" LIMIT $4) AS found",
		endpointID, since, until, limit).Scan(&n)
	return n, err
}

// RepeatDeliveries makes deliveries of the endpoint pending again, at most limit, oldest
// first. Each gets a whole round of attempts, and the job of the first one. Concurrent calls
// repeat different deliveries. The caller must have found the endpoint within its scope.
func RepeatDeliveries(tx *Tx, endpointID string, since, until, now time.Time, limit int) (repeated int, err error) {
	err = tx.Scan(`WITH chosen AS (
		SELECT d.id FROM webhook_deliveries d WHERE `+repeatable+`
			ORDER BY d.created_at, d.event_id LIMIT $5 FOR NO KEY UPDATE
	), again AS (
		UPDATE webhook_deliveries d SET status = 'PENDING', before_replay = attempts - manual_attempts,
			next_attempt_at = $4, finished_at = NULL
		FROM chosen WHERE d.id = chosen.id RETURNING d.id, d.endpoint_id
	), queued AS (
		`+insertDeliveryJobs+`endpoint_id, `+forReplay+`, jsonb_build_object('deliveryId', id) FROM again RETURNING id
	)
	SELECT count(*) FROM queued`, []any{endpointID, since, until, now, limit}, &repeated)
	return repeated, err
}
