package tracing

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// sweep holds the spans of work that often finds nothing to do, until it is known whether it did something.
type sweep struct {
	mu   sync.Mutex
	did  bool
	held []heldSpan
}

type heldSpan struct {
	spans trace.Span
	at    time.Time
}

// Sweep is Work that is repeated all the time. Its spans are sent only if it changed something, called another
// server, or failed.
func (t *Tracer) Sweep(ctx context.Context, name string, do func(ctx context.Context) error) error {
	if t == nil {
		return do(ctx)
	}
	s := &sweep{}
	ctx, span := t.begin(ctx, context.Background(), name, s)
	err := do(ctx)
	if err != nil {
		span.Fail("failed")
	}
	span.End()
	s.end()
	return err
}

// found says that the sweep did something.
func (s *sweep) found() {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.did = true
	}
}

// hold keeps a span that ended at a time.
func (s *sweep) hold(spans trace.Span, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, heldSpan{spans, at})
}

// end sends the spans. A span that is never ended is not sent.
func (s *sweep) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.did {
		return
	}
	for _, h := range s.held {
		h.spans.End(trace.WithTimestamp(h.at))
	}
	s.held = nil
}
