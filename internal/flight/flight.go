// Package flight lets callers that ask the same question at the same time share one answer.
package flight

import (
	"context"
	"fmt"
	"sync"
	"time"

	"garoupa/internal/guard"
)

const (
	// within limits a reading for several callers, like a request by default (GAROUPA_REQUEST_TIMEOUT).
	within = 10 * time.Second
	// patience is how long a caller waits for others' reading before it reads by itself. So a connection that
	// is silent holds up no caller for longer.
	patience = 250 * time.Millisecond
)

// Group answers questions by a function. While it reads the answer to a question, callers that ask the same
// wait, and then share one further reading. So an answer is never older than its question: the reading
// begins after the caller asked. A caller that waits for a quarter of a second reads by itself. Make one with
// NewGroup. It is safe for concurrent use.
type Group[Question comparable, Answer any] struct {
	read func(context.Context, Question) (Answer, error)

	mu   sync.Mutex
	next map[Question]*round[Answer] // by the question that is being read; nil without callers that wait
}

// round is a reading that has not begun, with the callers that wait for it.
type round[Answer any] struct {
	ctx    context.Context // of the first caller, without its end
	done   chan struct{}   // closed when the fields below are set
	answer Answer
	err    error
}

// NewGroup returns a Group that reads answers by read, which must be safe for concurrent use. Callers must not
// change an answer, because others may have the same.
func NewGroup[Question comparable, Answer any](
	read func(context.Context, Question) (Answer, error),
) *Group[Question, Answer] {
	return &Group[Question, Answer]{read: read, next: map[Question]*round[Answer]{}}
}

// Ask returns the answer to a question. A caller that ends early ends only its own reading.
func (g *Group[Question, Answer]) Ask(ctx context.Context, question Question) (answer Answer, err error) {
	g.mu.Lock()
	next, reading := g.next[question]
	if !reading {
		g.next[question] = nil
		g.mu.Unlock()
		defer g.goOn(question)
		return g.read(ctx, question)
	}
	if next == nil {
		next = &round[Answer]{ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
		g.next[question] = next
	}
	g.mu.Unlock()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-next.done:
		return next.answer, next.err
	case <-late.C:
		return g.read(ctx, question)
	case <-ctx.Done():
		return answer, fmt.Errorf("wait for an answer that others share: %w", ctx.Err())
	}
}

// goOn begins the reading for those who wait, when the one before has ended.
func (g *Group[Question, Answer]) goOn(question Question) {
	g.mu.Lock()
	defer g.mu.Unlock()
	next := g.next[question]
	if next == nil {
		delete(g.next, question)
		return
	}
	g.next[question] = nil
	guard.Go("read for several callers", func() { g.share(question, next) })
}

// share reads the answer of a round.
func (g *Group[Question, Answer]) share(question Question, next *round[Answer]) {
	defer g.goOn(question)
	defer close(next.done)
	ctx, cancel := context.WithTimeout(next.ctx, within)
	defer cancel()
	next.err = guard.Call("read for several callers", func() (err error) {
		next.answer, err = g.read(ctx, question)
		return err
	})
}
