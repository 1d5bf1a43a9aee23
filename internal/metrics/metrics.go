// Package metrics tells a monitor how one process and its installation are doing, in the format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats). docs/operations.md lists what it serves.
//
// What a process does is counted in memory. What is true of the whole installation, such as the age of the
// oldest due delivery, is read from the database when a monitor asks, and every process tells the same.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"garoupa/models"
)

const (
	// scrapesAtOnce bounds the monitors that are answered at the same time.
	scrapesAtOnce = 4
	// scrapeWithin bounds an answer, which waits for the database.
	scrapeWithin = 10 * time.Second
)

// Options are what the metrics are about. All are required.
type Options struct {
	Version string // of the program
	Schema  int64  // the newest migration that the program knows
	DB      *models.DB
	Clock   *models.Clock
	// Listening reports whether the process hears of changes in the database.
	Listening func() bool
	Streams   func() int                          // the number of open event streams
	Leases    func() int                          // the number of deliveries that the process has
	Batches   func() map[string]models.BatchState // by the name of what is written
}

// Metrics counts what a process does. All methods are safe for concurrent use, and do nothing on nil, which
// counts nothing.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	latencies *prometheus.HistogramVec
	attempts  *prometheus.CounterVec
	calls     *prometheus.CounterVec
	waits     *prometheus.HistogramVec
}

// New returns metrics that count from now on. Nothing is known of the process until Watch is called.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "garoupa_http_requests_total",
			Help: "Requests answered, by method, route and status."}, []string{"method", "route", "status"}),
		latencies: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "garoupa_http_request_duration_seconds",
			Help:    "Time until a request was answered, without event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}},
			[]string{"method", "route"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "garoupa_webhook_attempts_total",
			Help: "Attempts of webhook deliveries, by how they ended."}, []string{"outcome"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "garoupa_bank_calls_total",
			Help: "Calls of banks, by operation and how they ended."}, []string{"operation", "outcome"}),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "garoupa_bank_call_duration_seconds",
			Help: "Time that banks took to answer calls.", Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30}},
			[]string{"operation"}),
	}
	m.registry.MustRegister(m.requests, m.latencies, m.attempts, m.calls, m.waits,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Watch adds the state of the process and of its installation. It may be called once.
func (m *Metrics) Watch(o Options) {
	m.registry.MustRegister(&process{o}, &installation{Options: o})
}

// Request counts a request that was answered. The route is the pattern, so that its values are few.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.latencies.WithLabelValues(method, route).Observe(took.Seconds())
}

// Attempt counts an attempt of a delivery. class is that of its error, "" for success.
func (m *Metrics) Attempt(class string) {
	if m == nil {
		return
	}
	if class == "" {
		class = "ok"
	}
	m.attempts.WithLabelValues(class).Inc()
}

// BankCall counts a call of a bank.
func (m *Metrics) BankCall(operation, outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.calls.WithLabelValues(operation, outcome).Inc()
	m.waits.WithLabelValues(operation).Observe(took.Seconds())
}

// Handler answers monitors at any path.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeWithin,
	})
}
