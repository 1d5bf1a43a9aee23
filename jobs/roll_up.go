package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// rollUpEvery limits the hours that pages count themselves, and the delay with which figures of links include a payment
// of an earlier day's charge.
const rollUpEvery = 5 * time.Minute

type rollUpArgs struct{}

// Kind implements river.JobArgs.
func (rollUpArgs) Kind() string { return "roll_up_checkouts" }

// rollUp counts the charges of each hour that has ended, and those of each payment link by day, for pages that show
// several weeks.
type rollUp struct {
	river.WorkerDefaults[rollUpArgs]
	Options
}

// Work counts day by day until all hours and days are counted or the job's time is over.
func (w *rollUp) Work(ctx context.Context, _ *river.Job[rollUpArgs]) error {
	for _, rollUp := range []func(*models.Tx, time.Time) (bool, error){models.RollUpHours, models.RollUpLinkDays} {
		for more := true; more; {
			err := w.DB.InTx(ctx, func(tx *models.Tx) (err error) {
				more, err = rollUp(tx, w.Now())
				return err
			})
			if err != nil {
				return fmt.Errorf("jobs: roll up checkouts: %w", err)
			}
		}
	}
	return nil
}
