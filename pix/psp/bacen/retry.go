package bacen

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"garoupa/pix/psp"
)

const (
	tries                     = 3
	firstBackoff, lastBackoff = 250 * time.Millisecond, 8 * time.Second
)

// read makes a call that changes nothing, three times at most.
func (c *Client) read(ctx context.Context, k call) ([]byte, error) {
	for try := 1; ; try++ {
		body, err := c.once(ctx, k)
		if kind := kindOf(err); kind != psp.Unavailable && kind != psp.Limited || !c.again(ctx, try, err) {
			return body, err
		}
	}
}

// finder reads what a write makes. done is false if it is not there, or not as the write makes it.
// Otherwise err says why what is there is not to be used.
type finder[T any] func(context.Context) (got T, done bool, err error)

// write makes a call that may be repeated with the same body, three times at most. If it is not
// certain whether the bank has done it, and if the bank refuses it, perhaps because it was done
// before, the client looks first. A refusal after such a try is Ambiguous too until the look finds something: what
// the bank has done may be why it refuses, and it may not show it yet.
func write[T any](
	ctx context.Context, c *Client, k call, result func([]byte) (T, error), find finder[T],
) (T, error) {
	var none T
	for try, doubtful := 1, false; ; try++ {
		body, err := c.once(ctx, k)
		if err == nil && len(body) > 0 {
			got, err := result(body)
			return got, named(err, k.op)
		}
		switch kind := kindOf(err); kind {
		case psp.Unavailable, psp.Limited: // certainly not done
		case "", psp.Ambiguous, psp.Conflict, psp.Invalid:
			got, done, findErr := find(ctx)
			switch {
			case done:
				return got, named(findErr, k.op)
			case kind == psp.Invalid && doubtful && findErr != nil:
				return none, unclear(k, err, findErr)
			case kind == psp.Invalid, kind == psp.Conflict && findErr == nil:
				return none, err
			}
			doubtful = true
			unseen := findErr == nil || kindOf(findErr) == psp.NotFound
			if err = unclear(k, err, findErr); !unseen {
				return none, err
			}
		default:
			return none, err
		}
		if !c.again(ctx, try, err) {
			return none, err
		}
	}
}

// unclear returns the error of a write of which it is not known whether it was done. err is that of the
// write, if it has one, and findErr that of the look at it.
func unclear(k call, err, findErr error) error {
	e := &psp.Error{Kind: psp.Ambiguous, Op: k.op, Detail: "the bank does not show the result yet", Err: findErr}
	var of *psp.Error
	if errors.As(err, &of) {
		e.Status, e.Type, e.Detail = of.Status, of.Type, of.Detail
		e.Err = errors.Join(of.Err, findErr)
	}
	return e
}

// again waits before the next try. It reports false if there should be none.
func (c *Client) again(ctx context.Context, try int, err error) bool {
	if try >= tries || errors.Is(err, errAtOnce) || ctx.Err() != nil {
		return false
	}
	if kindOf(err) == psp.Limited {
		return true // the limiter keeps it back
	}
	d := jitter(try)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	return c.options.Wait(ctx, d) == nil
}

// jitter returns a random time before the next try, so that many clients do not come together.
func jitter(try int) time.Duration {
	return rand.N(min(firstBackoff<<(try-1), lastBackoff))
}

// report logs a call. Neither bodies nor keys nor URLs are logged.
func (c *Client) report(ctx context.Context, k call, err error, took time.Duration) {
	fields := []any{"op", k.op, "ms", took.Milliseconds()}
	if k.about != "" {
		fields = append(fields, "id", k.about)
	}
	var e *psp.Error
	if !errors.As(err, &e) {
		c.log.Log(ctx, slog.LevelDebug, "bank", fields...)
		return
	}
	fields = append(fields, "kind", string(e.Kind), "status", e.Status, "type", e.Type, "detail", e.Detail)
	for _, v := range e.Violations {
		fields = append(fields, "field", v.Property)
	}
	if e.Err != nil {
		fields = append(fields, "err", e.Err.Error())
	}
	c.log.Log(ctx, slog.LevelWarn, "bank", fields...)
}
