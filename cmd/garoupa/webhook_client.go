package main

import (
	"context"
	"log/slog"
	"time"

	"garoupa/internal/guard"
	"garoupa/webhook"
)

// newWebhooks returns the client of the endpoints. Unless private addresses are allowed, it
// refuses those to which the installation's own hosts lead; they are followed until ctx ends. If
// one cannot be looked up, the rest of the installation works.
func newWebhooks(ctx context.Context, s settings) (*webhook.Client, error) {
	o := webhook.Options{AllowPrivate: s.allowPrivate(), Forbidden: s.forbidden}
	if o.AllowPrivate {
		return webhook.NewClient(o), nil
	}
	own, err := webhook.NewOwnHosts(s.BaseURL, s.CheckoutURL, s.AppURL)
	if err != nil {
		return nil, err
	}
	report := func(err error) { slog.WarnContext(ctx, "looking up the own addresses failed", "error", err) }
	if err := own.Refresh(ctx, time.Now()); err != nil {
		report(err)
	}
	guard.Go("look up own addresses", func() {
		guard.Keep(ctx, "look up own addresses", func(ctx context.Context) { own.Keep(ctx, report) })
	})
	o.Own = own.Addrs
	return webhook.NewClient(o), nil
}
