// Package ratelimit limits requests by token buckets: a bucket holds up to Burst tokens,
// gains tokens at a steady rate, and a request takes one.
package ratelimit

import (
	"maps"
	"math"
	"sync"
	"time"
)

// Rate is how fast a bucket fills and how many tokens it holds.
type Rate struct {
	Tokens int           // gained in the time Per
	Per    time.Duration // the time in which Tokens are gained
	Burst  int           // the most it holds; a new bucket is full
}

func (r Rate) perSecond() float64 { return float64(r.Tokens) / r.Per.Seconds() }

// Decision is the result for one request.
type Decision struct {
	Allowed    bool
	Limit      int           // the bucket's size
	Remaining  int           // whole tokens left
	Reset      time.Duration // until the bucket is full again
	RetryAfter time.Duration // until a token is available; 0 if Allowed
}

// Seconds returns a time in whole seconds, rounded up, as headers have it.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// RetrySeconds is Seconds for Retry-After: at least one, so that a client waits at all.
func RetrySeconds(d time.Duration) int { return max(1, Seconds(d)) }

// sweepSize is the number of buckets before the first sweep.
const sweepSize = 10_000

// Limiter keeps a bucket for each key, such as an API key or an address. It is
// safe for concurrent use. A nil Limiter allows everything.
type Limiter struct {
	rate Rate
	mu   sync.Mutex
	all  map[string]bucket
	next int            // number of buckets at the next sweep
	used map[string]int // tokens taken since Used was last called, less those put back
	hot  chan struct{}
}

type bucket struct {
	tokens float64
	at     time.Time
}

// New returns a Limiter of full buckets.
func New(r Rate) *Limiter {
	return &Limiter{rate: r, all: map[string]bucket{}, next: sweepSize, used: map[string]int{},
		hot: make(chan struct{}, 1)}
}

// Take takes a token from key's bucket, if there is one.
func (l *Limiter) Take(key string, now time.Time) Decision { return l.TakeMany(key, 1, now) }

// TakeMany takes tokens from key's bucket, or all that a full bucket holds if that is less.
// It takes nothing if the bucket has too few.
func (l *Limiter) TakeMany(key string, tokens int, now time.Time) Decision {
	if l == nil {
		return Decision{Allowed: true}
	}
	tokens = min(tokens, l.rate.Burst)
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.fill(key, now)
	d := Decision{Allowed: b.tokens >= float64(tokens), Limit: l.rate.Burst}
	if d.Allowed {
		b.tokens -= float64(tokens)
		l.count(key, tokens)
	} else {
		d.RetryAfter = l.wait(float64(tokens) - b.tokens)
	}
	if len(l.all) >= l.next {
		l.sweep(now)
	}
	l.all[key] = b
	d.Remaining = max(0, int(b.tokens))
	d.Reset = l.wait(float64(l.rate.Burst) - b.tokens)
	return d
}

// Return puts a token back that Take took: the request did not count after all.
func (l *Limiter) Return(key string, now time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spend(key, -1, now)
	l.count(key, -1)
}

// fill returns key's bucket at now. A clock that went back adds nothing.
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

// sweep deletes full buckets: a new one is equal. The next sweep comes when the number of
// buckets has doubled, so its cost is shared by as many requests.
func (l *Limiter) sweep(now time.Time) {
	for key := range l.all {
		if l.fill(key, now).tokens >= float64(l.rate.Burst) {
			delete(l.all, key)
		}
	}
	l.next = max(sweepSize, 2*len(l.all))
}

// count records the tokens taken, and signals Hot when a key takes many.
func (l *Limiter) count(key string, tokens int) {
	if l.used[key] += tokens; l.used[key]*10 < l.rate.Burst {
		return
	}
	select {
	case l.hot <- struct{}{}:
	default: // the previous signal has not been received yet
	}
}

// Hot returns a channel that receives when a key has taken a tenth of its bucket since the
// last call of Used: other instances should know soon.
func (l *Limiter) Hot() <-chan struct{} { return l.hot }

// Used returns the tokens taken here since its last call, by key: what other instances do
// not know yet. The number is negative if more were put back.
func (l *Limiter) Used() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	used := l.used
	l.used = map[string]int{}
	maps.DeleteFunc(used, func(_ string, tokens int) bool { return tokens == 0 })
	return used
}

// Spend takes tokens that another instance gave out. A bucket may become negative by this
// and refills from there, so that excess is paid back.
func (l *Limiter) Spend(key string, tokens int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spend(key, tokens, now)
}

func (l *Limiter) spend(key string, tokens int, now time.Time) {
	b := l.fill(key, now)
	b.tokens = math.Min(float64(l.rate.Burst), b.tokens-float64(tokens))
	l.all[key] = b
}
