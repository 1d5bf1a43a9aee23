package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// The wait between attempts to connect. Each is twice the one before.
	firstWait = 200 * time.Millisecond
	lastWait  = 30 * time.Second
	// silence is the longest time without data on a connection: a stream sends something
	// every 5 seconds.
	silence = 20 * time.Second
	// longestLine is enough for the largest possible event.
	longestLine = 4 << 20
	// remembered is the number of event ids kept to recognize repetitions.
	remembered = 10_000
)

// testEvent is one event of a stream, or a position in it if body is nil.
type testEvent struct {
	id, kind string
	body     []byte // as it is delivered
}

// eventSource reads the stream of a project's test events, also across lost connections:
// each event comes once, and none is left out.
type eventSource struct {
	*remote
	// lost is called for each connection that broke or could not be made, with the wait
	// before the next.
	lost func(err error, wait time.Duration)
	// connected is called for each new connection.
	connected func()
	// after are ids of events that came before, the latest last: the stream continues after
	// it. If after is empty the stream begins with new events.
	after []string

	last  string // where to continue; "" before the first connection
	seen  map[string]bool
	order []string // the ids in seen, oldest first
}

// follow calls handle for each event, and first with the position where a new stream
// begins. It returns nil when ctx ends, and an error if the gateway refuses permanently.
func (s *eventSource) follow(ctx context.Context, handle func(testEvent)) error {
	s.seen = map[string]bool{}
	for _, id := range s.after {
		s.note(id)
		s.last = id
	}
	wait := firstWait
	for {
		began, last := time.Now(), s.last
		err := s.stream(ctx, handle)
		if ctx.Err() != nil {
			return nil
		}
		if s.last != last || time.Since(began) > lastWait {
			wait = firstWait // the connection worked for a while
		}
		pause := wait/2 + rand.N(wait/2)
		if refused, ok := errors.AsType[*apiError](err); ok {
			if again := s.reconsider(refused); !again {
				return err
			}
			pause = max(pause, refused.retryAfter)
		}
		if !errors.Is(err, errEnded) {
			s.lost(err, pause)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		wait = min(2*wait, lastWait)
	}
}

// reconsider reports whether a refusal may be temporary.
func (s *eventSource) reconsider(r *apiError) bool {
	if r.status == http.StatusBadRequest && s.last != "" {
		s.last = "" // the gateway has another database now
		return true
	}
	return r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError
}

// stream connects once and reads until the connection breaks.
func (s *eventSource) stream(ctx context.Context, handle func(testEvent)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := s.request(ctx, http.MethodGet, "/v1/test/events", nil)
	if err != nil {
		return err
	}
	if s.last != "" {
		request.Header.Set("Last-Event-ID", s.last)
	}
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return plainly(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return readError(response)
	}
	s.connected()
	return s.read(&alive{response.Body, watchdog}, handle)
}

// alive resets the watchdog at every byte.
type alive struct {
	io.Reader
	watchdog *time.Timer
}

// Read implements io.Reader.
func (a *alive) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.watchdog.Reset(silence)
	return n, err
}

// read reads server-sent events, as far as the gateway uses the format.
func (s *eventSource) read(r io.Reader, handle func(testEvent)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	var e testEvent
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.body = []byte(value)
		case "":
			if lines.Text() != "" {
				continue // a comment
			}
			s.take(e, handle)
			e = testEvent{}
		}
	}
	if err := lines.Err(); err != nil {
		return plainly(err)
	}
	return errEnded
}

// errEnded reports that the gateway ended the stream normally, which it does regularly.
var errEnded = errors.New("the gateway ended the stream")

// take calls handle with an event that is not a repetition. A block without data has only
// the position of the stream.
func (s *eventSource) take(e testEvent, handle func(testEvent)) {
	if e.id == "" {
		return
	}
	s.last = e.id
	if s.seen[e.id] {
		return
	}
	if e.body != nil {
		s.note(e.id)
	}
	handle(e)
}

// note remembers an event and forgets the oldest.
func (s *eventSource) note(id string) {
	s.seen[id] = true
	if s.order = append(s.order, id); len(s.order) > remembered {
		delete(s.seen, s.order[0])
		s.order = s.order[1:]
	}
}

// plainly shortens a network error for developers.
func plainly(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("nothing came for %s", silence)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Err
	}
	return err
}

// retryAfterOf returns the header Retry-After, or 0 if it is not in seconds.
func retryAfterOf(response *http.Response) time.Duration {
	n, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, 5*time.Minute)
}
