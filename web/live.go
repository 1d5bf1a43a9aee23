package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"garoupa/models"
)

// streamsPerCheckout bounds how many browsers may watch one checkout.
const streamsPerCheckout = 20

// relisten is how long to wait before listening again after the connection broke.
const relisten = time.Second

// Live tells open pages when their checkout changes. One connection of the
// process listens to the database and every page hears from it, so a page that
// waits costs memory and no connection.
type Live struct {
	db     *models.DB
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	pages map[string]map[chan struct{}]struct{} // by checkout id
}

// NewLive returns a Live that listens until ctx ends.
func NewLive(ctx context.Context, db *models.DB) *Live {
	l := &Live{db: db, closed: make(chan struct{}), pages: map[string]map[chan struct{}]struct{}{}}
	go l.listen(ctx)
	return l
}

// Close ends every open stream, so that a server with pages open can stop.
func (l *Live) Close() { l.once.Do(func() { close(l.closed) }) }

func (l *Live) listen(ctx context.Context) {
	for ctx.Err() == nil {
		// What changed while nobody listened is found by looking again.
		err := models.ListenStatus(ctx, l.db, l.nudgeAll, func(id string, _ models.CheckoutStatus) { l.nudge(id) })
		if ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "lost the connection that hears of changes; pages poll meanwhile", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(relisten):
		}
	}
}

// watch returns a channel that is sent to when the checkout may have changed, and
// a function that ends the watch. It reports false if too many watch already.
func (l *Live) watch(id string) (changed <-chan struct{}, leave func(), ok bool) {
	ch := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pages[id]) >= streamsPerCheckout {
		return nil, nil, false
	}
	if l.pages[id] == nil {
		l.pages[id] = map[chan struct{}]struct{}{}
	}
	l.pages[id][ch] = struct{}{}
	return ch, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.pages[id], ch)
		if len(l.pages[id]) == 0 {
			delete(l.pages, id)
		}
	}, true
}

func (l *Live) nudge(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.pages[id] {
		select {
		case ch <- struct{}{}:
		default: // it has yet to look at the change before
		}
	}
}

func (l *Live) nudgeAll() {
	l.mu.Lock()
	ids := make([]string, 0, len(l.pages))
	for id := range l.pages {
		ids = append(ids, id)
	}
	l.mu.Unlock()
	for _, id := range ids {
		l.nudge(id)
	}
}
