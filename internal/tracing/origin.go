package tracing

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/trace"
)

// remembered is how many things a process remembers the spans of.
const remembered = 4096

// origins knows the spans in which things were made, such as events, by id. It forgets the oldest.
type origins struct {
	mu    sync.Mutex
	spans map[string]trace.SpanContext
	ids   [remembered]string // a ring
	next  int
}

// Remember keeps in the process that the span of ctx made something: see WorkOn.
func Remember(ctx context.Context, id string) {
	if s := of(ctx); s.recorded() {
		s.tracer.origins.add(id, s.spans.SpanContext())
	}
}

func (o *origins) add(id string, span trace.SpanContext) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spans == nil {
		o.spans = make(map[string]trace.SpanContext, remembered)
	}
	delete(o.spans, o.ids[o.next])
	o.spans[id], o.ids[o.next] = span, id
	o.next = (o.next + 1) % remembered
}

func (o *origins) find(id string) (trace.SpanContext, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	span, ok := o.spans[id]
	return span, ok
}
