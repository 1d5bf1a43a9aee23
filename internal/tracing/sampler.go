package tracing

import (
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracesASecond is how many traces of requests, and as many of deliveries, a process begins in a second unless
// OTEL_TRACES_SAMPLER says otherwise. So a process that is not busy records all of them, and one that is spends
// little on it, also if its clients ask for more.
const tracesASecond = 100

// sampler records what it may of requests and deliveries, and all of what is repeated, such as jobs and sweeps. What
// is below a span of this process is recorded if that span is.
type sampler struct {
	requests, deliveries allowance
}

// ShouldSample implements sdktrace.Sampler.
func (s *sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	above := trace.SpanContextFromContext(p.ParentContext)
	record := true
	switch {
	case above.IsValid() && (!above.IsSampled() || !above.IsRemote()):
		record = above.IsSampled()
	case p.Kind == trace.SpanKindServer:
		record = s.requests.take(time.Now())
	case p.Kind == trace.SpanKindConsumer:
		record = s.deliveries.take(time.Now())
	}
	if record {
		return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
	}
	return sdktrace.SamplingResult{Decision: sdktrace.Drop}
}

// Description implements sdktrace.Sampler.
func (s *sampler) Description() string { return "garoupa" }

// allowance counts what was taken in a second.
type allowance struct {
	mu     sync.Mutex
	second int64
	taken  int
}

// take reports whether one more is allowed.
func (a *allowance) take(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if second := now.Unix(); second != a.second {
		a.second, a.taken = second, 0
	}
	if a.taken == tracesASecond {
		return false
	}
	a.taken++
	return true
}
