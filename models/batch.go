package models

import (
	"context"
	"sync"
	"time"
)

// batchTimeout bounds one commit. It is nobody's request, so no request ends it.
const batchTimeout = 10 * time.Second

// Batch writes values that arrive at the same time in one commit. While as many
// commits as may be are under way, further values gather for the next: the busier,
// the fewer commits each costs, and a lone one never waits. It is safe for concurrent
// use.
type Batch[In, Out any] struct {
	limit  int // of values in a commit
	atOnce int // commits under way
	write  func(ctx context.Context, values []In) ([]Out, error)

	mu      sync.Mutex
	waiting []*batched[In, Out]
	running int
}

// NewBatch returns a batch of at most limit values in a commit, and of so many commits
// at once. Write writes values, all or none of them, and returns what became of each,
// in their order. If it fails for several they are written one by one, so it must
// stand being told twice of what it may have written.
func NewBatch[In, Out any](limit, atOnce int, write func(ctx context.Context, values []In) ([]Out, error)) *Batch[In, Out] {
	return &Batch[In, Out]{limit: limit, atOnce: atOnce, write: write}
}

// batched is one value on its way.
type batched[In, Out any] struct {
	value In
	done  chan struct{} // closed when the following are set
	out   Out
	err   error
}

// Add writes the value and returns what became of it. If ctx ends first, it may be
// written all the same.
func (b *Batch[In, Out]) Add(ctx context.Context, value In) (out Out, err error) {
	own := &batched[In, Out]{value: value, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, own)
	if b.running < b.atOnce {
		b.running++
		go b.run()
	}
	b.mu.Unlock()
	select {
	case <-own.done:
		return own.out, own.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// run commits until nothing waits.
func (b *Batch[In, Out]) run() {
	for {
		b.mu.Lock()
		n := min(len(b.waiting), b.limit)
		next := b.waiting[:n:n]
		b.waiting = b.waiting[n:]
		if n == 0 {
			b.running--
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		b.commit(next)
	}
}

// commit writes values together. If that fails they are written one by one, so
// that whatever is wrong with a value is its own trouble.
func (b *Batch[In, Out]) commit(next []*batched[In, Out]) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	values := make([]In, len(next))
	for i, one := range next {
		values[i] = one.value
	}
	outs, err := b.write(ctx, values)
	if err != nil && len(next) > 1 {
		for _, one := range next {
			b.commit([]*batched[In, Out]{one})
		}
		return
	}
	for i, one := range next {
		if one.err = err; err == nil {
			one.out = outs[i]
		}
		close(one.done)
	}
}
