package models

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/guard"
	"garoupa/internal/tracing"
)

const (
	// commitTimeout limits one commit and everything that follows if it fails, except a COMMIT
	// in progress, which InTx waits for. It is half of a request's time, so a value that
	// waited for a stuck commit has as much time for its own.
	commitTimeout = 5 * time.Second
	// roundsWaiting limits the values that a Batch holds, in full rounds of commits. A commit
	// takes milliseconds, so hundreds of clients fit into a few rounds. A value beyond this
	// limit would wait longer than its caller does, even if a commit took half a second.
	roundsWaiting = 16
	// attemptsToBeAnswered is how often UntilAnswered calls its function while connections
	// break: more often than a small pool has dead connections.
	attemptsToBeAnswered = 6
	// briefly is a condition, always true, for the statements of batches. It limits each wait
	// for a lock until the transaction ends. A statement that waits delays all values of its
	// commit, and a value that is written apart afterwards still has enough time.
	briefly = "(SELECT set_config('lock_timeout', '500ms', true)) IS NOT NULL"
	// apartAtOnce is the number of values of failed commits that are written apart at the same
	// time.
	apartAtOnce = 4
)

// Batch writes values that arrive at the same time in one commit. While the allowed number of
// commits is in progress, further values gather for the next one. So a busy batch needs fewer
// commits per value, and a single value never waits. CheckoutReader reads in the same way. It is safe for concurrent
// use.
type Batch[In, Out any] struct {
	limit  int // of values in a commit
	atOnce int // limit of commits in progress
	write  func(ctx context.Context, values []In) ([]Out, error)
	apart  chan struct{} // has an element for each value that is being written apart

	mu      sync.Mutex
	waiting []*batched[In, Out]
	running int
	held    int // values that were added and have no answer yet
	state   BatchState
}

// BatchState is what a Batch did since the process started, and what waits.
type BatchState struct {
	Commits, Values uint64
	Waiting         int // values without an answer
}

// State returns the batch's state.
func (b *Batch[In, Out]) State() BatchState {
	b.mu.Lock()
	defer b.mu.Unlock()
	state := b.state
	state.Waiting = b.held
	return state
}

// NewBatch returns a batch of at most limit values per commit and at most atOnce commits at a
// time. write must write all values or none of them, and return one outcome for each, in
// order. It is called again with the same values if the connection broke, and with each value
// alone if writing them together failed. So it must recognize what it has written before, and
// return the same outcome again.
func NewBatch[In, Out any](
	limit, atOnce int, write func(ctx context.Context, values []In) ([]Out, error),
) *Batch[In, Out] {
	return &Batch[In, Out]{limit: limit, atOnce: atOnce, write: write, apart: make(chan struct{}, apartAtOnce)}
}

// batched is one value that waits for its outcome.
type batched[In, Out any] struct {
	ctx   context.Context // the caller's
	value In
	done  chan struct{} // closed when the fields below are set
	out   Out
	err   error
}

// Add writes value and returns its outcome. If ctx ends before the value's commit begins, the
// value is not written; if ctx ends later, it may still be written. Add fails with
// ErrOverloaded at once if too many values are waiting.
func (b *Batch[In, Out]) Add(ctx context.Context, value In) (out Out, err error) {
	own := &batched[In, Out]{ctx: ctx, value: value, done: make(chan struct{})}
	b.mu.Lock()
	if b.held >= b.limit*b.atOnce*roundsWaiting {
		b.mu.Unlock()
		return out, ErrOverloaded
	}
	b.held++
	b.waiting = append(b.waiting, own)
	if b.running < b.atOnce {
		b.running++
		guard.Go("write batches", b.run)
	}
	b.mu.Unlock()
	select {
	case <-own.done:
		return own.out, own.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// run commits values until none is waiting.
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
		b.state.Commits++
		b.state.Values += uint64(n)
		b.mu.Unlock()
		b.commit(next)
	}
}

// commit writes values together, except those whose callers have gone. If writing fails and
// one value may be the reason, commit writes each value apart, and the next commit does not
// wait for this.
func (b *Batch[In, Out]) commit(next []*batched[In, Out]) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	if next = b.present(next); len(next) == 0 {
		cancel()
		return
	}
	values := make([]In, len(next))
	for i, one := range next {
		values[i] = one.value
	}
	joined, span := tracing.Join(ctx, "batch", callers(next))
	outs, err := b.writeTogether(joined, values)
	span.End()
	if len(next) > 1 && oneMayBeWhy(err) {
		guard.Go("write values apart", func() {
			defer cancel()
			b.writeApart(ctx, next)
		})
		return
	}
	cancel()
	for i, one := range next {
		if err == nil {
			one.out = outs[i]
		}
		b.answer(one, err)
	}
}

// callers returns the contexts of those who wait for values.
func callers[In, Out any](values []*batched[In, Out]) iter.Seq[context.Context] {
	return func(yield func(context.Context) bool) {
		for _, one := range values {
			if !yield(one.ctx) {
				return
			}
		}
	}
}

// present returns the values whose callers still wait, and answers the others.
func (b *Batch[In, Out]) present(values []*batched[In, Out]) []*batched[In, Out] {
	present := make([]*batched[In, Out], 0, len(values))
	for _, one := range values {
		if err := one.ctx.Err(); err != nil {
			b.answer(one, err)
		} else {
			present = append(present, one)
		}
	}
	return present
}

// writeTogether calls write for all values, and again while it is unknown whether they were
// written.
func (b *Batch[In, Out]) writeTogether(ctx context.Context, values []In) (outs []Out, err error) {
	err = UntilAnswered(ctx, func() (err error) {
		outs, err = b.try(ctx, values)
		return err
	})
	return outs, err
}

// try calls write. A panic in write becomes the error of these values.
func (b *Batch[In, Out]) try(ctx context.Context, values []In) (outs []Out, err error) {
	err = guard.Call("write a batch", func() (err error) {
		outs, err = b.write(ctx, values)
		return err
	})
	if err == nil && len(outs) != len(values) {
		err = fmt.Errorf("models: a batch of %d values has %d outcomes", len(values), len(outs))
	}
	return outs, err
}

// writeApart writes each value alone, a few at a time, so that an invalid value fails alone.
// When ctx ends, it answers those that are left with an error.
func (b *Batch[In, Out]) writeApart(ctx context.Context, values []*batched[In, Out]) {
	var writing sync.WaitGroup
	defer writing.Wait()
	for _, one := range values {
		select {
		case b.apart <- struct{}{}:
		case <-ctx.Done():
			b.answer(one, ctx.Err())
			continue
		}
		writing.Go(func() { // try recovers
			defer func() { <-b.apart }()
			b.writeAlone(ctx, one)
		})
	}
}

func (b *Batch[In, Out]) writeAlone(ctx context.Context, one *batched[In, Out]) {
	if err := one.ctx.Err(); err != nil {
		b.answer(one, err)
		return
	}
	outs, err := b.writeTogether(tracing.Carry(ctx, one.ctx), []In{one.value})
	if err == nil {
		one.out = outs[0]
	}
	b.answer(one, err)
}

func (b *Batch[In, Out]) answer(one *batched[In, Out], err error) {
	b.mu.Lock()
	b.held--
	b.mu.Unlock()
	one.err = err
	close(one.done)
}

// UntilAnswered calls fn, and calls it again if the connection broke: then it is unknown
// whether the statements of fn were executed. So fn must recognize what it did in an earlier
// call. UntilAnswered gives up when the server refuses connections.
func UntilAnswered(ctx context.Context, fn func() error) (err error) {
	for range attemptsToBeAnswered {
		if err = fn(); !answerLost(err) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// answerLost reports whether the connection was lost after a statement was sent, so that it
// is unknown whether the statement was executed. A server that refuses connections received
// no statement.
func answerLost(err error) bool {
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	if refused || !Unavailable(err) || errors.Is(err, ErrOverloaded) {
		return false
	}
	pgErr, answered := errors.AsType[*pgconn.PgError](err)
	return !answered || pgErr.Code == "57P01" || pgErr.Code == "57P02" // admin_shutdown, crash_shutdown
}

// oneMayBeWhy reports whether a single value may be the reason why the commit failed: the
// database refused the values, or one of them waited too long for a lock. In an outage each
// value alone would fail too.
func oneMayBeWhy(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgErr.Code {
		case "55P03", "40001", "40P01": // lock_not_available, serialization_failure, deadlock_detected
			return true
		}
	}
	return err != nil && !Unavailable(err)
}
