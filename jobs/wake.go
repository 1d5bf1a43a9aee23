package jobs

import (
	"context"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

// wakeEvery is the shortest interval between two notifications of a Waker, however often Wake
// is called.
const wakeEvery = 5 * time.Millisecond

// Waker notifies the workers of every process that deliveries are waiting. It works outside of
// the transactions that write the deliveries, because NOTIFY serializes the commits that
// contain it. A notification that is lost in a crash does no harm: workers also look at the
// queue on their own.
type Waker struct {
	db   *models.DB
	wish chan struct{}
}

// NewWaker returns a Waker, which works until ctx ends.
func NewWaker(ctx context.Context, db *models.DB) *Waker {
	w := &Waker{db: db, wish: make(chan struct{}, 1)}
	guard.Go("wake the workers", func() { guard.Keep(ctx, "wake the workers", w.run) })
	return w
}

// Wake requests a notification soon. It never blocks.
func (w *Waker) Wake() {
	select {
	case w.wish <- struct{}{}:
	default: // a notification is already pending
	}
}

func (w *Waker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wish:
		}
		if err := models.Notify(ctx, w.db.Pool, models.DeliveriesChannel, ""); err != nil {
			w.db.LogFailure(ctx, "waking the workers failed; they look by themselves", err)
		}
		wait(ctx, wakeEvery)
	}
}
