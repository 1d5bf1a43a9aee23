package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// forgetEvery is how often what is kept for a time is looked through.
const forgetEvery = 10 * time.Minute

const day = 24 * time.Hour

// forgotten is what is deleted, how long after its end: see docs/operations.md. Each
// function deletes a batch and reports whether there may be more.
var forgotten = []struct {
	what   string
	kept   time.Duration
	delete func(ctx context.Context, q models.Querier, before time.Time) (more bool, err error)
}{
	{"calls of the API", 30 * day, models.DeleteAPIRequests},
	{"mails", 30 * day, models.DeleteMails},
	{"sessions", 7 * day, models.DeleteEndedSessions},
	{"tokens", 7 * day, models.DeleteEndedTokens},
	{"challenges of passkeys", 0, models.DeleteEndedPasskeyChallenges},
	{"invitations", 7 * day, models.DeleteEndedInvites},
}

type forgetArgs struct{}

// Kind implements river.JobArgs.
func (forgetArgs) Kind() string { return "forget" }

// forget deletes what nobody needs any more.
type forget struct {
	river.WorkerDefaults[forgetArgs]
	Options
}

// Work deletes batch by batch, until nothing is left that is too old or the job's time
// is over; the next one goes on.
func (w *forget) Work(ctx context.Context, _ *river.Job[forgetArgs]) error {
	return Forget(ctx, w.DB.Pool, w.Now())
}

// Forget deletes all that has been kept for long enough by now.
func Forget(ctx context.Context, q models.Querier, now time.Time) error {
	for _, f := range forgotten {
		for more := true; more; {
			var err error
			if more, err = f.delete(ctx, q, now.Add(-f.kept)); err != nil {
				return fmt.Errorf("jobs: forget %s: %w", f.what, err)
			}
		}
	}
	return nil
}
