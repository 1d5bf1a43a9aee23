// Package jobs runs the work that no request waits for: webhook deliveries and mails, on
// River, and the sweeps that expire and settle checkouts. Workers are thin: they load a
// row, call one operation of package payments, and let River schedule.
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

	"garoupa/banks"
	"garoupa/internal/guard"
	"garoupa/internal/mail"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/webhook"
)

const (
	// jobTimeout limits a job; an attempt uses up to webhook.Timeout of it.
	jobTimeout = 15 * time.Second
	// rescueAfter is how long a job may run before it counts as lost, even if its process
	// lives.
	rescueAfter = 30 * time.Second
	// finishWithin is how long a stop waits for attempts in progress.
	finishWithin = 2 * time.Second
	// lookForDeliveriesEvery is how often a process looks for deliveries without a
	// notification: those that waited for their time, or for room in a lane.
	lookForDeliveriesEvery = 250 * time.Millisecond
	// sweepEvery limits how late a checkout expires; the limit is 2 s (docs/rules.md,
	// "Checkout life").
	sweepEvery = 500 * time.Millisecond
	// tellPaidEvery limits the delay of mails about paid charges.
	tellPaidEvery = 30 * time.Second
)

// Options configure the runner. All except Mail are required.
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Banks     *banks.Service
	Webhooks  *webhook.Client
	Mail      *mail.Sender // nil: mails wait in the queue
	Now       func() time.Time
}

// Runner runs the jobs of one process. Several processes share the work.
type Runner struct {
	Options
	name      string // of the process, in its presence lock and in River
	river     *river.Client[pgx.Tx]
	lanes     *lanes
	queue     *models.DeliveryQueue
	disappear context.CancelFunc
	stop      context.CancelFunc
	loops     sync.WaitGroup
	// tended, paying and registering are the ids of the bank accounts on which this process works now.
	tended, paying, registering sync.Map
	noticed                     chan struct{} // full after NoticeReceived
}

// Start begins to work and returns at once.
func Start(ctx context.Context, o Options) (_ *Runner, err error) {
	ctx = context.WithoutCancel(ctx)
	name := "garoupa_" + rand.Text()
	r := &Runner{Options: o, name: name, noticed: make(chan struct{}, 1)}
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
	river.AddWorker(workers, &checkAllBooks{Options: o})
	river.AddWorker(workers, &rollUp{Options: o})
	river.AddWorker(workers, &forget{Options: o})
	river.AddWorker(workers, &warnOfExpiry{Options: o})
	river.AddWorker(workers, &warnOfDisputes{Options: o})
	river.AddWorker(workers, &applyBanks{Options: o})
	queues := map[string]river.QueueConfig{
		models.QueueWebhooks: {MaxWorkers: lanesAtOnce, FetchPollInterval: lookForDeliveriesEvery},
		queueBooks:           {MaxWorkers: booksAtOnce},
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
		Logger:               slog.New(quiet{slog.Default().Handler(), o.DB}),
	})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	if err := r.river.Start(ctx); err != nil {
		return nil, fmt.Errorf("jobs: start: %w", err)
	}
	looping, stop := context.WithCancel(ctx)
	r.stop = stop
	r.loops.Go(func() { guard.Keep(looping, "take over jobs", r.takeOver) })
	r.loops.Go(func() { guard.Keep(looping, "follow notices", r.followNotices) })
	for what, s := range r.sweeps() {
		r.loops.Go(func() {
			guard.Keep(looping, what, func(ctx context.Context) { r.repeat(ctx, what, s) })
		})
	}
	return r, nil
}

// Stop takes no new jobs, waits up to finishWithin for those in progress, and returns the rest
// to the queue. It returns when nothing runs anymore, or when ctx ends.
func (r *Runner) Stop(ctx context.Context) error {
	defer r.disappear()
	r.stop()
	r.loops.Wait()
	r.lanes.close()
	defer r.queue.Close()
	if err := r.river.Stop(ctx); err != nil {
		return fmt.Errorf("jobs: stop: %w", err)
	}
	return nil
}

// sweep is work that is repeated at an interval.
type sweep struct {
	every time.Duration
	do    func(ctx context.Context) error
}

// sweeps returns the sweeps of each process, by their names in the log. They are loops and not
// River's periodic jobs, because those wait for a leader: after a crash the wait is longer
// than a checkout may be late. Each sweep has its own loop, so a sweep that waits for a lock
// does not delay the others.
func (r *Runner) sweeps() map[string]sweep {
	counted := func(do func(ctx context.Context) (int, error)) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := do(ctx)
			return err
		}
	}
	return map[string]sweep{
		"expire checkouts":           {sweepEvery, counted(r.Payments.ExpireDue)},
		"settle payments":            {sweepEvery, counted(r.Payments.SettleDue)},
		"complete checkouts":         {sweepEvery, counted(r.Payments.CoverDue)},
		"simulate due payments":      {sweepEvery, r.Payments.PayDue},
		"pay withdrawals, simulated": {sweepEvery, r.Payments.PayOutDue},
		"mail about paid charges":    {tellPaidEvery, r.Payments.TellPaid},
		"tend bank accounts":         {tendEvery, r.tendBanks},
		"register notices":           {registerEvery, r.registerNotices},
		"save calls of banks":        {saveCallsEvery, r.Banks.SaveCalls},
		"warn of silent banks":       {warnOfSilenceEvery, r.Banks.WarnOfSilence},
		"simulate refunds":           {sweepEvery, r.Payments.SimulateRefunds},
	}
}

// repeat runs a sweep until ctx ends.
func (r *Runner) repeat(ctx context.Context, what string, s sweep) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		if err := s.do(ctx); err != nil {
			r.DB.LogFailure(ctx, what+": the sweep failed", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// quiet drops River's log below warnings. While the database is lost it drops everything,
// because the loss is logged already.
type quiet struct {
	slog.Handler
	db *models.DB
}

// Enabled implements slog.Handler.
func (q quiet) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && !q.db.Lost()
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attrs), q.db}
}

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name), q.db} }
