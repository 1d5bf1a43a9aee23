// Package requestlog keeps the calls of the API for the developers who made them.
//
// A call waits for nothing: it leaves a copy of what was said, which is masked, cut
// and written with others a moment later. Where more calls come than can be written,
// some are left out, and the log says how many.
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

	"garoupa/models"
)

const (
	// waiting bounds the calls that are to be written; each holds some kilobytes.
	waiting = 1024
	// together is how many calls are written in one statement, one every writeEvery:
	// a thousand a second are kept, and a flood of more takes the database no more
	// than that.
	together   = 256
	writeEvery = 250 * time.Millisecond
	// writeWithin bounds one statement.
	writeWithin = 10 * time.Second
)

// Call is one call and its answer.
type Call struct {
	models.APIRequest        // without its bodies
	Request           []byte // as sent; nobody else may change it
	Answer            []byte // the beginning of it, MaxAnswer bytes at most; nobody else may change it
}

// MaxAnswer is how much of an answer is worth keeping until it is masked and cut.
const MaxAnswer = 4 * maxBody

// Log writes calls. It is safe for concurrent use. A nil Log keeps nothing.
type Log struct {
	db      models.Querier
	calls   chan Call
	dropped atomic.Int64
	closing chan struct{}
	done    sync.WaitGroup
}

// Start returns a Log that writes to db until it is closed.
func Start(db models.Querier) *Log {
	l := &Log{db: db, calls: make(chan Call, waiting), closing: make(chan struct{})}
	l.done.Go(l.write)
	return l
}

// Room reports whether a call would be kept now, so that what would not be need not
// be copied. A call that finds no room is counted as dropped.
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

// Add keeps a call. It never blocks: a call that finds no room is counted as dropped.
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

// Close writes what waits and stops. Calls added later are not written.
func (l *Log) Close() {
	if l == nil {
		return
	}
	close(l.closing)
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

// take returns up to limit of the calls that wait.
func (l *Log) take(limit int) []models.APIRequest {
	batch := make([]models.APIRequest, 0, min(limit, len(l.calls)))
	for range cap(batch) {
		batch = append(batch, (<-l.calls).masked())
	}
	return batch
}

// flush writes a batch. What cannot be written is lost: the log serves developers,
// not the books.
func (l *Log) flush(batch []models.APIRequest) {
	ctx, cancel := context.WithTimeout(context.Background(), writeWithin)
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

// made matches an answer that begins with the id of what it tells of, as the API
// writes them.
var made = regexp.MustCompile(`^\{"(?:id|paymentLinkId)":"([a-z]+_[0-9a-f]+)"`)

// object is the id of what the call was about, by its path or its answer.
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

// masked is the call as it is written. A body that is not JSON is left out: nobody
// can tell what in it is private.
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
