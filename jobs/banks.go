package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

const (
	// warnEvery limits the delay of warnings about certificates and keys that end.
	warnEvery = time.Hour
	// tendEvery is the pause between two looks for work at a bank account.
	tendEvery = time.Second
	// saveCallsEvery limits what is not known of a bank when a process ends without a stop.
	saveCallsEvery = 10 * time.Second
	// warnOfSilenceEvery limits the delay of the mail about a bank that is silent.
	warnOfSilenceEvery = time.Minute
)

// tendBanks begins to tend each bank account that this process does not tend already, and does not wait:
// a bank that hangs delays no other.
func (r *Runner) tendBanks(ctx context.Context) error {
	ids, err := models.UsedBankAccounts(ctx, r.DB.Pool)
	if err != nil {
		return fmt.Errorf("jobs: find bank accounts: %w", err)
	}
	r.apart(ctx, "tend a bank account", &r.tended, ids, r.Payments.TendBank)
	r.apart(ctx, "pay from a bank account", &r.paying, ids, r.Payments.TendPayouts)
	return nil
}

type warnOfExpiryArgs struct{}

// Kind implements river.JobArgs.
func (warnOfExpiryArgs) Kind() string { return "warn_of_expiry" }

// warnOfExpiry mails supervisors about certificates of bank accounts that end soon, and members about keys.
type warnOfExpiry struct {
	river.WorkerDefaults[warnOfExpiryArgs]
	Options
}

// Work warns of all certificates and keys. A failure of one does not keep back the other.
func (w *warnOfExpiry) Work(ctx context.Context, _ *river.Job[warnOfExpiryArgs]) error {
	return errors.Join(w.Banks.WarnOfExpiry(ctx), w.Merchants.WarnOfKeys(ctx))
}
