package bacen

import (
	"context"
	"errors"
	"sync"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/pix/psp"
)

// afterPause is how much later each rank continues after a pause, so that creations are first.
const afterPause = 250 * time.Millisecond

// limiter keeps the calls of an account below the bank's limits. It is safe for concurrent use.
type limiter struct {
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	reads, oldReads, writes, tokens *ratelimit.Limiter // with one bucket, ""

	mu    sync.Mutex
	until time.Time // the bank wants no calls before
}

func newLimiter(o Options) *limiter {
	perMinute := func(n int) *ratelimit.Limiter {
		return ratelimit.New(ratelimit.Rate{Tokens: n, Per: time.Minute, Burst: n})
	}
	p := o.Profile
	return &limiter{now: o.Now, wait: o.Wait, reads: perMinute(p.ReadsPerMinute),
		oldReads: perMinute(max(1, p.ReadsPerMinute/2)), writes: perMinute(p.WritesPerMinute),
		tokens: perMinute(p.TokensPerMinute)}
}

// enter waits until a call may be made. It fails at once if ctx ends before.
func (l *limiter) enter(ctx context.Context, r rank, write bool) error {
	buckets := []*ratelimit.Limiter{l.reads}
	switch {
	case write:
		buckets[0] = l.writes
	case r == old:
		buckets = append(buckets, l.oldReads) // old days leave half of the reads to others
	}
	for _, bucket := range buckets {
		for {
			d := bucket.Take("", l.now())
			if d.Allowed {
				break
			}
			if err := l.pass(ctx, d.RetryAfter); err != nil {
				return err
			}
		}
	}
	for {
		d := l.paused(r)
		if d <= 0 {
			return nil
		}
		if err := l.pass(ctx, d); err != nil {
			return err
		}
		r = max(first, r-1) // after pause upon pause it continues with creations
	}
}

// paused returns how long a call has to wait because of pause.
func (l *limiter) paused(r rank) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until.IsZero() {
		return 0
	}
	return l.until.Add(time.Duration(r) * afterPause).Sub(l.now())
}

// pass waits, unless ctx would end meanwhile.
func (l *limiter) pass(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > d {
		if l.wait(ctx, d) == nil {
			return nil
		}
	}
	return &psp.Error{Kind: psp.Limited, Detail: "the limit of calls to this bank is reached", RetryAfter: d,
		Err: errors.Join(errAtOnce, ctx.Err())}
}

// pause keeps all calls of the account back for some time.
func (l *limiter) pause(d time.Duration) {
	until := l.now().Add(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.until) {
		l.until = until
	}
}
