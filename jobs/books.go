package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"garoupa/merchants"
	"garoupa/payments"
)

const (
	// queueBooks is the queue of the jobs below.
	queueBooks = "books"
	// snapshotEvery bounds how many movements a balance adds up.
	snapshotEvery = time.Minute
	checkEvery    = time.Hour
	// checkTimeout is for books of many millions of movements.
	checkTimeout = 20 * time.Minute
)

// bookkeeping are the jobs that one process at a time does for all.
func bookkeeping() []*river.PeriodicJob {
	options := &river.InsertOpts{Queue: queueBooks, MaxAttempts: 1} // the next one is soon enough
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(snapshotEvery),
			func() (river.JobArgs, *river.InsertOpts) { return snapshotLedgerArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(checkEvery),
			func() (river.JobArgs, *river.InsertOpts) { return checkBooksArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(rollUpEvery),
			func() (river.JobArgs, *river.InsertOpts) { return rollUpArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(forgetEvery),
			func() (river.JobArgs, *river.InsertOpts) { return forgetArgs{}, options }, nil),
	}
}

type snapshotLedgerArgs struct{}

// Kind implements river.JobArgs.
func (snapshotLedgerArgs) Kind() string { return "snapshot_ledger" }

// snapshotLedger keeps balances quick to read.
type snapshotLedger struct {
	river.WorkerDefaults[snapshotLedgerArgs]
	Options
}

// Work takes one snapshot.
func (w *snapshotLedger) Work(ctx context.Context, _ *river.Job[snapshotLedgerArgs]) error {
	return w.Payments.SnapshotLedger(ctx)
}

type checkBooksArgs struct{}

// Kind implements river.JobArgs.
func (checkBooksArgs) Kind() string { return "check_books" }

// checkBooks compares the books with what they record, and the audit log with its seals,
// and is loud about what does not agree.
type checkBooks struct {
	river.WorkerDefaults[checkBooksArgs]
	Options
}

// Timeout implements river.Worker.
func (*checkBooks) Timeout(*river.Job[checkBooksArgs]) time.Duration { return checkTimeout }

// Work checks once.
func (w *checkBooks) Work(ctx context.Context, _ *river.Job[checkBooksArgs]) error {
	return errors.Join(CheckBooks(ctx, w.Payments), SealAudit(ctx, w.Merchants))
}

// CheckBooks checks the books and logs each row that they do not agree with. Drift is
// no failure of the job: it is found again every time, until somebody has mended it.
func CheckBooks(ctx context.Context, p *payments.Service) error {
	drift, err := p.CheckBooks(ctx)
	for _, line := range drift {
		slog.ErrorContext(ctx, "the books do not agree; see docs/operations.md", "drift", line)
	}
	return err
}

// SealAudit seals the audit log and logs each line that does not agree with its seal.
// That is no failure of the job either.
func SealAudit(ctx context.Context, m *merchants.Service) error {
	flaws, err := m.SealAudit(ctx)
	for _, flaw := range flaws {
		slog.ErrorContext(ctx, "the audit log does not agree with its seals; see docs/operations.md", "what", flaw.What, "id", flaw.ID)
	}
	return err
}
