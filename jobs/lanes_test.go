package jobs_test

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/jobs"
	"garoupa/payments"
	"garoupa/webhook"
)

// A hundred endpoints that hang, each with more waiting than its lane takes, delay a
// healthy one by nothing: its deliveries arrive one after the other while every one
// that hung before still hangs. So it waits for its own look at the queue alone,
// which comes at once or within a quarter of a second, on a machine of any speed.
// Those that hang are no more than the lanes may share.
func TestLanes_Hanging(t *testing.T) {
	t.Parallel()
	const (
		endpoints = 100
		backlog   = 30 // of each
		shared    = 1000
		arrivals  = 20
	)
	g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
	var underWay, most, ended atomic.Int64
	release := make(chan struct{})
	defer close(release)
	hanging := newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not see that the client gave up
		now := underWay.Add(1)
		for high := most.Load(); now > high && !most.CompareAndSwap(high, now); high = most.Load() {
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		underWay.Add(-1)
		ended.Add(1)
	})
	for i := range endpoints {
		g.Endpoint(t, fmt.Sprintf("%s/%d", hanging, i))
	}
	for range backlog {
		g.checkout(t, payments.NewCheckout{})
	}
	healthy := newReceiver(t, answers(200))
	g.Endpoint(t, healthy.url)
	g.startWith(t, func(o *jobs.Options) { // so that an attempt hangs for as long as a job may
		o.Webhooks = webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: time.Hour})
	})
	for try := 1; ; try++ { // again only where so many arrivals take as long as an attempt may hang
		eventually(t, "the lanes are full", func() bool { return underWay.Load() >= shared*9/10 })
		before := ended.Load()
		for range arrivals {
			g.checkout(t, payments.NewCheckout{})
			healthy.next(t)
		}
		if ended.Load() == before {
			break
		}
		if try == 4 {
			t.Fatal("it takes others' giving up for anything to arrive")
		}
	}
	if n := most.Load(); n > shared+shared/10 { // those of which the server has not yet seen the end are counted, too
		t.Errorf("%d hung at once", n)
	}
}
