package main

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"garoupa/internal/tracing/tracingtest"
)

const (
	clientTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan   = "00f067aa0ba902b7"
	clientParent = "00-" + clientTrace + "-" + clientSpan + "-01"
)

// buyersCharge is a charge of which nothing but its id may be in a trace.
const buyersCharge = `{"amount": 7351900, "description": "Samambaia azul", "externalId": "pedido-81723",
	"customer": {"name": "Maria Quitéria", "email": "quiteria@exemplo.com.br", "document": "52998224725",
	"phone": "+5511987654321"}, "metadata": {"vaso": "terracota"}}`

// secretsOfCharge are parts of it.
var secretsOfCharge = []string{"7351900", "73519", "Samambaia", "81723", "Quit", "52998224725", "987654321",
	"terracota", "exemplo.com"}

// tracedAttributes are all attributes that spans have.
var tracedAttributes = []string{"http.request.method", "http.route", "http.response.status_code", "error.type",
	"db.system.name", "db.query.text", "garoupa.request_id", "garoupa.event_id", "garoupa.delivery_id",
	"garoupa.attempt"}

// traced posts buyersCharge as part of the client's trace, and returns the id of the charge.
func (s *shop) traced() string {
	s.t.Helper()
	status, id := s.createFrom(buyersCharge, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+s.key)
		r.Header.Set("traceparent", clientParent)
		r.Header.Set("tracestate", "vendor=secret")
		r.Header.Set("Request-Id", "req_of_the_client")
	})
	if id == "" {
		s.t.Fatal("no charge was made: ", status)
	}
	return id
}

// A request is part of its client's trace, with its statements below it, and deliveries are linked to what they tell
// of. Nothing that leaves the program says whom a charge is about, or how much.
func TestServe_Traces(t *testing.T) {
	t.Parallel()
	collector := tracingtest.NewCollector(t)
	var mu sync.Mutex
	parents := map[string]bool{}
	s := newShop(t, 1, func(_ http.ResponseWriter, r *http.Request, _ parcel, _ int) {
		mu.Lock()
		defer mu.Unlock()
		parents[r.Header.Get("traceparent")] = true
		if r.Header.Get("tracestate")+r.Header.Get("baggage") != "" {
			t.Error("the state of the client's trace came to an endpoint")
		}
	}, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_SERVICE_NAME=pix")
	serving := s.serve()
	id := s.traced()
	s.settled()
	for _, path := range []string{"/v1/checkouts/" + id, "/pay/" + id + "?secret=1", "/livez"} {
		r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(path, answer.StatusCode, err)
		}
		answer.Body.Close()
	}
	s.stop(serving, os.Interrupt)

	spans := traces{t, collector.Spans()}
	request := spans.named("POST /v1/checkouts")
	if request.Trace != clientTrace || request.Parent != clientSpan || request.Kind != otlp.Span_SPAN_KIND_SERVER ||
		request.Service != "pix" || request.Texts["garoupa.request_id"] != "req_of_the_client" ||
		request.Numbers["http.response.status_code"] != http.StatusCreated {
		t.Errorf("%+v", request)
	}
	commit := spans.below(request, "batch")
	statement := spans.below(commit, "INSERT idempotency_keys")
	if statement.Kind != otlp.Span_SPAN_KIND_CLIENT || !strings.Contains(statement.Texts["db.query.text"], "$1") {
		t.Errorf("%+v", statement)
	}
	delivery := spans.named("deliver a webhook")
	if !slices.Equal(delivery.Links, []string{request.ID}) {
		t.Errorf("the delivery is not linked to the request %s: %+v", request.ID, delivery)
	}
	post := spans.below(delivery, "POST")
	mu.Lock()
	defer mu.Unlock()
	if !parents["00-"+post.Trace+"-"+post.ID+"-01"] || len(parents) != 1 {
		t.Errorf("the endpoint got %v, not of %+v", parents, post)
	}
	spans.below(delivery, "batch")
	spans.named("GET /v1/checkouts/:id")
	spans.named("GET /pay/:id")
	spans.sayNothing(append(secretsOfCharge, s.key, s.liveKey, id, "127.0.0.1", "livez"), collector.Raw())
}

// traces are the spans that a program sent.
type traces struct {
	t     *testing.T
	spans []tracingtest.Span
}

func (s traces) named(name string) tracingtest.Span {
	s.t.Helper()
	return s.find(name, func(tracingtest.Span) bool { return true })
}

// below returns the child of a span with a name.
func (s traces) below(parent tracingtest.Span, name string) tracingtest.Span {
	s.t.Helper()
	return s.find(name, func(span tracingtest.Span) bool {
		return span.Trace == parent.Trace && span.Parent == parent.ID
	})
}

func (s traces) find(name string, fits func(tracingtest.Span) bool) tracingtest.Span {
	s.t.Helper()
	for _, span := range s.spans {
		if span.Name == name && fits(span) {
			return span
		}
	}
	s.t.Errorf("no span %q fits", name)
	for _, span := range s.spans {
		s.t.Logf("%s %s below %s: %s", span.Trace, span.ID, span.Parent, span.Name)
	}
	s.t.FailNow()
	return tracingtest.Span{}
}

// sayNothing checks that spans have no other attributes than those that are known, and that none of the secrets was
// sent.
func (s traces) sayNothing(secrets []string, raw string) {
	s.t.Helper()
	failed := map[string]bool{} // by trace; a sweep fails if the program stops meanwhile
	for _, span := range s.spans {
		failed[span.Trace] = failed[span.Trace] || span.Texts["error.type"] != ""
	}
	for _, span := range s.spans {
		for name := range span.Texts {
			if !slices.Contains(tracedAttributes, name) {
				s.t.Errorf("%s has the attribute %s", span.Name, name)
			}
		}
		if span.Parent == "" && span.Kind == otlp.Span_SPAN_KIND_INTERNAL && !failed[span.Trace] &&
			strings.Contains(span.Name, "checkouts") {
			s.t.Errorf("a sweep that found nothing was sent: %s", span.Name)
		}
	}
	for _, secret := range secrets {
		if strings.Contains(raw, secret) {
			s.t.Errorf("the traces contain %s", secret)
		}
	}
}

// Without a collector, or with OpenTelemetry turned off, nothing is recorded and no endpoint hears of a trace.
func TestServe_NoTraces(t *testing.T) {
	t.Parallel()
	collector := tracingtest.NewCollector(t)
	for _, settings := range [][]string{
		nil,
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_SDK_DISABLED=true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_TRACES_EXPORTER=none"},
	} {
		t.Run(strings.Join(settings, " "), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, 1, func(_ http.ResponseWriter, r *http.Request, _ parcel, _ int) {
				if parent := r.Header.Get("traceparent"); parent != "" {
					t.Error(parent)
				}
			}, settings...)
			serving := s.serve()
			s.traced()
			s.settled()
			s.stop(serving, os.Interrupt)
			if spans := collector.Spans(); len(spans) > 0 {
				t.Error(spans)
			}
		})
	}
}

// A collector that takes connections and never answers delays neither requests nor the end of the process.
func TestServe_CollectorHangs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s := newShop(t, 1, func(http.ResponseWriter, *http.Request, parcel, int) {},
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://"+listener.Addr().String(), "OTEL_BSP_SCHEDULE_DELAY=10",
		"OTEL_EXPORTER_OTLP_TIMEOUT=3600000", "OTEL_BSP_EXPORT_TIMEOUT=3600000", "GAROUPA_LOG_LEVEL=warn")
	serving := s.serve()
	s.traced()
	s.settled()
	s.stop(serving, os.Interrupt)
	if log := serving.log.String(); !strings.Contains(log, "the last traces are lost") {
		t.Error(log)
	}
}

// What the program cannot do stops the start.
func TestServe_TracesByGRPC(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
	if r := p.try("serve"); r.status != 1 || !strings.Contains(r.wrong, "settings: OTEL_EXPORTER_OTLP_PROTOCOL: ") {
		t.Errorf("%+v", r)
	}
}
