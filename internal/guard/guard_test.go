package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"garoupa/internal/guard"
)

func TestCall(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	if err := guard.Call("work", func() error { return own }); !errors.Is(err, own) {
		t.Errorf("the error of the work became %v", err)
	}
	err := guard.Call("some work", func() error { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "some work") || !strings.Contains(err.Error(), "boom") {
		t.Errorf("a panic became %v", err)
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	guard.Go("work", func() {
		defer close(ended)
		panic("boom")
	})
	<-ended // and the process lives
}

// Keep continues after a panic and ends when the work ends.
func TestKeep(t *testing.T) {
	t.Parallel()
	calls := 0
	guard.Keep(t.Context(), "work", func(context.Context) {
		if calls++; calls == 1 {
			panic("boom")
		}
	})
	if calls != 2 {
		t.Errorf("the work was called %d times, want 2", calls)
	}

	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	guard.Keep(ctx, "work", func(context.Context) {
		calls++
		cancel()
		panic("boom")
	})
	if calls != 1 {
		t.Errorf("after the end of its context the work was called %d times, want 1", calls)
	}
}
