package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"garoupa/models"
)

const (
	// lookEvery spaces the looks for processes that are gone. Two in a row must miss
	// one before its jobs are taken over: a process whose connection broke gets the
	// time to show itself again.
	lookEvery = time.Second
	// appearWithin bounds how long a start waits to be seen.
	appearWithin = 10 * time.Second
)

// appear shows to the other processes that the one with this name lives, and
// returns once they see it. It lasts until ctx ends.
func appear(ctx context.Context, db *models.DB, name string) error {
	seen, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		held := func() { close(seen) }
		for {
			err := models.HoldPresence(ctx, db, name, held)
			if ctx.Err() != nil {
				return
			}
			select {
			case <-seen:
				slog.WarnContext(ctx, "lost the connection that shows that this process lives", "err", err)
				held = func() {}
			case failed <- err: // to who started it, if they still wait
			default:
			}
			select {
			case <-ctx.Done():
			case <-time.After(lookEvery / 4):
			}
		}
	}()
	select {
	case <-seen:
		return nil
	case err := <-failed:
		return err
	case <-time.After(appearWithin):
		return fmt.Errorf("jobs: not seen by the database within %s", appearWithin)
	}
}

// takeOver gives back to the queue, until ctx ends, the jobs of processes that are
// gone: killed, or lost with their machine. Without it they would wait for River,
// which judges by the time that a job takes.
func (r *Runner) takeOver(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var absent []string
	for {
		now, err := models.ReleaseJobs(ctx, r.DB.Pool, absent)
		switch {
		case err != nil && ctx.Err() == nil:
			slog.ErrorContext(ctx, "looking for processes that are gone failed", "err", err)
		case slices.ContainsFunc(now, func(name string) bool { return slices.Contains(absent, name) }):
			slog.WarnContext(ctx, "took over the jobs of processes that are gone", "processes", now)
			r.Payments.Wake()
		}
		absent = now
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
