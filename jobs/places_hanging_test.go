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

// Fifteen endpoints hang, each with as many deliveries as may be in progress. They do not delay a
// healthy endpoint of the same project: its deliveries arrive one after the other while all earlier
// attempts still hang. They wait only for a look at the queue, which comes at once or within a
// quarter of a second, on a machine of any speed. The number of hanging attempts stays within what
// an account may have.
func TestPlaces_Hanging(t *testing.T) {
	t.Parallel()
	const (
		endpoints = 15  // with the healthy one: as many as a project may have
		backlog   = 100 // for each endpoint; as many as may be in progress at once
		shared    = 500 // of one account
		arrivals  = 20
	)
	g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
	var underWay, most, ended atomic.Int64
	release := make(chan struct{})
	defer close(release)
	hanging := newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // without this the server does not notice that the client gave up
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
	g.startWith(t, func(o *jobs.Options) { // an attempt hangs for as long as a job may run
		o.Webhooks = webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: time.Hour})
	})
	for try := 1; ; try++ { // repeated only if the arrivals took as long as an attempt may hang
		eventually(t, "the places are full", func() bool { return underWay.Load() >= shared*9/10 })
		before := ended.Load()
		for range arrivals {
			g.checkout(t, payments.NewCheckout{})
			healthy.next(t)
		}
		if ended.Load() == before {
			break
		}
		if try == 4 {
			t.Fatal("deliveries arrive only when other attempts give up")
		}
	}
	if n := most.Load(); n > 2*shared { // includes attempts whose end the server has not noticed yet
		t.Errorf("%d attempts hung at once", n)
	}
}
