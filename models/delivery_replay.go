package models

import (
	"context"
	"time"
)

// The idempotency scopes of API keys that have events sent again. Their keys belong to the project.
const (
	OperationResend = "event_resend"
	OperationReplay = "event_replay"
)

// Replay selects deliveries of an endpoint to repeat: those of events from Since to Until, both inclusive,
// that are FAILED or SKIPPED. Pending ones are never repeated.
type Replay struct {
	EndpointID   string
	Since, Until time.Time
	Delivered    bool // DELIVERED ones too
	// FinishedBy leaves out deliveries that finished later: repeated ones that have finished again are not
	// repeated twice.
	FinishedBy time.Time
	after      Position // of the last delivery that was repeated
}

// Resumed returns r without the deliveries up to a position, which RepeatDeliveries returned.
func (r Replay) Resumed(after Position) Replay {
	r.after = after
	return r
}

// chosen returns the condition for deliveries d with the arguments $1 to $5, and the second column of their
// order, after the time. Each choice walks an index of its own.
func (r Replay) chosen() (condition, column string) {
	condition, column = "d.undelivered AND d.status IN ('FAILED', 'SKIPPED')", "d.event_id"
	if r.Delivered {
		condition, column = "d.status <> 'PENDING'", "d.id"
	}
	return "d.endpoint_id = $1 AND (d.created_at, " + column + ") > ($2, $3) AND d.created_at <= $4 AND " +
		condition + " AND d.finished_at <= $5", column
}

// args returns the arguments of chosen.
func (r Replay) args() []any {
	if r.after == (Position{}) {
		r.after.CreatedAt = r.Since
	}
	return []any{r.EndpointID, r.after.CreatedAt, r.after.ID, r.Until, r.FinishedBy}
}

// NextRepeatable returns the time of the oldest event that r selects, or ErrNotFound if it selects none. The
// caller must have found the endpoint within its scope.
func NextRepeatable(ctx context.Context, q Querier, r Replay) (at time.Time, err error) {
	condition, column := r.chosen()
	err = q.QueryRow(ctx, "SELECT d.created_at FROM webhook_deliveries d WHERE "+condition+
		" ORDER BY d.created_at, "+column+" LIMIT 1", r.args()...).Scan(&at)
	return at, notFound(err)
}
