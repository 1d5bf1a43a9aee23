package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// warnOfDisputesEvery limits the delay of warnings about deadlines of disputes.
const warnOfDisputesEvery = 10 * time.Minute

type warnOfDisputesArgs struct{}

// Kind implements river.JobArgs.
func (warnOfDisputesArgs) Kind() string { return "warn_of_disputes" }

// warnOfDisputes mails about disputes whose answers are due.
type warnOfDisputes struct {
	river.WorkerDefaults[warnOfDisputesArgs]
	Options
}

// Work warns of all disputes.
func (w *warnOfDisputes) Work(ctx context.Context, _ *river.Job[warnOfDisputesArgs]) error {
	return w.Payments.WarnOfDisputes(ctx)
}
