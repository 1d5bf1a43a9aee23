// Package ratelimit counts requests in token buckets: a bucket holds up to Burst
// tokens, gains them at a steady rate, and a request takes one.
package ratelimit

import (
	"math"
	"sync"
	"time"
)

// Rate is how fast a bucket fills, and how much it holds.
type Rate struct {
	Tokens int           // gained
	Per    time.Duration // in this time
	Burst  int           // held at most; a fresh bucket is full
}

func (r Rate) perSecond() float64 { return float64(r.Tokens) / r.Per.Seconds() }

// Decision is what a bucket says to one request.
type Decision struct {
	Allowed    bool
	Limit      int           // the bucket's size
	Remaining  int           // whole tokens left
	Reset      time.Duration // until the bucket is full again
	RetryAfter time.Duration // until a token is there; 0 if Allowed
}

// sweepSize is how many buckets there are before full ones are first forgotten.
const sweepSize = 10_000

// Limiter keeps a bucket for each key, such as an API key or an address. It is
// safe for concurrent use. A nil Limiter allows everything.
type Limiter struct {
	rate Rate
	mu   sync.Mutex
	all  map[string]bucket
	next int            // how many buckets make the next sweep
	used map[string]int // tokens taken since Used was last called
	hot  chan struct{}
}

type bucket struct {
	tokens float64
	at     time.Time
}

// New returns a Limiter of full buckets.
func New(r Rate) *Limiter {
	return &Limiter{rate: r, all: map[string]bucket{}, next: sweepSize, used: map[string]int{}, hot: make(chan struct{}, 1)}
}

// Take takes a token from key's bucket, if there is one.
func (l *Limiter) Take(key string, now time.Time) Decision {
	if l == nil {
		return Decision{Allowed: true}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.fill(key, now)
	d := Decision{Allowed: b.tokens >= 1, Limit: l.rate.Burst}
	if d.Allowed {
		b.tokens--
		l.count(key)
	} else {
		d.RetryAfter = l.wait(1 - b.tokens)
	}
	if len(l.all) >= l.next {
		l.sweep(now)
	}
	l.all[key] = b
	d.Remaining = max(0, int(b.tokens))
	d.Reset = l.wait(float64(l.rate.Burst) - b.tokens)
	return d
}

// fill returns key's bucket as it is now. A clock that went back adds nothing.
func (l *Limiter) fill(key string, now time.Time) bucket {
	b, ok := l.all[key]
	if !ok {
		return bucket{tokens: float64(l.rate.Burst), at: now}
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.tokens = math.Min(float64(l.rate.Burst), b.tokens+passed*l.rate.perSecond())
		b.at = now
	}
	return b
}

func (l *Limiter) wait(tokens float64) time.Duration {
	return time.Duration(math.Ceil(tokens / l.rate.perSecond() * float64(time.Second)))
}

// sweep forgets buckets that are full again: a fresh one is the same. The next
// comes when there are twice as many as are left, so that its cost is shared by as
// many requests.
func (l *Limiter) sweep(now time.Time) {
	for key := range l.all {
		if l.fill(key, now).tokens >= float64(l.rate.Burst) {
			delete(l.all, key)
		}
	}
	l.next = max(sweepSize, 2*len(l.all))
}

// count notes a token taken, and signals Hot when a key takes many.
func (l *Limiter) count(key string) {
	if l.used[key]++; l.used[key]*10 < l.rate.Burst {
		return
	}
	select {
	case l.hot <- struct{}{}:
	default: // the signal before was not heard yet
	}
}

// Hot is sent to when a key has taken a tenth of its bucket since Used was last
// called: other instances should know soon.
func (l *Limiter) Hot() <-chan struct{} { return l.hot }

// Used returns how many tokens were taken here, by key, since it was last called:
// what other instances do not know of yet.
func (l *Limiter) Used() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	used := l.used
	l.used = map[string]int{}
	return used
}

// Spend takes tokens that another instance gave out. A bucket may fall below empty
// by that, and is refilled from there: what was given out too much is made up for.
func (l *Limiter) Spend(key string, tokens int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.fill(key, now)
	b.tokens -= float64(tokens)
	l.all[key] = b
}
