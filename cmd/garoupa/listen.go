package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"garoupa/internal/guard"
	"garoupa/merchants"
	"garoupa/webhook"
)

// queued is how many events may wait for a slow receiver before reading stops.
const queued = 1000

// listen forwards a project's test events to an address of the developer, each signed and
// with the headers of a real delivery.
func listen(ctx context.Context, in invocation) error {
	target := in.flags.String("forward-to", "", "`URL` to post events to, such as http://localhost:3000/hook")
	secret := in.flags.String("secret", "", "signing `secret`, whsec_…; else GAROUPA_WEBHOOK_SECRET, else a new one")
	fresh := in.flags.Bool("new", false, "skip the events since the previous run")
	r := in.remoteFlags()
	if _, err := in.parse(); err != nil {
		return err
	}
	if *target == "" {
		fmt.Fprintln(in.flags.Output(), "listen needs --forward-to")
		in.flags.PrintDefaults()
		return errUsage
	}
	if err := webhook.CheckURL(*target, false, true); err != nil {
		return fmt.Errorf("listen: --forward-to: %w", err)
	}
	if err := r.check(in.settings); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if *secret == "" {
		*secret = in.settings.WebhookSecret
	}
	if *secret == "" {
		*secret = merchants.NewEndpointSecret()
	}
	fmt.Fprintf(in.out, "Forwarding test events of %s to %s\nSigning secret: %s\nCtrl-C stops.\n\n", r.server, *target,
		*secret)
	f := &forwarder{out: in.out, client: webhook.NewClient(webhook.Options{AllowPrivate: true}), target: *target,
		secret: *secret}
	f.open(r, *fresh)
	if err := f.run(ctx, r); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

// forwarder posts events to one address, one after the other.
type forwarder struct {
	out            io.Writer
	client         *webhook.Client
	target, secret string
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
		if ctx.Err() != nil || e.body != nil && !f.forward(ctx, e) || f.place == nil {
			continue
		}
		if err := f.place.keep(e.id); err != nil {
			f.forget(err)
		}
	}
	return <-ended
}

// forward makes one attempt for an event, and prints the result. It returns false if the
// end of ctx cut the attempt off.
func (f *forwarder) forward(ctx context.Context, e testEvent) bool {
	outcome := f.client.Post(ctx, webhook.Attempt{URL: f.target, Secret: f.secret, EventID: e.id, Number: 1,
		At: time.Now(), Body: e.body})
	if !outcome.OK && errors.Is(ctx.Err(), context.Canceled) {
		return false
	}
	status := strconv.Itoa(outcome.StatusCode)
	if outcome.StatusCode == 0 {
		status = outcome.Detail
	}
	f.note(fmt.Sprintf("%-18s %s  %s  %d ms", e.kind, e.id, status, outcome.Duration.Milliseconds()))
	return true
}

// note prints a line with the time. Each line is one write, so lines of the two goroutines
// do not mix.
func (f *forwarder) note(text string) {
	fmt.Fprintf(f.out, "%s  %s\n", time.Now().Format(time.TimeOnly), text)
}
