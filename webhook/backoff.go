package webhook

import (
	"fmt"
	"strings"
	"time"
)

// Backoff is the wait before each further attempt, counted from the end of the
// one before. An event is attempted once more than there are waits (contract,
// section 6, rule 3).
var Backoff = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// ParseBackoff reads the waits from a setting such as "60s,5m,15m,60m": exactly
// as many as [Backoff] has, each positive, in the notation of [time.ParseDuration].
func ParseBackoff(setting string) ([]time.Duration, error) {
	fields := strings.Split(setting, ",")
	if len(fields) != len(Backoff) {
		return nil, fmt.Errorf("webhook: backoff %q: want %d waits separated by commas, such as 60s,5m,15m,60m", setting, len(Backoff))
	}
	waits := make([]time.Duration, len(fields))
	for i, field := range fields {
		wait, err := time.ParseDuration(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("webhook: backoff %q: wait %d: %w", setting, i+1, err)
		}
		if wait <= 0 {
			return nil, fmt.Errorf("webhook: backoff %q: wait %d is not positive", setting, i+1)
		}
		waits[i] = wait
	}
	return waits, nil
}
