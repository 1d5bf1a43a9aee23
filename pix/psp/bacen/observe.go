package bacen

import (
	"context"
	"errors"
	"time"

	"garoupa/internal/tracing"
	"garoupa/pix/psp"
)

// Observation is how one call ended.
type Observation struct {
	Op   string        // what was asked, such as "put charge"
	Err  *psp.Error    // nil if the call succeeded
	Took time.Duration // with the request for a token, if there was one; without the waits for limits
	// Held reports that the call was not made, because the bank is known not to answer.
	Held bool
}

// Answered reports whether the bank gave a complete answer that is about the call, a refusal too.
func (o Observation) Answered() bool {
	if o.Err == nil {
		return true
	}
	switch o.Err.Kind {
	case psp.Unavailable, psp.Ambiguous, psp.Unauthorized:
		return false
	}
	return !o.Held
}

// observe tells how a call ended. A call that its caller gave up tells nothing about the bank.
func (c *Client) observe(k call, err error, took time.Duration) {
	if errors.Is(err, context.Canceled) {
		return
	}
	o := Observation{Op: k.op, Took: took, Held: errors.Is(err, errAtOnce)}
	errors.As(named(err, k.op), &o.Err)
	c.options.Observe(o)
}

// endSpan ends the span of a call. Of an error it tells the kind and the bank's status, and never the bank's words.
func endSpan(span *tracing.Span, err error) {
	var e *psp.Error
	if errors.As(err, &e) {
		if e.Status != 0 {
			span.Number("http.response.status_code", e.Status)
		}
		span.Fail(string(e.Kind))
	}
	span.End()
}
