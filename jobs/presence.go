package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// lookEvery is the interval between looks for processes that are gone.
	lookEvery = time.Second
	// goneAfter is how long a process must be missing before other processes take over its
	// jobs. A running process notices a lost connection within models.ListenSilence, and shows
	// its presence again.
	goneAfter = models.ListenSilence + 4*time.Second
	// appearWithin limits how long a start waits until the process is visible.
	appearWithin = 10 * time.Second
)

// appear shows other processes, until ctx ends, that the process with this name is running. It
// returns when they can see it.
func appear(ctx context.Context, db *models.DB, name string) error {
	// failed has no buffer: after the start has returned, failures are dropped.
	seen, failed := make(chan struct{}), make(chan error)
	held := sync.OnceFunc(func() { close(seen) })
	guard.Go("presence", func() {
		guard.Keep(ctx, "presence", func(ctx context.Context) {
			for ctx.Err() == nil {
				err := models.HoldPresence(ctx, db, name, held)
				select {
				case <-ctx.Done():
					return
				case failed <- err:
					return
				case <-seen:
					db.LogFailure(ctx, "lost the connection that shows that this process runs", err)
				}
				wait(ctx, lookEvery/4)
			}
		})
	})
	select {
	case <-seen:
		return nil
	case err := <-failed:
		return err
	case <-time.After(appearWithin):
		return fmt.Errorf("jobs: not seen by the database within %s", appearWithin)
	}
}

// wait returns after length, or when ctx ends.
func wait(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// takeOver returns the jobs of processes that are gone (killed, or lost with their machine) to
// the queue, until ctx ends. Without takeOver the jobs would wait until River considers them
// stuck.
func (r *Runner) takeOver(ctx context.Context) {
	missing := map[string]time.Time{} // the time since which each process is missing
	for ctx.Err() == nil {
		var gone []string
		for name, since := range missing {
			if time.Since(since) >= goneAfter {
				gone = append(gone, name)
			}
		}
		absent, err := models.ReleaseJobs(ctx, r.DB.Pool, r.name, gone)
		missing = stillMissing(missing, absent) // after an error it is empty, because nothing is known
		switch {
		case err != nil:
			r.DB.LogFailure(ctx, "looking for processes that are gone failed", err)
		case len(gone) > 0:
			slog.WarnContext(ctx, "took over the jobs of processes that are gone", "processes", gone)
			r.Payments.Wake()
		}
		wait(ctx, lookEvery)
	}
}

// stillMissing returns the time since which each absent process is missing.
func stillMissing(before map[string]time.Time, absent []string) map[string]time.Time {
	missing := map[string]time.Time{}
	for _, name := range absent {
		since, known := before[name]
		if !known {
			since = time.Now()
		}
		missing[name] = since
	}
	return missing
}
