package models

import "context"

// CheckoutWriter writes checkouts that are created at the same time together. It
// is safe for concurrent use.
type CheckoutWriter struct {
	batch *Batch[*NewCheckout, written]
}

// written is what became of a checkout.
type written struct{ made, queued bool }

// NewCheckoutWriter returns a writer of q: of batches of at most 64, two at a time.
func NewCheckoutWriter(q Querier) *CheckoutWriter {
	return &CheckoutWriter{NewBatch(64, 2, func(ctx context.Context, checkouts []*NewCheckout) ([]written, error) {
		made, queued, err := insertBatch(ctx, q, checkouts)
		if err != nil {
			return nil, err
		}
		all := make([]written, len(checkouts))
		for i, c := range checkouts {
			all[i] = written{made: made[c.ID], queued: queued}
		}
		return all, nil
	})}
}

// Write writes n. It reports whether the checkout was made, false when the
// idempotency key is taken, and whether deliveries wait for a worker. If ctx ends
// first, the checkout may be made all the same.
func (w *CheckoutWriter) Write(ctx context.Context, n *NewCheckout) (made, queued bool, err error) {
	r, err := w.batch.Add(ctx, n)
	return r.made, r.queued, err
}
