package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/ratelimit"
	"garoupa/internal/refusal"
	"garoupa/internal/stream"
	"garoupa/models"
)

const (
	// streamsPerKey bounds the streams of one key at one process.
	streamsPerKey = 5
	// streamHeartbeat is short, so that the stream of a developer's machine that disconnected
	// is soon closed and makes room for another.
	streamHeartbeat = 5 * time.Second
	// streamLook bounds how long a stream outlives its key (docs/rules.md, "API keys"), and
	// how late an event arrives whose process died before it announced the event.
	streamLook = time.Second
	// streamTimeout bounds one read of the database.
	streamTimeout = 10 * time.Second
)

// streamTestEvents handles GET /v1/test/events: server-sent events of the key's project in
// the form that endpoints receive, for test keys only. It sends new events or, with
// Last-Event-ID, those after that event.
func (s *server) streamTestEvents(c *fiber.Ctx) error {
	h := holder(c)
	if h.Key.Environment == models.Live {
		return errTestOnly
	}
	// Watch first and read second: an event between the two is found twice, and not missed.
	changed, leave, ok := s.Streams.Watch(h.Key.ProjectID, h.Key.ID, streamsPerKey)
	if !ok {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(ratelimit.RetrySeconds(2*streamHeartbeat)))
		return refusal.New(refusal.RateLimitExceeded,
			"The key has %d streams open already, the most allowed. Close one, or wait as long as the Retry-After "+
				"header says.", streamsPerKey)
	}
	events, prologue, err := s.openStream(c.UserContext(), h.Key.ProjectID, c.Get("Last-Event-ID"))
	if err != nil {
		leave()
		return err
	}
	secret, ip := bearerOf(c), c.IP()
	return s.Streams.Serve(c, stream.Stream{Changed: changed, Leave: leave, Heartbeat: streamHeartbeat,
		Look: streamLook, Next: func(ctx context.Context, w *bufio.Writer) bool {
			_, _ = w.WriteString(prologue)
			prologue = ""
			return s.streamNext(ctx, w, secret, ip, events)
		}})
}

// openStream finds the position where a stream begins, and returns its first block.
func (s *server) openStream(ctx context.Context, projectID, last string) (events *models.EventStream, prologue string,
	err error) {
	if last == "" {
		if events, last, err = models.NewEventStream(ctx, s.DB.Pool, projectID); err != nil {
			return nil, "", err
		}
		return events, "retry: 1000\nid: " + last + "\n: new test events follow\n\n", nil
	}
	events, err = models.ResumeEventStream(ctx, s.DB.Pool, projectID, last)
	if errors.Is(err, models.ErrNotFound) {
		return nil, "", refusal.New(refusal.InvalidRequestBody,
			"Last-Event-ID names no test event of this project. Leave it out to receive new events.")
	}
	return events, "retry: 1000\n: test events after " + last + " follow\n\n", err
}

// streamNext sends new events, as long as the key is valid.
func (s *server) streamNext(ctx context.Context, w *bufio.Writer, secret, ip string, stream *models.EventStream) bool {
	ctx, cancel := context.WithTimeout(ctx, streamTimeout)
	defer cancel()
	if h, err := s.Merchants.Authenticate(ctx, secret, ip); err != nil || !h.Key.Allows(models.PermissionCheckoutRead) {
		return false
	}
	for {
		events, err := stream.Next(ctx, s.DB.Pool)
		if err != nil {
			slog.WarnContext(ctx, "a stream of test events ends; its client resumes", "err", err)
			return false
		}
		if len(events) == 0 {
			return true
		}
		for _, e := range events { // a body is JSON on one line
			fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, e.Body)
		}
		if w.Flush() != nil {
			return false
		}
	}
}
