package bacen

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"garoupa/pix/psp"
)

// waitFor returns when n calls wait.
func waitFor(q *queue, n int) {
	for {
		q.mu.Lock()
		waiting := q.length()
		q.mu.Unlock()
		if runtime.Gosched(); waiting == n {
			return
		}
	}
}

func TestQueue_Order(t *testing.T) {
	t.Parallel()
	q := &queue{free: 1}
	if err := q.enter(t.Context(), look); err != nil {
		t.Fatal(err)
	}
	var (
		group sync.WaitGroup
		got   []rank
	)
	for i, r := range []rank{old, look, first, old, first} {
		group.Go(func() {
			if err := q.enter(t.Context(), r); err != nil {
				t.Error(err)
			}
			got = append(got, r) // only one has the place
			q.leave()
		})
		waitFor(q, i+1)
	}
	q.leave()
	group.Wait()
	if want := []rank{first, first, look, old, old}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if q.free != 1 {
		t.Errorf("%d places are free", q.free)
	}
}

// A call that gives up takes no place, also if it gets one in the same moment.
func TestQueue_GiveUp(t *testing.T) {
	t.Parallel()
	q := &queue{free: 1}
	for range 200 {
		if err := q.enter(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if err := q.enter(ctx, first); err == nil {
				q.leave()
			}
		})
		waitFor(q, 1)
		group.Go(cancel)
		q.leave()
		group.Wait()
		if q.free != 1 || q.length() != 0 {
			t.Fatalf("%d places are free, %d calls wait", q.free, q.length())
		}
	}
}

func TestQueue_Full(t *testing.T) {
	t.Parallel()
	q := &queue{}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range mayWait {
		group.Go(func() {
			if err := q.enter(ctx, old); kindOf(err) != psp.Unavailable {
				t.Errorf("%v", err)
			}
		})
	}
	waitFor(q, mayWait)
	if err := q.enter(ctx, first); kindOf(err) != psp.Unavailable {
		t.Errorf("one more: %v", err)
	}
	cancel()
	group.Wait()
}
