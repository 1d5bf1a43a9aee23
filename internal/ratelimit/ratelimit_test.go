package ratelimit_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/ratelimit"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := ratelimit.New(ratelimit.Rate{Tokens: 2, Per: time.Second, Burst: 3})
	for _, step := range []struct {
		at   time.Duration
		key  string
		want ratelimit.Decision
	}{
		{0, "a", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 2, Reset: 500 * time.Millisecond}},
		{0, "a", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 1, Reset: time.Second}},
		{0, "a", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 0, Reset: 1500 * time.Millisecond}},
		{0, "a", ratelimit.Decision{Limit: 3, Reset: 1500 * time.Millisecond, RetryAfter: 500 * time.Millisecond}},
		{0, "b", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 2,
			Reset: 500 * time.Millisecond}}, // another key
		{250 * time.Millisecond, "a", ratelimit.Decision{Limit: 3, Reset: 1250 * time.Millisecond,
			RetryAfter: 250 * time.Millisecond}},
		{500 * time.Millisecond, "a", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 0,
			Reset: 1500 * time.Millisecond}},
		{-time.Hour, "a", ratelimit.Decision{Limit: 3, Reset: 1500 * time.Millisecond,
			RetryAfter: 500 * time.Millisecond}}, // the clock went back
		{time.Hour, "a", ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 2, Reset: 500 * time.Millisecond}},
	} {
		if diff := cmp.Diff(step.want, l.Take(step.key, start.Add(step.at))); diff != "" {
			t.Errorf("%s at %s (-want +got)\n%s", step.key, step.at, diff)
		}
	}
}

// Several tokens are taken together or not at all, and never more than a bucket holds.
func TestLimiter_TakeMany(t *testing.T) {
	t.Parallel()
	l := ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Second, Burst: 5})
	for i, step := range []struct {
		at     time.Duration
		tokens int
		want   ratelimit.Decision
	}{
		{0, 3, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 2, Reset: 3 * time.Second}},
		{0, 3, ratelimit.Decision{Limit: 5, Remaining: 2, Reset: 3 * time.Second, RetryAfter: time.Second}},
		{0, 2, ratelimit.Decision{Allowed: true, Limit: 5, Reset: 5 * time.Second}},
		{4 * time.Second, 9, ratelimit.Decision{Limit: 5, Remaining: 4, Reset: time.Second, RetryAfter: time.Second}},
		{5 * time.Second, 9, ratelimit.Decision{Allowed: true, Limit: 5, Reset: 5 * time.Second}},
	} {
		if diff := cmp.Diff(step.want, l.TakeMany("a", step.tokens, start.Add(step.at))); diff != "" {
			t.Errorf("%d tokens, step %d (-want +got)\n%s", step.tokens, i, diff)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 10}, l.Used()); diff != "" {
		t.Errorf("used (-want +got)\n%s", diff)
	}
}

// A token that is put back is there again, also in the other instances, and a bucket never
// holds more than its size.
func TestLimiter_Return(t *testing.T) {
	t.Parallel()
	rate := ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 2}
	l, other := ratelimit.New(rate), ratelimit.New(rate)
	for range 2 {
		l.Take("a", start)
	}
	for key, tokens := range l.Used() {
		other.Spend(key, tokens, start)
	}
	l.Return("a", start)
	if d := l.Take("a", start); !d.Allowed {
		t.Error("the token is not there again")
	}
	l.Return("a", start)
	for key, tokens := range l.Used() {
		other.Spend(key, tokens, start)
	}
	if d := other.Take("a", start); !d.Allowed || d.Remaining != 0 {
		t.Errorf("another instance gives out %+v", d)
	}
	for range 3 {
		l.Return("b", start)
	}
	if d := l.Take("b", start); d.Remaining != 1 {
		t.Errorf("%d tokens are left of two", d.Remaining)
	}
	var off *ratelimit.Limiter
	off.Return("a", start)
}

func TestLimiter_Nil(t *testing.T) {
	t.Parallel()
	var off *ratelimit.Limiter
	if !off.Take("a", start).Allowed {
		t.Error("a limiter that is off refuses")
	}
}

// Under concurrent requests, no more get through than there are tokens, and the memory of
// idle clients is freed.
func TestLimiter_Concurrent(t *testing.T) {
	t.Parallel()
	l := ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 100})
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 5000 {
				if l.Take("busy", start).Allowed {
					allowed.Add(1)
				}
				l.Take(fmt.Sprintf("idle-%d-%d", i, n), start)
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 100 {
		t.Errorf("%d got through, want 100", n)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ratelimit.Rate{
		"50/s":     {Tokens: 50, Per: time.Second, Burst: 50},
		"50/s,100": {Tokens: 50, Per: time.Second, Burst: 100},
		"300/m":    {Tokens: 300, Per: time.Minute, Burst: 300},
		"5/h":      {Tokens: 5, Per: time.Hour, Burst: 5},
	} {
		if got, err := ratelimit.Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "50", "50/d", "/s", "0/s", "-1/s", "5/s,0", "5/s,x", "5/s,", "1.5/s", " 5/s"} {
		if got, err := ratelimit.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, got)
		}
	}
}

// A part of a second counts as a whole one, and a client always waits at least one.
func TestSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][2]int{
		0: {0, 1}, time.Nanosecond: {1, 1}, time.Second: {1, 1}, time.Second + time.Nanosecond: {2, 2},
		time.Minute: {60, 60},
	} {
		if got := [2]int{ratelimit.Seconds(d), ratelimit.RetrySeconds(d)}; got != want {
			t.Errorf("%v is %v seconds, want %v", d, got, want)
		}
	}
}
