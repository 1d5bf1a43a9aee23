// Package jobs runs what happens without a request: webhook deliveries and mails, on
// River, and the sweep that expires and settles checkouts. Workers are thin: they load, call one
// operation of package payments, and let River schedule.
package jobs

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"garoupa/mail"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/webhook"
)

const (
	// jobTimeout bounds a job; an attempt takes webhook.Timeout of it.
	jobTimeout = 15 * time.Second
	// rescueAfter is how long a job may be under way before it counts as lost,
	// though its process lives.
	rescueAfter = 30 * time.Second
	// finishWithin is how long a stop waits for attempts under way.
	finishWithin = 2 * time.Second
	// lookForDeliveriesEvery is how often a process looks for deliveries that nobody
	// told it of: those that waited for their time, or for room in a lane.
	lookForDeliveriesEvery = 250 * time.Millisecond
	// sweepEvery bounds how late a checkout expires (decisions, 4: 2 s).
	sweepEvery = 500 * time.Millisecond
	// tellPaidEvery bounds how late members hear of a paid charge.
	tellPaidEvery = 30 * time.Second
)

// Options are what the runner works with. All but Mail are required.
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Webhooks  *webhook.Client
	Mail      *mail.Sender // nil: mails wait in the queue
	Now       func() time.Time
}

// Runner runs the jobs of one process. Several processes share the work.
type Runner struct {
	Options
	river     *river.Client[pgx.Tx]
	lanes     *lanes
	queue     *models.DeliveryQueue
	disappear context.CancelFunc
	stop      context.CancelFunc
	loops     sync.WaitGroup
}

// Start begins to work and returns at once.
func Start(ctx context.Context, o Options) (_ *Runner, err error) {
	ctx = context.WithoutCancel(ctx)
	r := &Runner{Options: o}
	name := "garoupa_" + rand.Text()
	present, disappear := context.WithCancel(ctx)
	r.disappear = disappear
	defer func() {
		if err != nil {
			disappear()
		}
	}()
	if err := appear(present, o.DB, name); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	l, queue := newLanes(o.Payments.Wake), models.NewDeliveryQueue(o.DB)
	r.queue, r.lanes = queue, l
	workers := river.NewWorkers()
	river.AddWorker(workers, &deliverWebhook{Options: o, lanes: l})
	river.AddWorker(workers, &sendMail{Options: o})
	river.AddWorker(workers, &snapshotLedger{Options: o})
	river.AddWorker(workers, &checkBooks{Options: o})
	river.AddWorker(workers, &rollUp{Options: o})
	river.AddWorker(workers, &forget{Options: o})
	queues := map[string]river.QueueConfig{
		models.QueueWebhooks: {MaxWorkers: lanesAtOnce, FetchPollInterval: lookForDeliveriesEvery},
		queueBooks:           {MaxWorkers: 1},
	}
	if o.Mail != nil {
		queues[models.QueueMails] = river.QueueConfig{MaxWorkers: mailsAtOnce}
	}
	r.river, err = river.NewClient(newDriver(o.DB, queue, l), &river.Config{
		ID:                   name,
		Queues:               queues,
		PeriodicJobs:         bookkeeping(),
		Workers:              workers,
		FetchCooldown:        5 * time.Millisecond,
		FetchPollInterval:    time.Second,
		JobTimeout:           jobTimeout,
		RescueStuckJobsAfter: rescueAfter,
		SoftStopTimeout:      finishWithin,
		Logger:               slog.New(quiet{slog.Default().Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	if err := r.river.Start(ctx); err != nil {
		return nil, fmt.Errorf("jobs: start: %w", err)
	}
	looping, stop := context.WithCancel(ctx)
	r.stop = stop
	r.loops.Go(func() { r.sweep(looping) })
	r.loops.Go(func() { r.takeOver(looping) })
	r.loops.Go(func() { r.tellPaid(looping) })
	return r, nil
}

// Stop takes no more jobs, lets those under way finish for a moment and gives the
// rest back to the queue. It returns when nothing runs any more, or ctx ends.
func (r *Runner) Stop(ctx context.Context) error {
	defer r.disappear()
	r.stop()
	r.loops.Wait()
	r.lanes.close()
	defer r.queue.Close(context.WithoutCancel(ctx))
	if err := r.river.Stop(ctx); err != nil {
		return fmt.Errorf("jobs: stop: %w", err)
	}
	return nil
}

// sweep expires and settles checkouts until ctx ends. It is a loop and not a periodic job of
// River's: those wait for a leader, for longer after a crash than a checkout may
// be late.
func (r *Runner) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := r.Payments.ExpireDue(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "expiry sweep failed", "err", err)
		}
		if _, err := r.Payments.SettleDue(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "settlement sweep failed", "err", err)
		}
		if _, err := r.Payments.CoverDue(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "the sweep of withdrawn checkouts failed", "err", err)
		}
		if err := r.Payments.PayDue(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "simulated payments failed", "err", err)
		}
		if err := r.Payments.PayOutDue(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "simulated payouts failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tellPaid writes the mails of paid charges until ctx ends.
func (r *Runner) tellPaid(ctx context.Context) {
	tick := time.NewTicker(tellPaidEvery)
	defer tick.Stop()
	for {
		if err := r.Payments.TellPaid(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "telling of paid charges failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// quiet keeps River's log to what somebody must act on.
type quiet struct{ slog.Handler }

func (quiet) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
