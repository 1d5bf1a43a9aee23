package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/guard"
	"garoupa/internal/metrics"
	"garoupa/internal/ratelimit"
	"garoupa/internal/requestlog"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/internal/tracing"
	"garoupa/jobs"
	"garoupa/migrations"
	"garoupa/models"
	"garoupa/web"
)

// A stop takes at most 18 seconds, 5 of them to drain, even when the database hangs:
// service managers kill a process that takes much longer.
const (
	// finishWithin is the time for requests in progress after the listener is closed. Later
	// they are answered with a request to try again.
	finishWithin = 7 * time.Second
	// stopWithin bounds the end of requests and jobs together.
	stopWithin = 9 * time.Second
	// closeWithin bounds closing the connections.
	closeWithin = 2 * time.Second
	// sendWithin bounds sending the last spans to a collector, which may be away.
	sendWithin = 2 * time.Second
)

// gcPercent lets garbage grow to a multiple of the memory in use, which is only a few
// megabytes: with Go's default the collector would take a sixth of the processor time of a
// busy server. GOGC in the environment overrides it.
const gcPercent = 400

// serve runs the gateway until the process gets a signal to stop.
func serve(ctx context.Context, in invocation) error {
	probe := in.flags.Bool("probe", false,
		"ask a running server whether it is ready, and exit; for health checks of containers")
	seed := in.flags.Bool("demo-merchant", false,
		"add a demo merchant if the database is empty, as the embedded mode always does")
	history := in.flags.Bool("demo-history", true, historyFlag+" when it is added")
	chosen := roleFlags(in.flags)
	if _, err := in.parse(); err != nil {
		return err
	}
	s := in.settings
	as, err := chosen(s)
	if err != nil {
		return err
	}
	if *probe {
		return probeReady(ctx, s)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	tracer, err := tracing.Start(ctx, api.Version)
	if err != nil {
		return err
	}
	defer sendTraces(tracer)
	db, err := openMigrated(ctx, s, true)
	if err != nil {
		return err
	}
	if s.DatabaseReadURL != "" {
		if err := db.ReadFrom(ctx, s.DatabaseReadURL); err != nil {
			return errors.Join(fmt.Errorf("GAROUPA_DATABASE_READ_URL: %w", err), db.Close())
		}
	}
	slog.Info("starting", "version", api.Version, "schema", migrations.Newest(), "role", as.String())
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("GAROUPA_LISTEN: %w", err), db.Close())
	}
	on := listeners{pages: listener}
	if err = on.open(s); err == nil {
		err = db.whileFit(ctx, func(ctx context.Context) error {
			return serveOn(ctx, in, as, on, db, tracer, seeding{*seed || s.embedded(), *history})
		})
	}
	err = errors.Join(err, on.notices.close(), on.monitors.close())
	if closing := listener.Close(); !errors.Is(closing, net.ErrClosed) { // the app closes it if it was started
		err = errors.Join(err, closing)
	}
	return errors.Join(err, db.closeSoon())
}

// listeners are the addresses at which a process listens.
type listeners struct {
	pages    net.Listener // and the API
	notices  *bankListener
	monitors *monitorListener
}

// open begins to listen at the addresses that the settings name besides the first.
func (l *listeners) open(s settings) (err error) {
	if l.notices, err = listenForBanks(s); err != nil {
		return err
	}
	l.monitors, err = listenForMonitors(s)
	return err
}

func serveOn(
	ctx context.Context, in invocation, as role, on listeners, db *database, tracer *tracing.Tracer, seed seeding,
) (err error) {
	s, counts := in.settings, on.monitors.counts()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()
	waker := jobs.NewWaker(working, db.DB)
	hub := stream.New(working, db.DB)
	services, err := newServices(ctx, s, db, signals{
		wake: waker.Wake, tell: hub.Tell, called: counts.BankCall})
	if err != nil {
		return err
	}
	if err := models.SetDefaultFee(ctx, db.DB, s.fee, services.clock.Now()); err != nil {
		return fmt.Errorf("keep GAROUPA_FEE: %w", err)
	}
	welcome, err := demoWelcome(ctx, s, db, services, seed)
	if err != nil {
		return err
	}
	webhooks, err := newWebhooks(working, s)
	if err != nil {
		return err
	}
	runner, err := as.work(working, s, db, services, webhooks, jobs.Options{Attempted: counts.Attempt, Tracer: tracer})
	if err != nil {
		return err
	}
	shareLimits(working, s, db, services)
	health := server.NewHealth(server.HealthOptions{DB: db.DB, Clock: services.clock, Listening: hub.Listening})
	guard.Go("watch the clock", func() { guard.Keep(working, "watch the clock", services.clock.Run) })
	guard.Go("watch the pool", func() { guard.Keep(working, "watch the pool", health.Watch) })
	calls := requestlog.Start(db.DB.Pool)
	defer calls.Close() // after the last request
	requests, endRequests := context.WithCancel(working)
	defer endRequests()
	g := &gateway{
		app: as.app(health, func() *fiber.App {
			return newApp(requests, s, services, health, calls, hub, counts, tracer)
		}),
		health: health, hub: hub, notices: on.notices, runner: runner, saveCounts: services.saveCounts,
		endRequests: endRequests,
	}
	failed := make(chan error, 3)
	on.monitors.serve(db, services, g, failed)
	on.notices.serve(working, s, services, runner.NoticeReceived, failed)
	guard.Go("serve", func() {
		failed <- guard.Call("serve", func() error { return g.app.Listener(server.NewListener(on.pages)) })
	})
	sayServing(in.out, s, as, welcome)

	select {
	case <-ctx.Done():
		g.drain(s.drainTime(), interrupted)
	case err = <-failed:
	}
	return errors.Join(err, g.stop())
}

// shareLimits shares the limits of clients and of banks with other processes, if there are any.
func shareLimits(ctx context.Context, s settings, db *database, services *services) {
	own := s.limits.byName()
	if len(own) == 0 && s.LiveProvider != providerBank {
		return
	}
	jobs.ShareLimits(ctx, db.DB, func() map[string]*ratelimit.Limiter {
		all := services.banks.Limits()
		maps.Copy(all, own)
		return all
	}, services.clock.Now)
}

// newApp returns the HTTP application. Its requests end when ctx does.
func newApp(
	ctx context.Context, s settings, services *services, health *server.Health, calls *requestlog.Log, hub *stream.Hub,
	counts *metrics.Metrics, tracer *tracing.Tracer,
) *fiber.App {
	db, now := health.DB, services.clock.Now
	return server.New(server.Options{
		Health: health, Base: ctx, RequestTimeout: s.RequestTimeout, Answered: counts.Request,
		Tracer:  tracer,
		BaseURL: s.BaseURL, CheckoutURL: s.CheckoutURL, AppURL: s.AppURL, TrustedProxies: s.proxies,
		API: api.Options{
			DB: db, Payments: services.payments, Merchants: services.merchants, Streams: hub,
			BaseURL: s.BaseURL, CheckoutURL: s.CheckoutURL, AppURL: s.AppURL, Log: calls, Now: now,
			Limits: s.limits.api(),
		},
		Web: web.Options{
			DB: db, Payments: services.payments, Merchants: services.merchants, Banks: services.banks,
			Vault: services.vault, Streams: hub, Mails: services.shownMails,
			BaseURL: s.BaseURL, CheckoutURL: s.CheckoutURL, AppURL: s.AppURL,
			AllowPrivate: s.allowPrivate(), LiveSimulated: s.LiveProvider == providerSimulator, Demo: s.Demo, Now: now,
			TermsURL: s.TermsURL, PrivacyURL: s.PrivacyURL, SupportURL: s.SupportURL, OpsNetworks: s.opsNetworks,
			SecurityContact: s.SecurityContact, SignUp: s.SignUp, AuditStreamed: s.auditLog != nil,
			Limits: s.limits.web(),
		},
	})
}

func migrate(ctx context.Context, in invocation) error {
	if _, err := in.parse(); err != nil {
		return err
	}
	db, err := openMigrated(ctx, in.settings, false)
	if err != nil {
		return err
	}
	fmt.Fprintln(in.out, "The schema is up to date.")
	return db.Close()
}
