package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"garoupa/api"
	"garoupa/internal/guard"
	"garoupa/internal/metrics"
	"garoupa/migrations"
)

// monitorTimeout bounds how long a monitor may take to send its request.
const monitorTimeout = 10 * time.Second

// monitorListener is the address at which monitors read the metrics. It is nil if there is none; then nothing is
// counted.
type monitorListener struct {
	listener net.Listener
	metrics  *metrics.Metrics
	server   *http.Server
}

// checkMetricsListen accepts an address of its own: metrics are not for those who may reach the pages.
func (s *settings) checkMetricsListen() error {
	switch s.MetricsListen {
	case "":
		return nil
	case s.Listen, s.BankListen:
		return errors.New("must be an address of its own")
	}
	return checkListen(s.MetricsListen)
}

// listenForMonitors begins to listen. The error names the setting.
func listenForMonitors(s settings) (*monitorListener, error) {
	if s.MetricsListen == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", s.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("GAROUPA_METRICS_LISTEN: %w", err)
	}
	return &monitorListener{listener: listener, metrics: metrics.New()}, nil
}

// counts returns what the program counts with, nil for nothing.
func (l *monitorListener) counts() *metrics.Metrics {
	if l == nil {
		return nil
	}
	return l.metrics
}

// serve answers monitors until close. failed gets the error of a server that ends by itself.
func (l *monitorListener) serve(db *database, services *services, g *gateway, failed chan<- error) {
	if l == nil {
		return
	}
	l.metrics.Watch(metrics.Options{
		Version: api.Version, Schema: migrations.Newest(), DB: db.DB, Clock: services.clock,
		Listening: g.hub.Listening, Streams: g.hub.Open, Leases: g.runner.Leases, Batches: services.payments.Batches,
	})
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", l.metrics.Handler())
	l.server = &http.Server{Handler: paths, ReadTimeout: monitorTimeout}
	guard.Go("answer monitors", func() {
		err := guard.Call("answer monitors", func() error { return l.server.Serve(l.listener) })
		if !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("answer monitors: %w", err)
		}
	})
}

// close ends the address at once: a monitor asks again.
func (l *monitorListener) close() error {
	if l == nil {
		return nil
	}
	if l.server != nil {
		return l.server.Close()
	}
	return l.listener.Close()
}
