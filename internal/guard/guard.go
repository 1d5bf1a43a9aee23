// Package guard keeps a panic in one goroutine from ending the process. Every goroutine of
// the program is started through it.
package guard

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// again is how long Keep waits after a panic, so that work that panics at once does not
// fill the log.
const again = time.Second

// Go calls work in a goroutine. A panic ends that goroutine and is logged; what is the name
// of the work in the log.
func Go(what string, work func()) {
	go func() {
		_ = Call(what, func() error {
			work()
			return nil
		})
	}()
}

// Call calls work and returns its error. It logs a panic with its stack and returns it
// as an error.
func Call(what string, work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			slog.Error("panic", "in", what, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: panic: %v", what, value)
		}
	}()
	return work()
}

// Keep calls work until it returns or ctx ends. After a panic it waits for a moment and
// calls work again.
func Keep(ctx context.Context, what string, work func(ctx context.Context)) {
	for {
		err := Call(what, func() error {
			work(ctx)
			return nil
		})
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(again):
		}
	}
}
