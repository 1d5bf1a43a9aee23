package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// gatherEvery limits the charges that lists of customers have to read themselves.
const gatherEvery = time.Minute

type gatherCustomersArgs struct{}

// Kind implements river.JobArgs.
func (gatherCustomersArgs) Kind() string { return "gather_customers" }

// gatherCustomers writes the customers of new charges, and after an upgrade those of all charges.
type gatherCustomers struct {
	river.WorkerDefaults[gatherCustomersArgs]
	Options
}

// Work gathers hour by hour until nothing is left or the job's time is over. The next run continues.
func (w *gatherCustomers) Work(ctx context.Context, _ *river.Job[gatherCustomersArgs]) error {
	return w.Payments.GatherCustomers(ctx)
}
