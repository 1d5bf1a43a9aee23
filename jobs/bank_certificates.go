package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// warnEvery limits the delay of warnings about certificates that end.
const warnEvery = time.Hour

type warnOfExpiryArgs struct{}

// Kind implements river.JobArgs.
func (warnOfExpiryArgs) Kind() string { return "warn_of_expiry" }

// warnOfExpiry mails supervisors about certificates of bank accounts that end soon.
type warnOfExpiry struct {
	river.WorkerDefaults[warnOfExpiryArgs]
	Options
}

// Work warns of all certificates.
func (w *warnOfExpiry) Work(ctx context.Context, _ *river.Job[warnOfExpiryArgs]) error {
	return w.Banks.WarnOfExpiry(ctx)
}
