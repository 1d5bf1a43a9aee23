package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"garoupa/merchants"
	"garoupa/models"
)

// forgetEvery is the interval between two deletions of expired data.
const forgetEvery = 10 * time.Minute

const day = 24 * time.Hour

// answersKept is the longest time for which the beginnings of answers to webhooks are kept.
const answersKept = 30 * day

// expiring is a kind of data that ends. delete deletes a batch and reports whether there may be more.
type expiring[Q any] struct {
	what   string
	kept   time.Duration // after its end
	delete func(ctx context.Context, q Q, before time.Time) (more bool, err error)
}

// forgotten lists what is deleted (docs/operations.md). Events are kept for a time.
func forgotten(events time.Duration) []expiring[models.Querier] {
	answers := min(answersKept, events)
	return []expiring[models.Querier]{
		{"events by month", events, models.DropEventMonths},
		{"events of months without a table", events, models.DeleteOtherEvents},
		{"answers by month", answers, models.DropAnswerMonths},
		{"answers of months without a table", answers, models.DeleteOtherAnswers},
		{"calls of the API by week", 30 * day, models.DropCallWeeks},
		{"networks of keys", 90 * day, models.DeleteKeyNetworks},
		{"devices of log-ins", merchants.DeviceLifetime, models.DeleteDevices},
		{"notices of banks", 30 * day, models.DeleteBankNotices},
		{"counts of notices", 30 * day, models.DeleteNoticeCounts},
		{"mails", 30 * day, models.DeleteMails},
		{"receipts by mail", 30 * day, models.DeleteReceiptMails},
		{"resends", day, models.DeleteResends},
		{"jobs of deliveries that earlier versions left", day, models.DeleteDeliveryJobs},
		{"sessions", 7 * day, models.DeleteEndedSessions},
		{"places of log-ins", merchants.PlaceLifetime, models.DeleteLogInPlaces},
		{"counts of wrong codes", day, models.DeleteWrongCodes},
		{"tokens", 7 * day, models.DeleteEndedTokens},
		{"challenges of passkeys", 0, models.DeleteEndedPasskeyChallenges},
		{"invitations", 7 * day, models.DeleteEndedInvites},
		{"calls of banks", 30 * day, models.DeleteBankCalls},
		{"drafts of access requests", 365 * day, models.DeleteAccessDrafts},
		{"files of disputes", 365 * day, models.DeleteDisputeFiles},
		{"secrets of retired bank credentials", day, models.EraseRetiredCredentials},
	}
}

// buyers lists what ends of the data of buyers.
func buyers(kept time.Duration) []expiring[*models.DB] {
	return []expiring[*models.DB]{
		{"buyers", kept, models.EndBuyers},
		{"buyers who were still needed", kept, models.EndKeptBuyers},
	}
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
	inUse, err := models.MakeTables(ctx, w.DB.Pool, w.Now())
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	if inUse {
		slog.InfoContext(ctx, "tables of events or calls are in use; the next ones will be made later")
	}
	if err := Forget(ctx, w.DB.Pool, w.Now(), w.EventsKept); err != nil || w.BuyersKept == 0 {
		return err
	}
	if err := w.Merchants.EndAccessAnswers(ctx, w.Now().Add(-w.BuyersKept)); err != nil {
		return fmt.Errorf("jobs: forget answers: %w", err)
	}
	return ForgetBuyers(ctx, w.DB, w.Now(), w.BuyersKept)
}

// Forget deletes all data that had expired by now. Events are kept for eventsKept.
func Forget(ctx context.Context, q models.Querier, now time.Time, eventsKept time.Duration) error {
	return forgetAll(ctx, q, now, forgotten(eventsKept))
}

// ForgetBuyers removes the data of buyers whose charges had ended longer than kept before now.
func ForgetBuyers(ctx context.Context, db *models.DB, now time.Time, kept time.Duration) error {
	return forgetAll(ctx, db, now, buyers(kept))
}

func forgetAll[Q any](ctx context.Context, q Q, now time.Time, all []expiring[Q]) error {
	for _, f := range all {
		for more := true; more; {
			var err error
			if more, err = f.delete(ctx, q, now.Add(-f.kept)); err != nil {
				return fmt.Errorf("jobs: forget %s: %w", f.what, err)
			}
		}
	}
	return nil
}
