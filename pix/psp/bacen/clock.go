package bacen

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// clockSamples is how many answers the bank's clock is estimated from.
const clockSamples = 10

// clock estimates how far the bank's clock is from ours. It is safe for concurrent use.
type clock struct {
	mu      sync.Mutex
	samples []time.Duration // the last ones
	next    int             // which is replaced next
}

// note learns from the Date of an answer (RFC 9110, section 6.6.1) to a request that was sent and
// answered at these times. The header has whole seconds, so half of one is added.
func (c *clock) note(header http.Header, sent, answered time.Time) {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	sample := at.Add(time.Second / 2).Sub(sent.Add(answered.Sub(sent) / 2))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.samples) < clockSamples {
		c.samples = append(c.samples, sample)
		return
	}
	c.samples[c.next] = sample
	c.next = (c.next + 1) % clockSamples
}

// skew returns the median: how much the bank's clock is ahead, negative if it is behind.
func (c *clock) skew() time.Duration {
	c.mu.Lock()
	sorted := slices.Clone(c.samples)
	c.mu.Unlock()
	if len(sorted) == 0 {
		return 0
	}
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
