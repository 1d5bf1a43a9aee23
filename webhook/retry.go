package webhook

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// MaxRetryAfter bounds what an answer can ask for with Retry-After.
const MaxRetryAfter = time.Hour

// retryAfter returns how long after now the value of a Retry-After asks to wait, in seconds or
// as a date (RFC 9110, section 10.2.3), at most MaxRetryAfter. It is 0 for a date that has
// passed and for any other text.
func retryAfter(value string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(MaxRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, min(at.Sub(now), MaxRetryAfter))
}
