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
	// queueBooks is the queue of the periodic jobs.
	queueBooks = "books"
	// snapshotEvery limits the number of transfers that a balance adds up.
	snapshotEvery = time.Minute
	checkEvery    = time.Hour
	// recordEvery is how soon after a minute its number of failed log-ins is in the audit log.
	recordEvery = time.Minute
	// checkTimeout limits one run. The next run continues where it ended: the transfers of an
	// hour take seconds, the whole history takes many runs.
	checkTimeout = 15 * time.Minute
	// booksAtOnce leaves room for a snapshot beside both checks.
	booksAtOnce = 3
)

// bookkeeping returns the periodic jobs. River runs each of them in one process for all.
func bookkeeping() []*river.PeriodicJob {
	options := &river.InsertOpts{Queue: queueBooks, MaxAttempts: 1} // the next run is soon enough
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(snapshotEvery),
			func() (river.JobArgs, *river.InsertOpts) { return snapshotLedgerArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(checkEvery),
			func() (river.JobArgs, *river.InsertOpts) { return checkBooksArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(checkEvery),
			func() (river.JobArgs, *river.InsertOpts) { return checkAllBooksArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(rollUpEvery),
			func() (river.JobArgs, *river.InsertOpts) { return rollUpArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(wordsEvery),
			func() (river.JobArgs, *river.InsertOpts) { return writeWordsArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(forgetEvery),
			func() (river.JobArgs, *river.InsertOpts) { return forgetArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(thinEvery),
			func() (river.JobArgs, *river.InsertOpts) { return thinSnapshotsArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(recordEvery),
			func() (river.JobArgs, *river.InsertOpts) { return recordCountsArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(warnEvery),
			func() (river.JobArgs, *river.InsertOpts) { return warnOfExpiryArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(warnOfDisputesEvery),
			func() (river.JobArgs, *river.InsertOpts) { return warnOfDisputesArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(closeMonthsEvery),
			func() (river.JobArgs, *river.InsertOpts) { return closeMonthsArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(applyEvery),
			func() (river.JobArgs, *river.InsertOpts) { return applyBanksArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(sealEvery),
			func() (river.JobArgs, *river.InsertOpts) { return sealDocumentsArgs{}, options }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(gatherEvery),
			func() (river.JobArgs, *river.InsertOpts) { return gatherCustomersArgs{}, options }, nil),
	}
}

type snapshotLedgerArgs struct{}

// Kind implements river.JobArgs.
func (snapshotLedgerArgs) Kind() string { return "snapshot_ledger" }

// snapshotLedger takes snapshots, which keep balances quick to read.
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

// checkBooks compares the new part of the books with the rows that they record, and a part
// of the audit log with its seals. It logs what does not agree as errors.
type checkBooks struct {
	river.WorkerDefaults[checkBooksArgs]
	Options
}

// Timeout implements river.Worker.
func (*checkBooks) Timeout(*river.Job[checkBooksArgs]) time.Duration { return checkTimeout }

// Work implements river.Worker.
func (w *checkBooks) Work(ctx context.Context, _ *river.Job[checkBooksArgs]) error {
	return errors.Join(CheckBooks(ctx, w.Payments), SealAudit(ctx, w.Merchants))
}

type checkAllBooksArgs struct{}

// Kind implements river.JobArgs.
func (checkAllBooksArgs) Kind() string { return "check_all_books" }

// checkAllBooks compares the whole history of the books once a week, in as many runs as it
// needs. checkBooks logs what does not agree.
type checkAllBooks struct {
	river.WorkerDefaults[checkAllBooksArgs]
	Options
}

// Timeout implements river.Worker.
func (*checkAllBooks) Timeout(*river.Job[checkAllBooksArgs]) time.Duration { return checkTimeout }

// Work implements river.Worker.
func (w *checkAllBooks) Work(ctx context.Context, _ *river.Job[checkAllBooksArgs]) error {
	err := w.Payments.CheckAllBooks(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil // the next run continues
	}
	return err
}

// CheckBooks checks the books and logs each row that does not agree with them. A difference
// is not a failure of the job: each run finds it again until it is corrected.
func CheckBooks(ctx context.Context, p *payments.Service) error {
	drift, err := p.CheckBooks(ctx)
	for _, line := range drift {
		slog.ErrorContext(ctx, "the books do not agree; see docs/operations.md", "drift", line)
	}
	return err
}

// SealAudit seals the audit log and logs each line that does not agree with its seal. A
// difference is not a failure of the job.
func SealAudit(ctx context.Context, m *merchants.Service) error {
	flaws, err := m.SealAudit(ctx)
	for _, flaw := range flaws {
		slog.ErrorContext(ctx, "the audit log does not agree with its seals; see docs/operations.md", "what", flaw.What,
			"id", flaw.ID)
	}
	return err
}
