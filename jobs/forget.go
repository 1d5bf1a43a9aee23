package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// forgetEvery is the interval between two deletions of expired data.
const forgetEvery = 10 * time.Minute

const day = 24 * time.Hour

// forgotten lists what is deleted and how long after its end (docs/operations.md). Each
// function deletes a batch and reports whether there may be more.
var forgotten = []struct {
	what   string
	kept   time.Duration
	delete func(ctx context.Context, q models.Querier, before time.Time) (more bool, err error)
}{
	{"calls of the API", 30 * day, models.DeleteAPIRequests},
	{"notices of banks", 30 * day, models.DeleteBankNotices},
	{"counts of notices", 30 * day, models.DeleteNoticeCounts},
	{"mails", 30 * day, models.DeleteMails},
	{"resends", day, models.DeleteResends},
	{"jobs of deliveries that earlier versions left", day, models.DeleteDeliveryJobs},
	{"sessions", 7 * day, models.DeleteEndedSessions},
	{"tokens", 7 * day, models.DeleteEndedTokens},
	{"challenges of passkeys", 0, models.DeleteEndedPasskeyChallenges},
	{"invitations", 7 * day, models.DeleteEndedInvites},
	{"calls of banks", 30 * day, models.DeleteBankCalls},
	{"files of disputes", 365 * day, models.DeleteDisputeFiles},
	{"secrets of retired bank credentials", day, models.EraseRetiredCredentials},
}

type forgetArgs struct{}

// Kind implements river.JobArgs.
func (forgetArgs) Kind() string { return "forget" }

// forget deletes data that are no longer needed.
type forget struct {
	river.WorkerDefaults[forgetArgs]
	Options
}

// Work deletes batch by batch until no expired rows are left or the job's time is over. The
// next run continues.
func (w *forget) Work(ctx context.Context, _ *river.Job[forgetArgs]) error {
	return Forget(ctx, w.DB.Pool, w.Now())
}

// Forget deletes all data that had expired by now.
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
