package tracing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/tracing"
	"garoupa/internal/tracing/tracingtest"
)

const (
	trace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent = "00f067aa0ba902b7"
)

// named returns the span with a name.
func named(t *testing.T, spans []tracingtest.Span, name string) tracingtest.Span {
	t.Helper()
	for _, span := range spans {
		if span.Name == name {
			return span
		}
	}
	t.Fatalf("%s is not among %v", name, spans)
	return tracingtest.Span{}
}

// traceOf returns the trace of a context's span.
func traceOf(ctx context.Context) string { return strings.Split(tracing.Parent(ctx), "-")[1] }

func TestServe(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	ctx, request := tracer.Serve(t.Context(), "POST", "00-"+trace+"-"+parent+"-01")
	if tracing.ID(ctx) != trace {
		t.Error(tracing.ID(ctx))
	}
	below, part := tracing.Call(ctx, "part")
	query := tracing.Query(below, "SELECT id FROM checkouts WHERE id = $1")
	query.Fail("57014")
	query.End()
	part.End()
	calling, call := tracing.Call(ctx, "call")
	header := tracing.Parent(calling)
	call.End()
	request.Rename("POST /x")
	request.Text("http.route", "/x")
	request.Number("http.response.status_code", 201)
	request.End()
	if _, late := tracing.Call(ctx, "late"); late != nil {
		t.Error("a span began below one that has ended")
	}
	spans := sent(trace)
	root := named(t, spans, "POST /x")
	if root.Parent != parent || root.Texts["http.route"] != "/x" || root.Numbers["http.response.status_code"] != 201 ||
		root.Service != "garoupa" || root.Failed {
		t.Errorf("%+v", root)
	}
	if p := named(t, spans, "part"); p.Parent != root.ID {
		t.Errorf("%+v", p)
	}
	if q := named(t, spans, "SELECT checkouts"); q.Parent != named(t, spans, "part").ID || !q.Failed ||
		q.Texts["error.type"] != "57014" || q.Texts["db.query.text"] != "SELECT id FROM checkouts WHERE id = $1" {
		t.Errorf("%+v", q)
	}
	if c := named(t, spans, "call"); header != "00-"+trace+"-"+c.ID+"-01" {
		t.Errorf("%s for %+v", header, c)
	}
}

// A client that does not record its trace gets no spans, and those behind learn of it.
func TestServe_NotRecorded(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	const trace = "5bf92f3577b34da6a3ce929d0e0e4736"
	ctx, request := tracer.Serve(t.Context(), "GET", "00-"+trace+"-"+parent+"-00")
	calling, call := tracing.Call(ctx, "call")
	if header := tracing.Parent(calling); !strings.HasPrefix(header, "00-"+trace+"-") ||
		!strings.HasSuffix(header, "-00") || call != nil || tracing.ID(ctx) != "" {
		t.Errorf("%s %v", header, call)
	}
	request.End()
	if spans := sent(trace); len(spans) > 0 {
		t.Error(spans)
	}
}

// In a second a process records a limited number of requests, even if their clients ask for more, and for each of these
// requests everything below it.
func TestServe_Busy(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	const trace = "6bf92f3577b34da6a3ce929d0e0e4736"
	began := time.Now().Unix()
	for range 5 * tracing.TracesASecond {
		ctx, span := tracer.Serve(t.Context(), "GET", "00-"+trace+"-"+parent+"-01")
		_, call := tracing.Call(ctx, "call")
		if (span == nil) != (call == nil) || !strings.HasPrefix(tracing.Parent(ctx), "00-"+trace) {
			t.Fatal("half of a request is recorded")
		}
		call.End()
		span.End()
	}
	seconds := time.Now().Unix() - began + 1
	if spans := len(sent(trace)); spans < 2*tracing.TracesASecond ||
		spans > 2*tracing.TracesASecond*int(seconds) && seconds < 5 {
		t.Errorf("%d spans in %d seconds", spans, seconds)
	}
}

// What is no traceparent begins a trace of its own.
func TestServe_BadParent(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	for _, header := range []string{"", "x", "00-" + strings.Repeat("0", 32) + "-" + parent + "-01",
		"00-" + trace + "-" + parent + "-01\r\nx: y"} {
		ctx, span := tracer.Serve(t.Context(), "GET", header)
		if id := tracing.ID(ctx); id == "" || id == trace {
			t.Errorf("%q: %s", header, id)
		}
		span.End()
	}
	sent("")
}

// Work on what was made elsewhere is linked to its origin.
func TestWorkOn(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	origin, request := tracer.Serve(t.Context(), "POST", "")
	tracing.Remember(origin, "evt_1")
	for n := range 4095 { // the oldest that is kept
		tracing.Remember(origin, "other"+string(rune(n)))
	}
	work, span := tracer.WorkOn(t.Context(), "deliver", "evt_1")
	span.End()
	tracing.Remember(origin, "one more")
	forgotten, late := tracer.WorkOn(t.Context(), "deliver", "evt_1")
	late.End()
	request.End()
	spans := sent("")
	of := func(ctx context.Context) tracingtest.Span {
		return spans[slices.IndexFunc(spans, func(s tracingtest.Span) bool { return s.Trace == traceOf(ctx) })]
	}
	if diff := cmp.Diff([]string{of(origin).ID}, of(work).Links); diff != "" || of(work).Parent != "" {
		t.Error(diff)
	}
	if links := of(forgotten).Links; len(links) > 0 {
		t.Error(links)
	}
}

// A commit that several requests share is part of the first one's trace, and linked to the others.
func TestJoin(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	first, one := tracer.Work(t.Context(), "one")
	second, two := tracer.Work(t.Context(), "two")
	ctx, joined := tracing.Join(t.Context(), "commit", slices.Values([]context.Context{t.Context(), first, second}))
	tracing.Query(ctx, "INSERT INTO checkouts VALUES ($1)").End()
	joined.End()
	one.End()
	two.End()
	spans := sent(traceOf(first))
	commit, other := named(t, spans, "commit"), named(t, sent(traceOf(second)), "two")
	if commit.Parent != named(t, spans, "one").ID || !slices.Equal(commit.Links, []string{other.ID}) ||
		!slices.Equal(other.Links, []string{commit.ID}) || named(t, spans, "INSERT checkouts").Parent != commit.ID {
		t.Errorf("%+v %+v", commit, other)
	}
	if same, none := tracing.Join(t.Context(), "commit", slices.Values([]context.Context{t.Context()})); none != nil ||
		same != t.Context() {
		t.Error("a span without a trace")
	}
}

// Sweeps that found nothing send nothing.
func TestSweep(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	failed := errors.New("failed")
	var traces []string
	for _, do := range []func(context.Context, *tracing.Span) error{
		func(ctx context.Context, query *tracing.Span) error {
			query.Rows(0)
			read := tracing.Query(ctx, "SELECT 1 FROM checkouts")
			read.Rows(1)
			read.End()
			return nil
		},
		func(_ context.Context, query *tracing.Span) error { query.Rows(1); return nil },
		func(ctx context.Context, _ *tracing.Span) error {
			_, call := tracing.Call(ctx, "call")
			call.End()
			return nil
		},
		func(context.Context, *tracing.Span) error { return failed },
	} {
		err := tracer.Sweep(t.Context(), "sweep", func(ctx context.Context) error {
			traces = append(traces, traceOf(ctx))
			query := tracing.Query(ctx, "UPDATE checkouts SET status = $1")
			defer query.End()
			return do(ctx, query)
		})
		if err != nil && err != failed {
			t.Error(err)
		}
	}
	for i, trace := range traces {
		spans := sent(trace)
		if want := []int{0, 2, 3, 2}[i]; len(spans) != want {
			t.Errorf("%d: %v", i, spans)
		}
	}
	if !named(t, sent(traces[3]), "sweep").Failed {
		t.Error("the failure is not told")
	}
}

// Without a tracer nothing is recorded, and nothing breaks.
func TestOff(t *testing.T) {
	t.Parallel()
	var tracer *tracing.Tracer
	ctx := t.Context()
	for _, begin := range []func() (context.Context, *tracing.Span){
		func() (context.Context, *tracing.Span) { return tracer.Serve(ctx, "GET", "00-"+trace+"-"+parent+"-01") },
		func() (context.Context, *tracing.Span) { return tracer.Work(ctx, "x") },
		func() (context.Context, *tracing.Span) { return tracer.WorkOn(ctx, "x", "y") },
		func() (context.Context, *tracing.Span) { return tracing.Call(ctx, "x") },
		func() (context.Context, *tracing.Span) {
			return tracing.Carry(ctx, ctx), tracing.Query(ctx, "SELECT 1")
		},
	} {
		same, span := begin()
		if same != ctx || span != nil || tracing.Parent(same) != "" || tracing.ID(same) != "" {
			t.Error("something is recorded")
		}
		span.Rename("x")
		span.Text("x", "y")
		span.Number("x", 1)
		span.Fail("x")
		span.Rows(1)
		span.End()
	}
	tracing.Remember(ctx, "x")
	if err := tracer.Sweep(ctx, "x", func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := tracer.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	const endpoint, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, test := range []struct {
		set  map[string]string
		off  bool
		says string
	}{
		{map[string]string{}, true, ""},
		{map[string]string{"OTEL_SERVICE_NAME": "x"}, true, ""},
		{map[string]string{endpoint: "http://c:4318"}, false, ""},
		{map[string]string{traces: "http://c:4318/v1/traces"}, false, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_SDK_DISABLED": "True"}, true, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, true, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "otlp"}, false, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "zipkin"}, false, "OTEL_TRACES_EXPORTER"},
		{map[string]string{endpoint: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false,
			"OTEL_EXPORTER_OTLP_PROTOCOL"},
		{map[string]string{endpoint: "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, false, ""},
	} {
		variable := func(name string) string { return test.set[name] }
		if off := tracing.Disabled(variable); off != test.off {
			t.Errorf("%v: off %t", test.set, off)
		}
		if err := tracing.CheckVariables(variable); (err == nil) != (test.says == "") ||
			err != nil && !strings.HasPrefix(err.Error(), "settings: "+test.says+": ") {
			t.Errorf("%v: %v", test.set, err)
		}
	}
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"SELECT id FROM checkouts WHERE id = $1":                              "SELECT checkouts",
		"\n\tselect x.* from \"events\" x":                                    "SELECT events",
		"SELECT EXISTS (SELECT FROM webhook_endpoints)":                       "SELECT webhook_endpoints",
		"INSERT INTO a.b (x) VALUES ($1) RETURNING (SELECT 1 FROM c)":         "INSERT a.b",
		"UPDATE checkouts SET status = $1":                                    "UPDATE checkouts",
		"UPDATE ONLY checkouts SET status = $1":                               "UPDATE checkouts",
		"DELETE FROM sessions WHERE id IN (SELECT id FROM x)":                 "DELETE sessions",
		"WITH given AS (SELECT t.* FROM unnest($1::text[]) t) INSERT INTO x":  "INSERT x",
		"WITH a AS (SELECT FROM b FOR UPDATE), c AS (DELETE FROM d) SELECT 1": "DELETE d",
		"WITH a AS (SELECT 1 FROM b FOR NO KEY UPDATE) SELECT 1 FROM a":       "SELECT b",
		"INSERT INTO a SELECT 1 ON CONFLICT DO UPDATE SET b = 1":              "INSERT a",
		"WITH due AS (UPDATE bank_charges b SET x = 1 RETURNING 1) SELECT 1":  "UPDATE bank_charges",
		"BEGIN": "BEGIN", "commit": "COMMIT", "SELECT 1": "SELECT", "": "SQL", "SET LOCAL x = 1": "SET",
		"SELECT pg_notify($1, $2)": "SELECT",
	} {
		if got := tracing.Summarize(statement); got != want {
			t.Errorf("%q: %q, want %q", statement, got, want)
		}
	}
}
