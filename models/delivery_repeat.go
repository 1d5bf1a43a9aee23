package models

import (
	"context"
	"crypto/sha256"
	"time"
)

// InsertResends asks for one attempt of each delivery outside of the schedule. token identifies the form: if the
// form is sent again within a day, asked is false.
func InsertResends(tx *Tx, token string, now time.Time, deliveryIDs ...string) (asked bool, err error) {
	keys := make([][]byte, len(deliveryIDs))
	for i, id := range deliveryIDs {
		key := sha256.Sum256([]byte("manual attempt " + id + " " + token))
		keys[i] = key[:]
	}
	n, err := tx.Exec(`INSERT INTO webhook_resends (delivery_id, token, endpoint_id, requested_at)
		SELECT d.id, t.token, d.endpoint_id, $3 FROM unnest($1::text[], $2::bytea[]) AS t (delivery_id, token)
		JOIN webhook_deliveries d ON d.id = t.delivery_id ON CONFLICT DO NOTHING`, deliveryIDs, keys, now)
	return n > 0, err
}

// ResendUnderWay reports whether an attempt that a person asked for is waiting or running.
func ResendUnderWay(ctx context.Context, q Querier, deliveryID string) (underWay bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook_resends WHERE delivery_id = $1 AND finished_at IS NULL)`,
		deliveryID).Scan(&underWay)
	return underWay, err
}

// DeleteResends deletes resends that ended before a time, a batch at a time.
func DeleteResends(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "webhook_resends", "(delivery_id, token)", `SELECT delivery_id, token FROM webhook_resends
		WHERE finished_at < $1 LIMIT $2`, before)
}

// DeleteDeliveryJobs deletes River's jobs of deliveries that were created before a time. Versions up to schema
// 65 write them; since then a pending delivery is its own place in the queue.
func DeleteDeliveryJobs(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "river_job", "id", `SELECT id FROM river_job
		WHERE kind = 'deliver_webhook' AND created_at < $1 LIMIT $2`, before)
}

// CountRepeatable returns the number of deliveries that a replay would repeat, up to limit. The caller must
// have found the endpoint within its scope.
func CountRepeatable(ctx context.Context, q Querier, r Replay, limit int) (n int, err error) {
	condition, column := r.chosen()
	err = q.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM webhook_deliveries d WHERE "+condition+
		" ORDER BY d.created_at, "+column+" LIMIT $6) AS found", append(r.args(), limit)...).Scan(&n)
	return n, err
}

// RepeatDeliveries makes deliveries of the endpoint pending again, at most limit, oldest
// first, and returns the position of the last one. Each gets a whole round of attempts, after the endpoint's
// events. Concurrent calls repeat different deliveries. The caller must have found the endpoint within its
// scope.
func RepeatDeliveries(tx *Tx, r Replay, now time.Time, limit int) (repeated int, last Position, err error) {
	condition, column := r.chosen()
	err = tx.Scan(`WITH chosen AS (
		SELECT d.id, d.month, d.created_at, `+column+` AS place FROM webhook_deliveries d WHERE `+condition+`
			ORDER BY d.created_at, `+column+` LIMIT $7 FOR NO KEY UPDATE
	), again AS (
		UPDATE webhook_deliveries d SET status = 'PENDING', before_replay = attempts - manual_attempts,
			next_attempt_at = $6, finished_at = NULL, leased_until = NULL, priority = `+forReplay+`
		FROM chosen WHERE d.id = chosen.id AND d.month = chosen.month RETURNING d.id
	)
	SELECT (SELECT count(*) FROM again), coalesce(max(created_at), $2),
		coalesce((array_agg(place ORDER BY created_at DESC, place DESC))[1], $3) FROM chosen`,
		append(r.args(), now, limit), &repeated, &last.CreatedAt, &last.ID)
	return repeated, last, err
}
