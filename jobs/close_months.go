package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const (
	// closeMonthsEvery limits how long after its time a month is closed.
	closeMonthsEvery = 10 * time.Minute
	// closeMonthsTimeout limits one run. The next run goes on with the accounts that are left.
	closeMonthsTimeout = 5 * time.Minute
)

type closeMonthsArgs struct{}

// Kind implements river.JobArgs.
func (closeMonthsArgs) Kind() string { return "close_months" }

// closeMonths mails owners what the last month was.
type closeMonths struct {
	river.WorkerDefaults[closeMonthsArgs]
	Options
}

// Timeout implements river.Worker.
func (*closeMonths) Timeout(*river.Job[closeMonthsArgs]) time.Duration { return closeMonthsTimeout }

// Work closes the month of all accounts that are due.
func (w *closeMonths) Work(ctx context.Context, _ *river.Job[closeMonthsArgs]) error {
	return w.Payments.CloseMonths(ctx)
}
