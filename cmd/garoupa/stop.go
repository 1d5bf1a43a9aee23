package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/guard"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/internal/tracing"
	"garoupa/jobs"
)

// errJobsLeft reports that jobs were still running when the time of a stop was over.
var errJobsLeft = errors.New("jobs in progress did not end in time; other processes repeat them")

// gateway holds what a serving process stops.
type gateway struct {
	app         *fiber.App
	health      *server.Health
	hub         *stream.Hub
	notices     *bankListener
	runner      *jobs.Runner
	saveCounts  func(context.Context) error // of what no request and no job adds to any more
	endRequests context.CancelFunc
}

// drain keeps answering for a time, so that balancers and clients switch to another
// process. An interrupt, which a person at a terminal sends, ends it at once.
func (g *gateway) drain(d time.Duration, interrupted <-chan os.Signal) {
	slog.Info("stopping", "drain", d)
	g.health.Drain()
	select {
	case <-time.After(d):
	case <-interrupted:
	}
}

// stop ends streams first: they would delay the server, and their clients now find another
// process. Then it closes the listener, and lets requests and jobs finish.
func (g *gateway) stop() error {
	g.health.Drain()
	g.hub.Close()
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	defer time.AfterFunc(finishWithin, g.endRequests).Stop()
	jobsEnded := make(chan error, 1)
	guard.Go("stop the jobs", func() {
		jobsEnded <- guard.Call("stop the jobs", func() error { return g.runner.Stop(ctx) })
	})
	noticesEnded := make(chan error, 1)
	guard.Go("stop receiving notices", func() {
		noticesEnded <- guard.Call("stop receiving notices", func() error { return g.notices.stop(ctx) })
	})
	err := g.app.ShutdownWithContext(ctx)
	if err != nil {
		err = fmt.Errorf("requests in progress: %w", err)
	}
	ended := errJobsLeft
	select {
	case ended = <-jobsEnded:
	case <-ctx.Done():
		select { // requests may have taken all of the time, and the jobs less
		case ended = <-jobsEnded:
		default:
		}
	}
	if errors.Is(ended, context.DeadlineExceeded) {
		ended = errJobsLeft
	}
	err = errors.Join(err, ended, <-noticesEnded)
	if failed := g.saveCounts(ctx); failed != nil {
		slog.Warn("the last calls of banks and visits of links are not counted", "err", failed)
	}
	return err
}

// sendTraces sends the last spans. What the collector does not take is lost, and the process ends without an error.
func sendTraces(tracer *tracing.Tracer) {
	ctx, cancel := context.WithTimeout(context.Background(), sendWithin)
	defer cancel()
	if err := tracer.Stop(ctx); err != nil {
		slog.Warn("the last traces are lost", "err", err)
	}
}
