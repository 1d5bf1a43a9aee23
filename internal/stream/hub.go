// Package stream notifies open event streams that what they show may have changed, and
// writes the streams. One connection of the process listens to the database and notifies
// all streams, so a waiting stream costs memory and no connection. A notification does not
// contain the change: the stream reads the new state itself.
package stream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// tellEvery is the interval between messages to other processes.
	tellEvery = 50 * time.Millisecond
	// tellAtOnce bounds the ids in a message, which PostgreSQL limits to 8000 bytes.
	tellAtOnce = 200
)

// Hub notifies the streams of one process of the changes of all processes. A stream watches
// an id: a checkout's, or that of a scope's changes.
type Hub struct {
	db     *models.DB
	closed chan struct{}
	once   sync.Once
	wish   chan struct{}
	hears  atomic.Bool

	mu      sync.Mutex
	streams map[string]map[chan struct{}]string // by the watched id; the value is the watcher
	told    map[string]struct{}                 // the ids of the next message
}

// New returns a Hub that works until ctx ends.
func New(ctx context.Context, db *models.DB) *Hub {
	h := &Hub{
		db: db, closed: make(chan struct{}), wish: make(chan struct{}, 1),
		streams: map[string]map[chan struct{}]string{}, told: map[string]struct{}{},
	}
	// Streams find what changed before the process listened by looking again.
	models.HearChanges(ctx, db, func() { h.hears.Store(true); h.nudgeAll() }, func() { h.hears.Store(false) }, h.nudge)
	guard.Go("tell of changes", func() { guard.Keep(ctx, "tell of changes", h.tell) })
	return h
}

// Close ends every open stream, so that a server can stop. A stream that begins later sends
// the current state and ends.
func (h *Hub) Close() { h.once.Do(func() { close(h.closed) }) }

// Listening reports whether the process receives notifications now. While it does not, pages detect changes by polling.
// A connection that is lost silently still counts until models.DB.Hear has noticed the loss, after eight seconds at the
// most.
func (h *Hub) Listening() bool { return h.hears.Load() }

// Tell notifies the streams of every process that watch id, soon. It never blocks. It is
// called after commits, because NOTIFY in a transaction serializes commits. If a message is
// lost in a crash, streams find the change when they look by themselves.
func (h *Hub) Tell(id string) {
	h.mu.Lock()
	h.told[id] = struct{}{}
	h.mu.Unlock()
	select {
	case h.wish <- struct{}{}:
	default: // a message is pending
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
			if err := models.NotifyChanges(ctx, h.db.Pool, ids...); err != nil {
				h.db.LogFailure(ctx, "telling of changes failed; streams look by themselves", err)
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

// Watch returns a channel that receives when what id names may have changed, and a function
// that ends the watch. It returns false if the watcher who
// already has limit watches of id.
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

// Open returns the number of open watches.
func (h *Hub) Open() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, streams := range h.streams {
		n += len(streams)
	}
	return n
}

func (h *Hub) nudge(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.streams[id] {
		select {
		case ch <- struct{}{}:
		default: // it has not handled the change before yet
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
