// Package tracingtest receives traces in tests, as a collector does.
package tracingtest

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"garoupa/internal/tracing"
)

// Collector is an OTLP receiver. It is safe for concurrent use.
type Collector struct {
	URL string // for OTEL_EXPORTER_OTLP_ENDPOINT

	t     testing.TB
	mu    sync.Mutex
	raw   bytes.Buffer
	spans []Span
}

// Span is what arrived of a span. Ids are hex, as in a traceparent.
type Span struct {
	Name, Trace, ID, Parent string
	Kind                    otlp.Span_SpanKind
	Failed                  bool
	Texts                   map[string]string // attributes
	Numbers                 map[string]int64
	Links                   []string // ids of spans
	Service                 string
}

// NewCollector returns a collector that listens until the test ends.
func NewCollector(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{t: t}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("collector: %s %v", r.URL.Path, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, resource := range request.ResourceSpans {
		service := ""
		for _, attribute := range resource.Resource.Attributes {
			if attribute.Key == "service.name" {
				service = attribute.Value.GetStringValue()
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, read(span, service))
			}
		}
	}
}

func read(in *otlp.Span, service string) Span {
	out := Span{
		Name: in.Name, Trace: hex.EncodeToString(in.TraceId), ID: hex.EncodeToString(in.SpanId),
		Parent: hex.EncodeToString(in.ParentSpanId), Kind: in.Kind, Service: service,
		Failed: in.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR,
		Texts:  map[string]string{}, Numbers: map[string]int64{},
	}
	for _, attribute := range in.Attributes {
		out.Texts[attribute.Key] = attribute.Value.GetStringValue()
		out.Numbers[attribute.Key] = attribute.Value.GetIntValue()
	}
	for _, link := range in.Links {
		out.Links = append(out.Links, hex.EncodeToString(link.SpanId))
	}
	return out
}

// Spans returns the spans that arrived, in that order.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Raw returns the bodies that arrived.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// own is the collector of the process, which the standard variables name.
var own = sync.OnceValue(func() *Collector {
	c := &Collector{t: silent{}}
	c.URL = httptest.NewServer(c).URL
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_BSP_SCHEDULE_DELAY": "10"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return c
})

// silent is the test of a collector that several tests share.
type silent struct{ testing.TB }

// Errorf implements testing.TB.
func (silent) Errorf(format string, args ...any) {}

// Start returns a tracer of this process, and a function that stops it and returns what a trace, or all, has sent
// to the collector, which the tests of the process share.
func Start(t testing.TB) (tracer *tracing.Tracer, sent func(trace string) []Span) {
	t.Helper()
	c := own()
	tracer, err := tracing.Start(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return tracer, func(trace string) (spans []Span) {
		t.Helper()
		if err := tracer.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		for _, span := range c.Spans() {
			if trace == "" || span.Trace == trace {
				spans = append(spans, span)
			}
		}
		return spans
	}
}
