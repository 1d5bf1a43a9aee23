package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// applyEvery limits how much later than promised the credentials of an own bank account take effect.
const applyEvery = time.Minute

type applyBanksArgs struct{}

// Kind implements river.JobArgs.
func (applyBanksArgs) Kind() string { return "apply_banks" }

// applyBanks lets approved credentials of merchants' own bank accounts take effect.
type applyBanks struct {
	river.WorkerDefaults[applyBanksArgs]
	Options
}

// Work applies all that are due.
func (w *applyBanks) Work(ctx context.Context, _ *river.Job[applyBanksArgs]) error {
	return w.Banks.ApplyDue(ctx)
}
