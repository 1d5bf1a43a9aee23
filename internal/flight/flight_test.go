package flight_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"garoupa/internal/flight"
)

// source answers with the number of its readings. Each waits until it is let go.
type source struct {
	began atomic.Int32
	end   chan error
}

func (s *source) read(context.Context, string) (int32, error) {
	n := s.began.Add(1)
	return n, <-s.end
}

// asked is what a caller got.
type asked struct {
	answer int32
	err    error
}

// ask asks in a goroutine.
func ask(ctx context.Context, g *flight.Group[string, int32], question string) <-chan asked {
	got := make(chan asked, 1)
	go func() {
		answer, err := g.Ask(ctx, question)
		got <- asked{answer, err}
	}()
	synctest.Wait()
	return got
}

// Callers that come during a reading share the next one, and those who come during that have one more.
func TestGroup_SharesTheNextReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{end: make(chan error)}
		g := flight.NewGroup(s.read)
		first := ask(t.Context(), g, "a")
		second, third := ask(t.Context(), g, "a"), ask(t.Context(), g, "a")
		other := ask(t.Context(), g, "b")
		if n := s.began.Load(); n != 2 {
			t.Fatalf("%d readings of two questions began", n)
		}
		s.end <- nil
		s.end <- nil
		if a, b := <-first, <-other; a != (asked{answer: 1}) || b != (asked{answer: 2}) {
			t.Errorf("the first of each question got %v and %v", a, b)
		}
		synctest.Wait()
		late := ask(t.Context(), g, "a")
		s.end <- nil
		if a, b := <-second, <-third; a != (asked{answer: 3}) || b != a {
			t.Errorf("those who waited got %v and %v", a, b)
		}
		s.end <- nil
		if a := <-late; a != (asked{answer: 4}) {
			t.Errorf("the caller during the third reading got %v", a)
		}
		synctest.Wait()
		alone := ask(t.Context(), g, "a")
		s.end <- nil
		if a := <-alone; a != (asked{answer: 5}) {
			t.Errorf("the caller after all readings got %v", a)
		}
	})
}

// An error reaches only those who share the reading.
func TestGroup_SharesErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, broken := &source{end: make(chan error)}, errors.New("broken")
		g := flight.NewGroup(s.read)
		first := ask(t.Context(), g, "a")
		second, third := ask(t.Context(), g, "a"), ask(t.Context(), g, "a")
		s.end <- nil
		s.end <- broken
		if a := <-first; a.err != nil {
			t.Errorf("the first got %v", a.err)
		}
		if a, b := <-second, <-third; !errors.Is(a.err, broken) || !errors.Is(b.err, broken) {
			t.Errorf("those who shared got %v and %v", a.err, b.err)
		}
	})
}

// Callers that end early, one that reads and the first of those that wait, leave the others their answer.
func TestGroup_CallerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan struct{})
		g := flight.NewGroup(func(ctx context.Context, _ string) (int32, error) {
			select {
			case <-read:
				return 1, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		brief, end := context.WithCancel(t.Context())
		first, second, third := ask(brief, g, "a"), ask(brief, g, "a"), ask(t.Context(), g, "a")
		end()
		if a, b := <-first, <-second; !errors.Is(a.err, context.Canceled) || !errors.Is(b.err, context.Canceled) {
			t.Errorf("those who ended got %v and %v", a.err, b.err)
		}
		close(read)
		if a := <-third; a != (asked{answer: 1}) {
			t.Errorf("the caller that stayed got %v", a)
		}
	})
}

// Behind a reading that does not end, a caller soon reads by itself.
func TestGroup_Patience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var readings atomic.Int32
		g := flight.NewGroup(func(ctx context.Context, _ string) (int32, error) {
			n := readings.Add(1)
			if n == 1 {
				<-ctx.Done()
			}
			return n, ctx.Err()
		})
		silent, end := context.WithCancel(t.Context())
		defer end()
		first, second := ask(silent, g, "a"), ask(t.Context(), g, "a")
		if a := <-second; a != (asked{answer: 2}) {
			t.Errorf("the caller behind a silent reading got %v", a)
		}
		end()
		if a := <-first; !errors.Is(a.err, context.Canceled) {
			t.Errorf("the caller of the silent reading got %v", a)
		}
	})
}

// A reading that panics for several callers is an error for them, and the next one is read.
func TestGroup_Panics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var readings atomic.Int32
		going := make(chan struct{})
		g := flight.NewGroup(func(context.Context, string) (int32, error) {
			<-going
			if n := readings.Add(1); n != 2 {
				return n, nil
			}
			panic("the second")
		})
		first, second := ask(t.Context(), g, "a"), ask(t.Context(), g, "a")
		close(going)
		if a := <-first; a.err != nil {
			t.Errorf("the first got %v", a.err)
		}
		if a := <-second; a.err == nil || !strings.Contains(a.err.Error(), "panic") {
			t.Errorf("the caller that shared the reading got %v", a)
		}
		synctest.Wait()
		if a := <-ask(t.Context(), g, "a"); a != (asked{answer: 3}) {
			t.Errorf("the caller after it got %v", a)
		}
	})
}
