package web

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/requestid"
)

const (
	// heartbeat keeps proxies from cutting a quiet stream, and is how a browser
	// that left is noticed.
	heartbeat = 15 * time.Second
	// streamLife ends a stream, after which the browser opens another.
	streamLife = 10 * time.Minute
)

// payEvents handles GET /pay/:id/events: server-sent events with the checkout's
// status, at once and at every change, until it is final.
func (s *server) payEvents(c *fiber.Ctx) error {
	id := c.Params("id")
	// Watch first and read second: a change between the two is seen twice, not never.
	changed, leave, ok := s.Live.watch(id)
	if !ok {
		return fault.New(fault.RateLimitExceeded, "Too many pages watch this checkout.")
	}
	checkout, err := s.publicCheckout(c.UserContext(), id)
	if err != nil {
		leave()
		return err
	}
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-cache, no-transform")
	c.Set("X-Accel-Buffering", "no")
	// The stream outlives the handler, so it has nothing of c.
	ctx := requestid.With(context.Background(), requestid.Of(c.UserContext()))
	c.Context().SetBodyStreamWriter(fasthttp.StreamWriter(func(w *bufio.Writer) {
		defer leave()
		defer func() { // a panic here is outside of every middleware and would end the process
			if r := recover(); r != nil {
				slog.ErrorContext(ctx, "event stream failed", "panic", r)
			}
		}()
		s.stream(ctx, w, id, checkout.Status, changed)
	}))
	return nil
}

func (s *server) stream(ctx context.Context, w *bufio.Writer, id string, status models.CheckoutStatus, changed <-chan struct{}) {
	beat, end := time.NewTicker(heartbeat), time.NewTimer(streamLife)
	defer beat.Stop()
	defer end.Stop()
	message := fmt.Sprintf("retry: 3000\n\nevent: status\ndata: %s\n\n", status)
	for {
		_, _ = w.WriteString(message)
		if w.Flush() != nil || status != models.CheckoutPending {
			return // the browser left, or there is nothing more to tell
		}
		select {
		case <-changed:
			checkout, err := s.publicCheckout(ctx, id)
			if err != nil {
				return // the page falls back to polling
			}
			status = checkout.Status
			message = fmt.Sprintf("event: status\ndata: %s\n\n", status)
		case <-beat.C:
			message = ": still here\n\n"
		case <-end.C:
			return
		case <-s.Live.closed:
			return
		}
	}
}
