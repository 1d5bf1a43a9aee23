// Package tracing records traces with OpenTelemetry and sends them to a collector by OTLP over HTTP
// (docs/decisions/0085-traces.md). It is the only package that imports OpenTelemetry.
//
// A context carries the span of what is being done. [Call], [Query] and [Join] begin one below it if it is recorded,
// and otherwise return nil. All methods of a nil [Tracer] and a nil
// [Span] do nothing, so without a collector a piece of work costs one look into its context.
//
// A span says what was done, where and for how long. It never has what the work is about: no body, argument,
// query string, key, address, document, name or amount. So its names and texts are constants, patterns of routes,
// statements with placeholders, classes of errors, and random ids.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope names the part of the program that makes spans, as OpenTelemetry asks for.
const scope = "garoupa"

// Tracer begins spans. It is safe for concurrent use. Nil is off.
type Tracer struct {
	provider  *sdktrace.TracerProvider
	spans     trace.Tracer
	origins   origins
	summaries summaries
}

// check reports what is wrong with the standard variables of OpenTelemetry that decide whether and how traces are
// sent. The error names the variable.
func check(variable func(name string) string) error {
	switch exporter := variable("OTEL_TRACES_EXPORTER"); exporter {
	case "", "otlp", "none":
	default:
		return fmt.Errorf("settings: OTEL_TRACES_EXPORTER: %q is neither otlp nor none", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch protocol := variable(name); protocol {
		case "":
			continue
		case "http/protobuf", "http/json":
			return nil
		default:
			return fmt.Errorf("settings: %s: %q is neither http/protobuf nor http/json, which collectors take at "+
				"port 4318", name, protocol)
		}
	}
	return nil
}

// disabled reports whether the standard variables ask for no traces.
func disabled(variable func(name string) string) bool {
	return variable("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" ||
		strings.EqualFold(variable("OTEL_SDK_DISABLED"), "true") || variable("OTEL_TRACES_EXPORTER") == "none"
}

// Start returns a tracer that sends to the collector that the standard variables name, or nil if they name none. It
// does not connect: what a collector does not take in time is dropped, and the program works on. version is that of
// the program. Only one tracer of a process may be started at a time, because the errors of OpenTelemetry have one
// receiver.
func Start(ctx context.Context, version string) (*Tracer, error) {
	if disabled(os.Getenv) {
		return nil, nil
	}
	if err := check(os.Getenv); err != nil {
		return nil, err
	}
	otel.SetLogger(logr.FromSlogHandler(slog.Default().Handler()))
	otel.SetErrorHandler(&failures{})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	// Later ones win, so the variables may name the service.
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "garoupa"),
			attribute.String("service.version", version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("settings: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	options := []sdktrace.TracerProviderOption{sdktrace.WithBatcher(exporter), sdktrace.WithResource(about)}
	if os.Getenv("OTEL_TRACES_SAMPLER") == "" {
		options = append(options, sdktrace.WithSampler(&sampler{}))
	}
	provider := sdktrace.NewTracerProvider(options...)
	return &Tracer{provider: provider, spans: provider.Tracer(scope, trace.WithInstrumentationVersion(version))}, nil
}

// Stop sends what is not sent yet, until ctx ends. Spans that begin later are lost.
func (t *Tracer) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("tracing: send the last spans: %w", err)
	}
	return nil
}

// sayAgainAfter is how long errors of a collector are not logged after one that was.
const sayAgainAfter = time.Minute

// failures logs the errors of OpenTelemetry, which come with every batch while the collector is away.
type failures struct{ said atomic.Int64 }

// Handle implements otel.ErrorHandler.
func (f *failures) Handle(err error) {
	now, last := time.Now().UnixNano(), f.said.Load()
	if now-last >= int64(sayAgainAfter) && f.said.CompareAndSwap(last, now) {
		slog.Warn("traces are lost", "err", err)
	}
}
