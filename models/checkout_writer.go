package models

import (
	"context"
	"fmt"

	"garoupa/internal/tracing"
)

// CheckoutWriter writes checkouts that are created at the same time in one commit. It is safe
// for concurrent use.
type CheckoutWriter struct {
	batch *Batch[*NewCheckout, written]
}

// written is the outcome of a checkout.
type written struct{ made, queued bool }

// State returns the state of its batch.
func (w *CheckoutWriter) State() BatchState { return w.batch.State() }

// NewCheckoutWriter returns a writer that writes up to 64 checkouts per commit to q, in two
// commits at a time.
func NewCheckoutWriter(q Querier) *CheckoutWriter {
	return &CheckoutWriter{NewBatch(64, 2, func(ctx context.Context, checkouts []*NewCheckout) ([]written, error) {
		made, queued, err := insertBatch(ctx, q, checkouts)
		if err != nil {
			return nil, err
		}
		all := make([]written, len(checkouts))
		for i, c := range checkouts {
			all[i] = written{made: c.in(made), queued: queued}
		}
		return all, nil
	})}
}

// in reports whether the checkout is written, given the ids of the checkouts that a batch
// made. Without a key and a bank, an existing row with this random id is this checkout, written by an
// earlier call whose answer was lost.
func (n *NewCheckout) in(made map[string]bool) bool {
	return made[n.ID] || n.IdempotencyKey == "" && n.Opened == nil
}

// Write writes n. It reports whether the checkout was made, and whether deliveries wait for a
// worker. made is false if the idempotency key is taken or the charge at the bank is no longer
// CREATING, also if an earlier call of Write for n did that and lost the answer: EventWritten tells
// the two apart. If ctx ends, the checkout
// may still be made. Write fails with ErrOverloaded if too many checkouts are waiting.
func (w *CheckoutWriter) Write(ctx context.Context, n *NewCheckout) (made, queued bool, err error) {
	tracing.Remember(ctx, n.Created.ID)
	r, err := w.batch.Add(ctx, n)
	return r.made, r.queued, err
}

// InsertCheckout is CheckoutWriter.Write in the caller's transaction, which has locked the
// rows that allow the checkout.
func InsertCheckout(tx *Tx, n *NewCheckout) (made, queued bool, err error) {
	tracing.Remember(tx.ctx, n.Created.ID)
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		ids, jobs, err := insertBatch(ctx, conn, []*NewCheckout{n})
		made, queued = n.in(ids), jobs
		return err
	})
	return made, queued, err
}

// InsertCheckouts is InsertCheckout for many, without idempotency keys.
func InsertCheckouts(tx *Tx, batch []*NewCheckout) error {
	return tx.PGX(func(ctx context.Context, conn Querier) error {
		made, _, err := insertBatch(ctx, conn, batch)
		if err == nil && len(made) != len(batch) {
			err = fmt.Errorf("models: %d of %d checkouts were written", len(made), len(batch))
		}
		return err
	})
}

// CheckoutWritten reports whether a checkout of any merchant exists.
func CheckoutWritten(tx *Tx, id string) (bool, error) {
	return within(tx, func(ctx context.Context, q Querier) (written bool, err error) {
		err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM checkouts WHERE id = $1)", id).Scan(&written)
		return written, err
	})
}
