// Package requestlog stores the API calls of developers, so that they can look at them.
//
// A call does not wait: it queues a copy, which is masked, cut and written with others a
// moment later. If more calls come than can be written, some are left out, and the log
// reports how many.
package requestlog

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
)

const (
	// waiting bounds the queue; each call in it holds some kilobytes.
	waiting = 1024
	// together is how many calls one statement writes, one statement every writeEvery:
	// about a thousand calls a second are stored, and a flood does not burden the database
	// more.
	together   = 256
	writeEvery = 250 * time.Millisecond
	// writeWithin bounds one statement.
	writeWithin = 10 * time.Second
	// closeWithin bounds the last statement, for which a stopping process waits.
	closeWithin = 2 * time.Second
)

// Call is one call and its answer.
type Call struct {
	models.APIRequest        // without its bodies
	Request           []byte // as sent; must not be changed any more
	Answer            []byte // its beginning, MaxAnswer bytes at most; must not be changed any more
}

// MaxAnswer is how much of an answer is enough for masking and cutting.
const MaxAnswer = 4 * maxBody

// Log writes calls. It is safe for concurrent use. A nil Log keeps nothing.
type Log struct {
	db      models.Querier
	calls   chan Call
	dropped atomic.Int64
	closing chan struct{}
	done    sync.WaitGroup
	ctx     context.Context // ends writes
	abandon context.CancelFunc
}

// Start returns a Log that writes to db until it is closed.
func Start(db models.Querier) *Log {
	l := &Log{db: db, calls: make(chan Call, waiting), closing: make(chan struct{})}
	l.ctx, l.abandon = context.WithCancel(context.Background())
	l.done.Go(func() {
		guard.Keep(context.Background(), "write the request log", func(context.Context) { l.write() })
	})
	return l
}

// Room reports whether a call would be stored now, so that the caller need not copy a call
// in vain. If there is no room, it counts the call as dropped.
func (l *Log) Room() bool {
	if l == nil {
		return false
	}
	if len(l.calls) == cap(l.calls) {
		l.dropped.Add(1)
		return false
	}
	return true
}

// Add queues a call. It never blocks: if there is no room, it counts the call as dropped.
func (l *Log) Add(c Call) {
	if l == nil {
		return
	}
	select {
	case l.calls <- c:
	default:
		l.dropped.Add(1)
	}
}

// Close writes the queued calls and stops, within closeWithin. Later calls are not written.
func (l *Log) Close() {
	if l == nil {
		return
	}
	close(l.closing)
	defer l.abandon()
	defer time.AfterFunc(closeWithin, l.abandon).Stop()
	l.done.Wait()
}

func (l *Log) write() {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.flush(l.take(together))
		case <-l.closing:
			l.flush(l.take(waiting))
			return
		}
	}
}

// take returns up to limit queued calls.
func (l *Log) take(limit int) []models.APIRequest {
	batch := make([]models.APIRequest, 0, min(limit, len(l.calls)))
	for range cap(batch) {
		batch = append(batch, (<-l.calls).masked())
	}
	return batch
}

// flush writes a batch. If that fails, the calls are lost: the request log serves
// developers, it is not part of the books.
func (l *Log) flush(batch []models.APIRequest) {
	ctx, cancel := context.WithTimeout(l.ctx, writeWithin)
	defer cancel()
	lost := l.dropped.Swap(0)
	var err error
	if len(batch) > 0 {
		if err = models.InsertAPIRequests(ctx, l.db, batch); err != nil {
			lost += int64(len(batch))
		}
	}
	if lost > 0 {
		slog.Warn("calls of the API were left out of the request log", "calls", lost, "err", err)
	}
}

// made matches an answer that begins with the id of its object, as the API writes them.
var made = regexp.MustCompile(`^\{"(?:id|paymentLinkId)":"([a-z]+_[0-9a-f]+)"`)

// object returns the id of the call's object, from its path or its answer.
func (c Call) object() string {
	for part := range strings.SplitSeq(c.Path, "/") {
		if models.IsAPIObject(part) {
			return part
		}
	}
	if found := made.FindSubmatch(c.Answer); found != nil && models.IsAPIObject(string(found[1])) {
		return string(found[1])
	}
	return ""
}

// masked returns the call in the form in which it is stored. A body that is not JSON is
// left out, because its private parts cannot be recognized.
func (c Call) masked() models.APIRequest {
	row := c.APIRequest
	row.ObjectID = c.object()
	if len(c.Request) > 0 && json.Valid(c.Request) {
		row.Request = mask(c.Request)
	}
	row.Answer = mask(c.Answer)
	row.Path = strings.ReplaceAll(strings.ToValidUTF8(row.Path, ""), "\x00", "")
	return row
}
