package bacen

import (
	"sync"
	"time"

	"garoupa/pix/psp"
)

const (
	failuresInRow = 5                // that open the breaker
	recentCalls   = 20               // of which half failed,
	recentTime    = 30 * time.Second // in this time, also open it
	firstProbe    = 5 * time.Second  // until the first probe; doubled after each that fails
	longestProbe  = time.Minute
)

// breaker keeps calls away from a bank that does not answer. It is safe for concurrent use.
type breaker struct {
	now func() time.Time

	mu        sync.Mutex
	inRow     int
	recent    []outcome     // the last recentCalls
	openSince time.Time     // zero: closed
	probeAt   time.Time     // while open
	interval  time.Duration // between probes; grows until a call succeeds
	probing   bool
}

type outcome struct {
	at     time.Time
	failed bool
}

// admission says what a call may do.
type admission int

const (
	proceed admission = iota
	probe             // try the bank first, and tell probed
	refuse            // fail at once
)

// admit returns what a call may do now. One call at a time is told to probe.
func (b *breaker) admit() admission {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.openSince.IsZero():
		return proceed
	case b.probing || b.now().Before(b.probeAt):
		return refuse
	}
	b.probing = true
	return probe
}

// probed ends a probe.
func (b *breaker) probed(answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if answered {
		b.openSince, b.inRow, b.recent = time.Time{}, 0, nil
		return
	}
	b.delay()
}

// delay sets the time of the next probe.
func (b *breaker) delay() {
	b.interval = min(max(2*b.interval, firstProbe), longestProbe)
	b.probeAt = b.now().Add(b.interval)
}

// note records how a call ended: kind is "" if it succeeded.
func (b *breaker) note(kind psp.Kind) {
	failed := kind == psp.Unavailable || kind == psp.Ambiguous || kind == psp.Unauthorized
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.recent = append(b.recent, outcome{b.now(), failed}); len(b.recent) > recentCalls {
		b.recent = b.recent[1:]
	}
	switch {
	case !failed:
		b.inRow = 0
		if kind == "" && b.openSince.IsZero() {
			b.interval = 0
		}
	case b.openSince.IsZero():
		if b.inRow++; b.inRow >= failuresInRow || b.halfFailed() {
			b.openSince = b.now()
			b.delay()
		}
	}
}

func (b *breaker) halfFailed() bool {
	if len(b.recent) < recentCalls || b.now().Sub(b.recent[0].at) > recentTime {
		return false
	}
	failed := 0
	for _, o := range b.recent {
		if o.failed {
			failed++
		}
	}
	return 2*failed >= recentCalls
}

// since returns when the breaker opened, or zero if it is closed.
func (b *breaker) since() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.openSince
}

// untilProbe returns how long a refused call should wait before it is tried again.
func (b *breaker) untilProbe() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, b.probeAt.Sub(b.now()))
}
