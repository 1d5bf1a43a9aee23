package browsertest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder stands in for a test that is expected to fail.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failed   []string
	cleanups []func()
}

// failures runs body as a test of its own, with its cleanup, and returns what it
// failed with.
func failures(t *testing.T, body func(testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.cleanup()
		body(r)
	}()
	<-done
	return r.failed
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) cleanup() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

// wantFailure fails t unless there is exactly one failure and it contains all parts.
func wantFailure(t *testing.T, failed []string, parts ...string) {
	t.Helper()
	if len(failed) != 1 {
		t.Fatalf("%d failures, want one: %q", len(failed), failed)
	}
	for _, part := range parts {
		if !strings.Contains(failed[0], part) {
			t.Errorf("failure %q lacks %q", failed[0], part)
		}
	}
}
