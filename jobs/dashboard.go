package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// rollUpEvery bounds how much of the latest hours pages count themselves.
const rollUpEvery = 5 * time.Minute

type rollUpArgs struct{}

// Kind implements river.JobArgs.
func (rollUpArgs) Kind() string { return "roll_up_checkouts" }

// rollUp counts the hours that ended, so that the pages which look weeks back need
// not.
type rollUp struct {
	river.WorkerDefaults[rollUpArgs]
	Options
}

// Work counts day by day until it has caught up, or its time is over.
func (w *rollUp) Work(ctx context.Context, _ *river.Job[rollUpArgs]) error {
	for more := true; more; {
		err := w.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			more, err = models.RollUpHours(tx, w.Now())
			return err
		})
		if err != nil {
			return fmt.Errorf("jobs: roll up checkouts: %w", err)
		}
	}
	return nil
}
