package payments

import (
	"net/http"
	"time"

	"garoupa/models"
)

// gone reports whether the attempt was answered by 410: the endpoint wants no more events.
func gone(a models.Attempt) bool { return a.StatusCode == http.StatusGone }

// nextAttempt returns when an attempt that failed at now is repeated, or nil if it was the last
// one. made is how many attempts of the schedule preceded it. A longer wait that the answer asks
// for replaces the schedule's; a shorter one does not (docs/rules.md, "Webhook deliveries").
func nextAttempt(backoff []time.Duration, made int, retryAfter time.Duration, now time.Time) *time.Time {
	if made >= len(backoff) {
		return nil
	}
	next := now.Add(max(backoff[made], retryAfter))
	return &next
}
