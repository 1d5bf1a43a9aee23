package jobs

import (
	"context"

	"github.com/riverqueue/river"
)

type recordCountsArgs struct{}

// Kind implements river.JobArgs.
func (recordCountsArgs) Kind() string { return "record_counts" }

// recordCounts writes to the audit log how many failed log-ins of a minute have no line.
type recordCounts struct {
	river.WorkerDefaults[recordCountsArgs]
	Options
}

// Work implements river.Worker.
func (w *recordCounts) Work(ctx context.Context, _ *river.Job[recordCountsArgs]) error {
	return w.Merchants.RecordCounts(ctx)
}
