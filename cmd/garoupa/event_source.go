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
	// Waits between attempts to connect, of which each is twice the one before.
	firstWait = 200 * time.Millisecond
	lastWait  = 30 * time.Second
	// silence is how long a connection may say nothing: a stream has something every 5
	// seconds.
	silence = 20 * time.Second
	// longestLine is room for the largest event there can be.
	longestLine = 4 << 20
	// remembered is how many events are told apart from repetitions.
	remembered = 10_000
)

// testEvent is one event of a stream, or without a body a place in it.
type testEvent struct {
	id, kind string
	body     []byte // as it is delivered
}

// eventSource is the stream of a project's test events, which it follows through lost
// connections: each event comes once, and none is left out.
type eventSource struct {
	*remote
	// lost is told of each connection that broke or was not made, and how long the wait
	// for the next is.
	lost func(err error, wait time.Duration)
	// connected is told of each connection that was made.
	connected func()
	// after are ids of events that came before, the latest last: the stream goes on
	// behind it. Without any it begins with what is new.
	after []string

	last  string // where to go on; "" before the first connection
	seen  map[string]bool
	order []string // of seen, the oldest first
}

// follow hands events over, and first the place where a new stream begins, until ctx
// ends, which is no error, or the gateway refuses for good.
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
			wait = firstWait // it went well for a while
		}
		pause := wait/2 + rand.N(wait/2)
		if refused, ok := errors.AsType[*refusal](err); ok {
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

// reconsider reports whether a refusal may pass.
func (s *eventSource) reconsider(r *refusal) bool {
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
		return readRefusal(response)
	}
	s.connected()
	return s.read(&alive{response.Body, watchdog}, handle)
}

// alive puts the watchdog off at every byte.
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

// read reads the format of server-sent events, as much of it as the gateway writes.
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

// errEnded reports a stream that the gateway ended in order, as it does now and then.
var errEnded = errors.New("the gateway ended the stream")

// take hands over what is new of a block. One without data says where a stream stands.
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

// note remembers an event, and in time forgets the oldest.
func (s *eventSource) note(id string) {
	s.seen[id] = true
	if s.order = append(s.order, id); len(s.order) > remembered {
		delete(s.seen, s.order[0])
		s.order = s.order[1:]
	}
}

// plainly cuts from a network's error what a person who develops need not read.
func plainly(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("nothing came for %s", silence)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Err
	}
	return err
}

// retryAfterOf reads the header Retry-After, 0 if there is none in seconds.
func retryAfterOf(response *http.Response) time.Duration {
	n, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, 5*time.Minute)
}
