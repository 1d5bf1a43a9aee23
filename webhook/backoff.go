package webhook

import (
	"fmt"
	"strings"
	"time"
)

// retries is how many attempts follow a first one that failed (contract 6.3).
const retries = 4

// ParseBackoff reads the waits before each further attempt, counted from the end of the
// previous one, from a setting such as "60s,5m,15m,60m": exactly four, each positive, in the
// notation of [time.ParseDuration]. The default is that of GAROUPA_WEBHOOK_BACKOFF.
func ParseBackoff(setting string) ([]time.Duration, error) {
	fields := strings.Split(setting, ",")
	if len(fields) != retries {
		return nil, fmt.Errorf("webhook: backoff %q: want %d waits separated by commas, such as 60s,5m,15m,60m",
			setting, retries)
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
