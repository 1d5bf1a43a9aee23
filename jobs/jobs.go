// Package jobs runs the work that no request waits for: webhook deliveries, loops such as expiry and settlement
// ("sweeps") and, on River, mails and periodic jobs. A worker calls an operation of payments, merchants or banks, or a
// query of models, and contains no rules of its own.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"garoupa/banks"
	"garoupa/internal/auditlog"
	"garoupa/internal/guard"
	"garoupa/internal/mail"
	"garoupa/internal/tracing"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/webhook"
)

const (
	// jobTimeout limits a job.
	jobTimeout = 15 * time.Second
	// rescueAfter is how long a job may run before it counts as lost, even if its process
	// lives.
	rescueAfter = 30 * time.Second
	// sweepEvery limits how late a checkout expires; the limit is 2 s (docs/rules.md,
	// "Checkout life").
	sweepEvery = 500 * time.Millisecond
	// tellPaidEvery limits the delay of mails about paid charges.
	tellPaidEvery = 30 * time.Second
	// saveVisitsEvery limits the visits of links that a killed process loses.
	saveVisitsEvery = 10 * time.Second
	// streamAuditEvery is how often a process looks for sealed lines of the audit log to stream.
	streamAuditEvery = time.Second
)

// Options configure the runner. All except Mail, Attempted, Tracer and AuditLog are required.
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Banks     *banks.Service
	Webhooks  *webhook.Client
	Mail      *mail.Sender // nil: mails wait in the queue
	Now       func() time.Time
	// Attempted is told of each attempt of a delivery, with the class of its error, "" for success. It may be nil,
	// and must not block.
	Attempted func(class string)
	// Tracer records what jobs, sweeps and deliveries do; nil for nothing.
	Tracer *tracing.Tracer
	// EventsKept is how long events, their deliveries and attempts are kept at least.
	EventsKept time.Duration
	// AuditLog receives the lines of the audit log; nil for no receiver.
	AuditLog auditlog.Receiver
	// BuyersKept is how long the data of buyers are kept after the end of their charges; 0 for ever.
	BuyersKept time.Duration
}

// Runner runs the jobs of one process. Several processes share the work.
type Runner struct {
	Options
	river      *river.Client[pgx.Tx]
	deliveries *deliveries
	stop       context.CancelFunc // ends the loops
	interrupt  context.CancelFunc // ends attempts in progress
	loops      sync.WaitGroup
	// tended, paying and registering are the ids of the bank accounts on which this process works now.
	tended, paying, registering sync.Map
	noticed                     chan struct{} // full after NoticeReceived
}

// Start begins to work and returns at once.
func Start(ctx context.Context, o Options) (*Runner, error) {
	ctx = context.WithoutCancel(ctx)
	r := &Runner{Options: o, noticed: make(chan struct{}, 1), deliveries: newDeliveries(o)}
	var err error
	if r.river, err = newRiver(o); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	if err := r.river.Start(ctx); err != nil {
		return nil, fmt.Errorf("jobs: start: %w", err)
	}
	looping, stop := context.WithCancel(ctx)
	posting, interrupt := context.WithCancel(ctx)
	r.stop, r.interrupt = stop, interrupt
	o.DB.Hear(looping, models.Hearer{Channel: models.DeliveriesChannel, Listening: r.deliveries.look,
		Heard: func(string) { r.deliveries.look() }})
	r.loop(looping, "take deliveries", func(ctx context.Context) { r.deliveries.run(ctx, posting) })
	guard.Go("renew leases", func() { guard.Keep(posting, "renew leases", r.deliveries.renew) })
	r.loop(looping, "follow notices", r.followNotices)
	r.sweep(looping, r.sweeps())
	r.sweep(looping, r.counts())
	return r, nil
}

// StartCounting is Start for a process that leaves the work to others. It only stores what the process counts in
// memory: calls of banks, and visits of links.
func StartCounting(ctx context.Context, o Options) *Runner {
	r := &Runner{Options: o, noticed: make(chan struct{}, 1), deliveries: newDeliveries(o)}
	looping, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.sweep(looping, r.counts())
	return r
}

// sweep begins to repeat sweeps, until ctx ends.
func (r *Runner) sweep(ctx context.Context, all map[string]sweep) {
	for what, s := range all {
		r.loop(ctx, what, func(ctx context.Context) { r.repeat(ctx, what, s) })
	}
}

// Leases returns the number of deliveries that the process has.
func (r *Runner) Leases() int { return r.deliveries.holds() }

func (r *Runner) loop(ctx context.Context, what string, do func(ctx context.Context)) {
	r.loops.Go(func() { guard.Keep(ctx, what, do) })
}

// newRiver returns River's client for mails and periodic jobs. It looks for jobs and does not listen, so it
// has no connection of its own.
func newRiver(o Options) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &sendMail{Options: o})
	river.AddWorker(workers, &snapshotLedger{Options: o})
	river.AddWorker(workers, &checkBooks{Options: o})
	river.AddWorker(workers, &checkAllBooks{Options: o})
	river.AddWorker(workers, &rollUp{Options: o})
	river.AddWorker(workers, &writeWords{Options: o})
	river.AddWorker(workers, &recordCounts{Options: o})
	river.AddWorker(workers, &forget{Options: o})
	river.AddWorker(workers, &thinSnapshots{Options: o})
	river.AddWorker(workers, &warnOfExpiry{Options: o})
	river.AddWorker(workers, &warnOfDisputes{Options: o})
	river.AddWorker(workers, &closeMonths{Options: o})
	river.AddWorker(workers, &applyBanks{Options: o})
	river.AddWorker(workers, &sealDocuments{Options: o})
	river.AddWorker(workers, &gatherCustomers{Options: o})
	queues := map[string]river.QueueConfig{queueBooks: {MaxWorkers: booksAtOnce}}
	if o.Mail != nil {
		queues[models.QueueMails] = river.QueueConfig{MaxWorkers: mailsAtOnce}
	}
	return river.NewClient(riverpgxv5.New(o.DB.Pool), &river.Config{
		Queues:               queues,
		PeriodicJobs:         bookkeeping(),
		Workers:              workers,
		PollOnly:             true,
		FetchPollInterval:    time.Second,
		JobTimeout:           jobTimeout,
		RescueStuckJobsAfter: rescueAfter,
		SoftStopTimeout:      finishWithin,
		Logger:               slog.New(quiet{slog.Default().Handler(), o.DB}),
		Middleware:           traced(o.Tracer),
	})
}

// Stop takes no new work, waits up to finishWithin for work in progress, and returns the rest
// to the queues. It returns when nothing runs anymore, or when ctx ends.
func (r *Runner) Stop(ctx context.Context) error {
	r.stop()
	r.loops.Wait()
	if r.river == nil { // StartCounting
		return nil
	}
	defer time.AfterFunc(finishWithin, func() { guard.Go("interrupt attempts", r.interrupt) }).Stop()
	defer r.interrupt()
	err := r.river.Stop(ctx)
	finished := make(chan struct{})
	guard.Go("wait for attempts", func() {
		defer close(finished)
		r.deliveries.working.Wait()
	})
	select {
	case <-finished:
		r.deliveries.release(context.WithoutCancel(ctx))
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("jobs: stop: %w", err)
	}
	return nil
}

// sweep is work that is repeated at an interval.
type sweep struct {
	every time.Duration
	do    func(ctx context.Context) error
}

// counts returns the sweeps that store what this process counts, whatever else it does.
func (r *Runner) counts() map[string]sweep {
	return map[string]sweep{
		"save calls of banks":  {saveCallsEvery, r.Banks.SaveCalls},
		"save visits of links": {saveVisitsEvery, r.Payments.SaveVisits},
	}
}

// sweeps returns the sweeps of each process that runs jobs, by their names in the log. They are loops and not
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
	all := map[string]sweep{
		"expire checkouts":           {sweepEvery, counted(r.Payments.ExpireDue)},
		"settle payments":            {sweepEvery, counted(r.Payments.SettleDue)},
		"complete checkouts":         {sweepEvery, counted(r.Payments.CoverDue)},
		"simulate due payments":      {sweepEvery, r.Payments.PayDue},
		"pay withdrawals, simulated": {sweepEvery, r.Payments.PayOutDue},
		"mail about paid charges":    {tellPaidEvery, r.Payments.TellPaid},
		"tend bank accounts":         {tendEvery, r.tendBanks},
		"register notices":           {registerEvery, r.registerNotices},
		"warn of silent banks":       {warnOfSilenceEvery, r.Banks.WarnOfSilence},
		"simulate refunds":           {sweepEvery, r.Payments.SimulateRefunds},
	}
	if r.AuditLog != nil {
		all["stream the audit log"] = sweep{streamAuditEvery, func(ctx context.Context) error {
			return r.Merchants.StreamAudit(ctx, r.AuditLog)
		}}
	}
	return all
}

// repeat runs a sweep until ctx ends.
func (r *Runner) repeat(ctx context.Context, what string, s sweep) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		if err := r.Tracer.Sweep(ctx, what, s.do); err != nil {
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
