package tracing

import (
	"context"
	"iter"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Header is the header in which a request names the span that it belongs to (W3C Trace Context).
const Header = "traceparent"

// Span is a piece of work. Its methods may be called by several goroutines, and do nothing on nil.
type Span struct {
	tracer *Tracer
	spans  trace.Span
	sweep  *sweep // nil: the span is sent when it ends
	writes bool   // of a statement
}

type key struct{}

// of returns the span of ctx, nil if it has none.
func of(ctx context.Context) *Span {
	span, _ := ctx.Value(key{}).(*Span)
	return span
}

// Serve begins the span of a request, which is nil if its trace is not recorded. parent is its header, "" for none.
// The state of other vendors, tracestate and baggage, is not read, so it does not reach banks.
func (t *Tracer) Serve(ctx context.Context, method, parent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	above := context.Background()
	if parent != "" {
		above = propagation.TraceContext{}.Extract(above, propagation.MapCarrier{Header: parent})
	}
	return t.begin(ctx, above, method, nil, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method)))
}

// Work begins the span of a piece of work that no request waits for.
func (t *Tracer) Work(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.begin(ctx, context.Background(), name, nil)
}

// WorkOn is Work on something that Remember may have been called with: the span is linked to the one that made it.
func (t *Tracer) WorkOn(ctx context.Context, name, id string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer)}
	if origin, ok := t.origins.find(id); ok {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: origin}))
	}
	return t.begin(ctx, context.Background(), name, nil, options...)
}

// begin begins a span below that of above, which is in the terms of OpenTelemetry. It returns nil if the span is not
// recorded; the context carries it also then, so that requests to other servers say so.
func (t *Tracer) begin(ctx, above context.Context, name string, s *sweep, options ...trace.SpanStartOption,
) (context.Context, *Span) {
	_, started := t.spans.Start(above, name, options...)
	span := &Span{tracer: t, spans: started, sweep: s}
	ctx = context.WithValue(ctx, key{}, span)
	if !started.IsRecording() {
		return ctx, nil
	}
	return ctx, span
}

// recorded reports whether the span is recorded and has not ended.
func (s *Span) recorded() bool { return s != nil && s.spans.IsRecording() }

// below begins a span below s.
func (s *Span) below(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, *Span) {
	return s.tracer.begin(ctx, trace.ContextWithSpan(context.Background(), s.spans), name, s.sweep, options...)
}

// Call begins a span below that of ctx, for a request to another server. The caller sends the Parent of the context
// that is returned.
func Call(ctx context.Context, name string) (context.Context, *Span) {
	if s := of(ctx); s.recorded() {
		s.sweep.found()
		return s.below(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	}
	return ctx, nil
}

// Join begins a span for what several callers wait for together, below that of the first caller whose work is
// recorded. Those of the other callers and it are linked to each other. ctx is the context of the work.
func Join(ctx context.Context, name string, callers iter.Seq[context.Context]) (context.Context, *Span) {
	var joined *Span
	for caller := range callers {
		s := of(caller)
		switch {
		case !s.recorded():
		case joined == nil:
			ctx, joined = s.below(ctx, name)
		default:
			joined.spans.AddLink(trace.Link{SpanContext: s.spans.SpanContext()})
			s.spans.AddLink(trace.Link{SpanContext: joined.spans.SpanContext()})
		}
	}
	return ctx, joined
}

// Carry returns ctx with the span of from.
func Carry(ctx, from context.Context) context.Context {
	if s := of(from); s != nil {
		return context.WithValue(ctx, key{}, s)
	}
	return ctx
}

// Parent returns the value of Header for a request that belongs to the span of ctx, "" if ctx has no span. A span that
// is not recorded has a value too, which tells the other server not to record either.
func Parent(ctx context.Context) string {
	s := of(ctx)
	if s == nil {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.spans), carrier)
	return carrier[Header]
}

// ID returns the id of the trace that ctx belongs to, "" if it is not recorded.
func ID(ctx context.Context) string {
	if s := of(ctx); s != nil && s.spans.SpanContext().IsSampled() {
		return s.spans.SpanContext().TraceID().String()
	}
	return ""
}

// Rename replaces the span's name.
func (s *Span) Rename(name string) {
	if s != nil {
		s.spans.SetName(name)
	}
}

// Text adds an attribute.
func (s *Span) Text(name, value string) {
	if s != nil && value != "" {
		s.spans.SetAttributes(attribute.String(name, value))
	}
}

// Number adds an attribute.
func (s *Span) Number(name string, value int) {
	if s != nil {
		s.spans.SetAttributes(attribute.Int(name, value))
	}
}

// Fail says that the work failed. class is one of few values, and never the text of an error; "" does nothing.
func (s *Span) Fail(class string) {
	if s == nil || class == "" {
		return
	}
	s.sweep.found()
	s.spans.SetStatus(codes.Error, "")
	s.spans.SetAttributes(attribute.String("error.type", class))
}

// End ends the span.
func (s *Span) End() {
	switch {
	case s == nil:
	case s.sweep != nil:
		s.sweep.hold(s.spans, time.Now())
	default:
		s.spans.End()
	}
}
