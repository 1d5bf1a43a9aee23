package models

import (
	"context"
	"sync"
	"time"
)

const (
	// batchLimit bounds how many checkouts share a commit.
	batchLimit = 64
	// batchesAtOnce bounds how many commits of checkouts are under way. While they
	// are, further checkouts gather for the next: the busier, the fewer commits each
	// costs, and a lone one never waits.
	batchesAtOnce = 2
	// batchTimeout bounds one commit. It is nobody's request, so no request ends it.
	batchTimeout = 10 * time.Second
)

// CheckoutWriter writes checkouts that are created at the same time together. The
// zero value with a Querier is ready; it is safe for concurrent use.
type CheckoutWriter struct {
	Querier Querier
	mu      sync.Mutex
	waiting []*writing
	running int
}

// writing is one checkout on its way.
type writing struct {
	checkout *NewCheckout
	done     chan written
}

type written struct {
	made, queued bool
	err          error
}

// Write writes n. It reports whether the checkout was made, false when the
// idempotency key is taken, and whether deliveries wait for a worker. If ctx ends
// first, the checkout may be made all the same.
func (w *CheckoutWriter) Write(ctx context.Context, n *NewCheckout) (made, queued bool, err error) {
	own := &writing{checkout: n, done: make(chan written, 1)}
	w.mu.Lock()
	w.waiting = append(w.waiting, own)
	if w.running < batchesAtOnce {
		w.running++
		go w.run()
	}
	w.mu.Unlock()
	select {
	case r := <-own.done:
		return r.made, r.queued, r.err
	case <-ctx.Done():
		return false, false, ctx.Err()
	}
}

// run writes batches until nothing waits.
func (w *CheckoutWriter) run() {
	for {
		w.mu.Lock()
		n := min(len(w.waiting), batchLimit)
		batch := w.waiting[:n:n]
		w.waiting = w.waiting[n:]
		if n == 0 {
			w.running--
			w.waiting = nil
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		w.write(batch)
	}
}

// write writes a batch. One that fails is written one by one, so that whatever is
// wrong with a checkout is its own trouble.
func (w *CheckoutWriter) write(batch []*writing) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	checkouts := make([]*NewCheckout, len(batch))
	for i, b := range batch {
		checkouts[i] = b.checkout
	}
	made, queued, err := insertBatch(ctx, w.Querier, checkouts)
	if err != nil && len(batch) > 1 {
		for _, b := range batch {
			w.write([]*writing{b})
		}
		return
	}
	for _, b := range batch {
		b.done <- written{made: made[b.checkout.ID], queued: queued, err: err}
	}
}
