package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"garoupa/internal/guard"
	"garoupa/webhook"
)

// queued is how many events may wait for a slow receiver before reading stops.
const queued = 1000

// forwardAgain are the waits before each further attempt for an event. They are short: a
// developer's program is restarted, and the events behind this one wait.
var forwardAgain = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// forwarder posts events to one address, one after the other, each up to five times.
type forwarder struct {
	printer
	client         *webhook.Client
	target, secret string
	types          []string // of the events to forward; none: all
	headers        http.Header
	place          *place // nil: the position is not kept
}

// open reads the position at which the previous run ended, unless fresh is set.
func (f *forwarder) open(r *remote, fresh bool) {
	p, err := openPlace(r, f.target)
	if err != nil {
		f.forget(err)
		return
	}
	if fresh {
		p.ids = nil
	}
	if f.place = p; len(p.ids) > 0 {
		f.note("continuing after the last event of the previous run; --new skips those events")
	}
}

// forget drops the place and reports why the next run cannot continue after this one.
func (f *forwarder) forget(why error) {
	f.place = nil
	f.note(fmt.Sprintf("the next run will not continue after this one: %s", why))
}

// run forwards events until ctx ends or the gateway refuses permanently.
func (f *forwarder) run(ctx context.Context, r *remote) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	connected := false
	source := &eventSource{
		remote: r,
		connected: func() {
			if !connected {
				connected = true
				f.note("connected")
			}
		},
		lost: func(err error, wait time.Duration) {
			connected = false
			f.note(fmt.Sprintf("not connected: %s; trying again in %s", err, wait.Round(10*time.Millisecond)))
		},
	}
	if f.place != nil {
		source.after = f.place.ids
	}
	events, ended := make(chan testEvent, queued), make(chan error, 1)
	guard.Go("follow events", func() {
		defer close(events)
		ended <- guard.Call("follow events", func() error {
			return source.follow(ctx, func(e testEvent) {
				select {
				case events <- e:
				case <-ctx.Done():
				}
			})
		})
	})
	for e := range events {
		if ctx.Err() != nil || f.wants(e) && !f.forward(ctx, e) || f.place == nil {
			continue
		}
		if err := f.place.keep(e.id); err != nil {
			f.forget(err)
		}
	}
	return <-ended
}

// wants reports whether e is an event to forward. If not, it moves the place only.
func (f *forwarder) wants(e testEvent) bool {
	return e.body != nil && (len(f.types) == 0 || slices.Contains(f.types, e.kind))
}

// forward makes attempts for an event until one succeeds, and prints each. It returns false if the
// end of ctx came first.
func (f *forwarder) forward(ctx context.Context, e testEvent) bool {
	for number := 1; ; number++ {
		outcome := f.client.Post(ctx, webhook.Attempt{URL: f.target, Secret: f.secret, EventID: e.id, Number: number,
			At: time.Now(), Body: e.body, Headers: f.headers})
		if !outcome.OK && errors.Is(ctx.Err(), context.Canceled) {
			return false
		}
		again := time.Duration(0)
		if !outcome.OK && number <= len(forwardAgain) {
			again = forwardAgain[number-1]
		}
		if f.attempted(e, number, outcome, again); again == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(again):
		}
	}
}
