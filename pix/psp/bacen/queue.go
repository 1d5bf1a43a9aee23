package bacen

import (
	"context"
	"slices"
	"sync"

	"garoupa/pix/psp"
)

// mayWait is how many calls of an account may wait for one of its places.
const mayWait = 256

// rank is the order in which waiting calls are let through.
type rank int

// The ranks: what a buyer or merchant waits for, which is also the list of new Pix, then looks at charges, then old
// days.
const (
	first rank = iota
	look
	old
	ranks
)

// queue limits how many calls of an account are under way. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting [ranks][]chan struct{} // a place is handed over by closing the channel
}

// enter waits for a place. The caller must call leave once.
func (q *queue) enter(ctx context.Context, r rank) error {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	if q.length() >= mayWait {
		q.mu.Unlock()
		return &psp.Error{Kind: psp.Unavailable, Detail: "too many calls wait for this bank", Err: errAtOnce}
	}
	mine := make(chan struct{})
	q.waiting[r] = append(q.waiting[r], mine)
	q.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		q.giveUp(r, mine)
		return &psp.Error{Kind: psp.Unavailable, Detail: "no place came free", Err: ctx.Err()}
	}
}

func (q *queue) length() (n int) {
	for _, w := range q.waiting {
		n += len(w)
	}
	return n
}

// giveUp takes a call out of the queue, or passes on the place that it was given meanwhile.
func (q *queue) giveUp(r rank, mine chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting[r], mine); i >= 0 {
		q.waiting[r] = slices.Delete(q.waiting[r], i, i+1)
		return
	}
	q.pass()
}

// leave gives a place back.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pass()
}

// pass hands a place to the call that waits longest in the best rank.
func (q *queue) pass() {
	for r := range q.waiting {
		if len(q.waiting[r]) > 0 {
			close(q.waiting[r][0])
			q.waiting[r] = q.waiting[r][1:]
			return
		}
	}
	q.free++
}
