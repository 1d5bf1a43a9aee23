// Package live tells open streams that what they show may have changed, and writes
// them. One connection of the process listens to the database and every stream hears
// from it, so that one that waits costs memory and no connection. A stream is told
// that something changed, not what: it looks for itself.
package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"garoupa/models"
)

const (
	// relisten is how long to wait before listening again after the connection broke.
	relisten = time.Second
	// tellEvery spaces the messages to other processes, however much there is to tell.
	tellEvery = 50 * time.Millisecond
	// tellAtOnce bounds the ids of a message, of which PostgreSQL takes 8000 bytes.
	tellAtOnce = 200
)

// Hub connects the streams of one process with the changes of all. What a stream
// watches is named by an id: a checkout's, or a project's for its test events.
type Hub struct {
	db     *models.DB
	closed chan struct{}
	once   sync.Once
	wish   chan struct{}

	mu      sync.Mutex
	streams map[string]map[chan struct{}]string // by what they watch, with who does
	told    map[string]struct{}                 // what is still to be told of
}

// New returns a Hub that works until ctx ends.
func New(ctx context.Context, db *models.DB) *Hub {
	h := &Hub{
		db: db, closed: make(chan struct{}), wish: make(chan struct{}, 1),
		streams: map[string]map[chan struct{}]string{}, told: map[string]struct{}{},
	}
	go h.listen(ctx)
	go h.tell(ctx)
	return h
}

// Close ends every open stream, so that a server can stop. Streams that begin later
// tell what there is and end.
func (h *Hub) Close() { h.once.Do(func() { close(h.closed) }) }

func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		// What changed while nobody listened is found by looking again.
		err := models.ListenChanges(ctx, h.db, h.nudgeAll, h.nudge)
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

// Tell tells the streams of every process that watch id, soon. It never blocks. It is
// for commits that must not notify by themselves, as that puts them in one line. A
// message that is lost in a crash is made up for by streams that look now and then.
func (h *Hub) Tell(id string) {
	h.mu.Lock()
	h.told[id] = struct{}{}
	h.mu.Unlock()
	select {
	case h.wish <- struct{}{}:
	default: // a message is on its way
	}
}

func (h *Hub) tell(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wish:
		}
		for ids := h.takeTold(); len(ids) > 0; ids = h.takeTold() {
			if err := models.NotifyChanges(ctx, h.db.Pool, ids...); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "telling of changes failed; streams look by themselves", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellEvery):
		}
	}
}

func (h *Hub) takeTold() (ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.told {
		if len(ids) == tellAtOnce {
			break
		}
		ids = append(ids, id)
		delete(h.told, id)
	}
	return ids
}

// Watch returns a channel that is sent to when what id names may have changed, and
// a function that ends the watch. It reports false if who has limit watches of it
// already.
func (h *Hub) Watch(id, who string, limit int) (changed <-chan struct{}, leave func(), ok bool) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.streams[id] {
		if other == who {
			limit--
		}
	}
	if limit <= 0 {
		return nil, nil, false
	}
	if h.streams[id] == nil {
		h.streams[id] = map[chan struct{}]string{}
	}
	h.streams[id][ch] = who
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.streams[id], ch)
		if len(h.streams[id]) == 0 {
			delete(h.streams, id)
		}
	}, true
}

func (h *Hub) nudge(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.streams[id] {
		select {
		case ch <- struct{}{}:
		default: // it has yet to look at the change before
		}
	}
}

func (h *Hub) nudgeAll() {
	h.mu.Lock()
	ids := make([]string, 0, len(h.streams))
	for id := range h.streams {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	for _, id := range ids {
		h.nudge(id)
	}
}
