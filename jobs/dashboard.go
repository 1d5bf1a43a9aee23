package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

const (
	// rollUpEvery bounds how much of the latest hours pages count themselves.
	rollUpEvery = 5 * time.Minute
	// forgetEvery is how often calls of the API that are too old are looked for.
	forgetEvery = 10 * time.Minute
	// requestsKept is how long calls of the API are kept.
	requestsKept = 30 * 24 * time.Hour
)

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

type forgetRequestsArgs struct{}

// Kind implements river.JobArgs.
func (forgetRequestsArgs) Kind() string { return "forget_api_requests" }

// forgetRequests deletes calls of the API after their time.
type forgetRequests struct {
	river.WorkerDefaults[forgetRequestsArgs]
	Options
}

// Work deletes batch by batch, the oldest first.
func (w *forgetRequests) Work(ctx context.Context, _ *river.Job[forgetRequestsArgs]) error {
	for more := true; more; {
		var err error
		if more, err = models.DeleteAPIRequests(ctx, w.DB.Pool, w.Now().Add(-requestsKept)); err != nil {
			return fmt.Errorf("jobs: forget calls of the API: %w", err)
		}
	}
	return nil
}
