package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/jobs"
	"garoupa/live"
	"garoupa/models"
	"garoupa/requestlog"
	"garoupa/server"
	"garoupa/web"
	"garoupa/webhook"
)

// stopWithin bounds a graceful stop.
const stopWithin = 15 * time.Second

// gcPercent lets garbage grow to some times what is in use, which is only a few
// megabytes: with Go's default the collector would take a sixth of the processor
// time of a busy server. GOGC in the environment wins.
const gcPercent = 400

// serve runs the gateway until the process is told to stop.
func serve(ctx context.Context, in invocation) error {
	probe := in.flags.Bool("probe", false, "ask a running server whether it is ready, and exit; for health checks of containers")
	seed := in.flags.Bool("demo-merchant", false, "add a demo merchant if the database is empty, as the embedded mode always does")
	if _, err := in.parse(); err != nil {
		return err
	}
	s := in.settings
	if *probe {
		return probeReady(ctx, s)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	db, err := openMigrated(ctx, s, true)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("GAROUPA_LISTEN: %w", err), db.Close())
	}
	err = serveOn(ctx, in, listener, db, *seed || s.embedded())
	if closing := listener.Close(); !errors.Is(closing, net.ErrClosed) { // the app closes it, if it came that far
		err = errors.Join(err, closing)
	}
	return errors.Join(err, db.Close())
}

func serveOn(ctx context.Context, in invocation, listener net.Listener, db *database, seed bool) (err error) {
	s := in.settings
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()
	waker := jobs.NewWaker(working, db.DB)
	hub := live.New(working, db.DB)
	services, err := newServices(ctx, s, db, signals{wake: waker.Wake, tell: hub.Tell})
	if err != nil {
		return err
	}
	if err := models.ForgetForeignOrder(ctx, db.DB); err != nil {
		return fmt.Errorf("look for events of another PostgreSQL: %w", err)
	}
	welcome, err := demoWelcome(ctx, s, db, services, seed)
	if err != nil {
		return err
	}
	runner, err := jobs.Start(working, jobs.Options{
		DB: db.DB, Payments: services.payments, Merchants: services.merchants, Now: time.Now,
		Webhooks: webhook.NewClient(webhook.Options{AllowPrivate: s.allowPrivate()}), Mail: services.sender,
	})
	if err != nil {
		return err
	}
	jobs.ShareLimits(working, db.DB, s.limits.byName())
	calls := requestlog.Start(db.DB.Pool)
	defer calls.Close() // when nothing answers any more
	app := newApp(s, db.DB, services, calls, hub)
	failed := make(chan error, 1)
	go func() { failed <- app.Listener(listener) }()
	printWelcome(in.out, s, welcome)

	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	return errors.Join(err, stopServing(app, hub, runner))
}

func newApp(s settings, db *models.DB, services *services, calls *requestlog.Log, hub *live.Hub) *fiber.App {
	return server.New(server.Options{
		DB: db, BaseURL: s.BaseURL, CheckoutHost: s.CheckoutHost, AppURL: s.AppURL, TrustedProxies: s.proxies,
		API: api.Options{
			DB: db, Payments: services.payments, Merchants: services.merchants, Live: hub,
			BaseURL: s.BaseURL, CheckoutHost: s.CheckoutHost, Log: calls, Now: time.Now,
			Limits: api.Limits{Live: s.limits.live, Test: s.limits.test, Withdrawals: s.limits.withdrawals, FailedAuth: s.limits.failedAuth, Public: s.limits.pages},
		},
		Web: web.Options{
			DB: db, Payments: services.payments, Merchants: services.merchants, Vault: services.vault, Live: hub, Mails: services.shownMails,
			BaseURL: s.BaseURL, CheckoutHost: s.CheckoutHost, AppURL: s.AppURL,
			AllowPrivate: s.allowPrivate(), LiveSimulated: s.LiveProvider == providerSimulator, Demo: s.Demo, Now: time.Now,
			TermsURL: s.TermsURL, PrivacyURL: s.PrivacyURL, SupportURL: s.SupportURL, OpsNetworks: s.opsNetworks,
			Limits: web.Limits{Pages: s.limits.pages, LogIn: s.limits.logIn, Withdrawals: s.limits.withdrawals},
		},
	})
}

// stopServing ends streams first, which would else hold the server up, then lets
// requests finish, then the jobs.
func stopServing(app *fiber.App, hub *live.Hub, runner *jobs.Runner) error {
	slog.Info("stopping")
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	hub.Close()
	return errors.Join(app.ShutdownWithContext(ctx), runner.Stop(ctx))
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
