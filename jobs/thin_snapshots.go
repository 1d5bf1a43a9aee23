package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// thinEvery is the interval between two runs that thin snapshots of balances.
const thinEvery = 10 * time.Minute

// thinned lists the ages from which one snapshot an hour, a day or a month is kept.
var thinned = []expiring[models.Querier]{
	{"snapshots of minutes", day, models.ThinSnapshots("hour")},
	{"snapshots of hours", 32 * day, models.ThinSnapshots("day")},
	{"snapshots of days", 400 * day, models.ThinSnapshots("month")},
}

type thinSnapshotsArgs struct{}

// Kind implements river.JobArgs.
func (thinSnapshotsArgs) Kind() string { return "thin_snapshots" }

// thinSnapshots deletes snapshots of balances that later ones replace.
type thinSnapshots struct {
	river.WorkerDefaults[thinSnapshotsArgs]
	Options
}

// Work deletes batch by batch until none is left or the job's time is over. The next run continues: the history of
// an installation that never thinned may take many.
func (w *thinSnapshots) Work(ctx context.Context, _ *river.Job[thinSnapshotsArgs]) error {
	err := ThinSnapshots(ctx, w.DB.Pool, w.Now())
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// ThinSnapshots deletes the snapshots of balances that now are old enough for one an hour, a day or a month.
func ThinSnapshots(ctx context.Context, q models.Querier, now time.Time) error {
	if err := forgetAll(ctx, q, now, thinned); err != nil {
		return fmt.Errorf("thin the books' snapshots: %w", err)
	}
	return nil
}
