package jobs

import (
	"context"
	"log/slog"
	"time"

	"garoupa/models"
)

// wakeEvery spaces the calls that Waker makes, however many commits ask for one.
const wakeEvery = 5 * time.Millisecond

// Waker tells the workers of every process that deliveries wait. It notifies
// outside of the transactions that wrote them: NOTIFY serialises the commits it
// is part of. A call lost in a crash costs nothing, as workers also look on their
// own every second.
type Waker struct {
	db   *models.DB
	wish chan struct{}
}

// NewWaker returns a waker that works until ctx ends.
func NewWaker(ctx context.Context, db *models.DB) *Waker {
	w := &Waker{db: db, wish: make(chan struct{}, 1)}
	go w.run(ctx)
	return w
}

// Wake asks for a call soon. It never blocks.
func (w *Waker) Wake() {
	select {
	case w.wish <- struct{}{}:
	default: // one is on its way
	}
}

func (w *Waker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wish:
		}
		// River's own topic and payload for "jobs were inserted into this queue".
		_, err := w.db.Pool.Exec(ctx, `SELECT set_config('synchronous_commit', 'off', true),
			pg_notify(current_schema() || '.river_insert', '{"queue": "`+models.QueueWebhooks+`"}')`)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "waking the workers failed; they look every second", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wakeEvery):
		}
	}
}
