package jobs

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models/modelstest"
)

// instance is one process's limiter, and the function that reports it to the others.
type instance struct {
	*ratelimit.Limiter
	share *sharing
	heard chan struct{}
}

// newInstances returns n instances that use the clock.
func newInstances(t *testing.T, rate ratelimit.Rate, n int, clock func() time.Time) []*instance {
	t.Helper()
	db := modelstest.NewDB(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	all := make([]*instance, n)
	for i := range all {
		in := &instance{Limiter: ratelimit.New(rate), heard: make(chan struct{}, 1000)}
		in.share = &sharing{db: db, self: string(rune('a' + i)),
			limiters: func() map[string]*ratelimit.Limiter {
				return map[string]*ratelimit.Limiter{"test": in.Limiter}
			}}
		ready := make(chan struct{})
		in.share.listen(ctx, func() { close(ready) },
			func(payload string) { in.share.hear(payload, clock()); in.heard <- struct{}{} })
		<-ready
		all[i] = in
	}
	return all
}

// A client that spreads its requests over three processes gets as many through as with one
// process, within a tenth (docs/rules.md, "Rate limits").
func TestShareLimits(t *testing.T) {
	t.Parallel()
	rate := ratelimit.Rate{Tokens: 100, Per: time.Second, Burst: 200}
	start := time.Now()
	var passed atomic.Int64 // simulated time since start
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
			for range messages { // an instance also receives its own message
				<-in.heard
			}
		}
	}
	want := rate.Burst + rate.Tokens*int((ticks-1)*shareEvery)/int(time.Second)
	if allowed < want*9/10 || allowed > want*11/10 {
		t.Errorf("%d requests were allowed, want %d", allowed, want)
	}
}
