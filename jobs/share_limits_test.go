package jobs

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/ratelimit"
)

// instance is one process's limiter, and what tells the others of it.
type instance struct {
	*ratelimit.Limiter
	share *sharing
	heard chan struct{}
}

// newInstances returns some whose time is the clock's.
func newInstances(t *testing.T, rate ratelimit.Rate, n int, clock func() time.Time) []*instance {
	t.Helper()
	db := modelstest.NewDB(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	all := make([]*instance, n)
	for i := range all {
		in := &instance{Limiter: ratelimit.New(rate), heard: make(chan struct{}, 1000)}
		in.share = &sharing{db: db, self: string(rune('a' + i)), limiters: map[string]*ratelimit.Limiter{"test": in.Limiter}}
		ready := make(chan struct{})
		go in.share.listenFor(ctx, func() { close(ready) }, func(payload string) { in.share.hear(payload, clock()); in.heard <- struct{}{} })
		<-ready
		all[i] = in
	}
	return all
}

// A client that spreads a flood over three instances gets through as often as at
// one, within a tenth (decisions, 10).
func TestShareLimits(t *testing.T) {
	t.Parallel()
	rate := ratelimit.Rate{Tokens: 100, Per: time.Second, Burst: 200}
	start := time.Now()
	var passed atomic.Int64 // since then, however long the test takes
	clock := func() time.Time { return start.Add(time.Duration(passed.Load())) }
	instances := newInstances(t, rate, 3, clock)
	allowed := 0
	const ticks = 100
	for tick := range ticks {
		passed.Store(int64(tick) * int64(shareEvery))
		messages := 0
		for _, in := range instances {
			took := false
			for range 300 {
				if in.Take("key", clock()).Allowed {
					allowed++
					took = true
				}
			}
			if took {
				messages++
			}
			if err := in.share.publish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, in := range instances {
			for range messages { // its own comes back too
				<-in.heard
			}
		}
	}
	want := rate.Burst + rate.Tokens*int((ticks-1)*shareEvery)/int(time.Second)
	if allowed < want*9/10 || allowed > want*11/10 {
		t.Errorf("%d got through, want %d", allowed, want)
	}
}
