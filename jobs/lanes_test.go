package jobs_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/payments"
)

// A hundred endpoints that hang, each with more waiting than its lane takes, delay
// a healthy one by less than a second, and hold no more than a process may have
// under way.
func TestLanes_Hanging(t *testing.T) {
	t.Parallel()
	const (
		endpoints = 100
		backlog   = 30 // of each
	)
	g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
	var underWay, most atomic.Int64
	release := make(chan struct{})
	defer close(release)
	hanging := newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not see that the client gave up
		now := underWay.Add(1)
		defer underWay.Add(-1)
		for high := most.Load(); now > high && !most.CompareAndSwap(high, now); high = most.Load() {
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	for i := range endpoints {
		g.Endpoint(t, fmt.Sprintf("%s/%d", hanging, i))
	}
	for range backlog {
		g.checkout(t, payments.NewCheckout{})
	}
	healthy := newReceiver(t, answers(200))
	g.Endpoint(t, healthy.url)
	g.start(t)
	eventually(t, "all lanes full", func() bool { return underWay.Load() > 900 })
	var delays []time.Duration
	for range 30 { // for longer than an attempt may take
		committed := g.checkout(t, payments.NewCheckout{}).CreatedAt
		delays = append(delays, healthy.next(t).at.Sub(committed))
		time.Sleep(200 * time.Millisecond) // the pace of a shop, not a wait for work
	}
	// The two slowest may have met other tests' work on the same processors.
	if slices.Sort(delays); delays[27] > time.Second || delays[29] > 4*time.Second {
		t.Errorf("the slowest were %v late", delays[25:])
	}
	if n := most.Load(); n > 1100 { // those of which the server has not yet seen the end are counted, too
		t.Errorf("%d hung at once", n)
	}
}
