package stream

import (
	"bufio"
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"garoupa/internal/guard"
	"garoupa/internal/requestid"
)

// streamLife is the longest duration of a stream; the client then opens another.
const streamLife = 10 * time.Minute

// Stream is one answer of server-sent events.
type Stream struct {
	Changed <-chan struct{} // from Watch
	Leave   func()          // from Watch; called when the stream is over
	// Next writes the current state, at the beginning and whenever it may have changed. The
	// stream ends when it returns false. It runs after the handler has returned, so it must
	// not use the fiber.Ctx.
	Next func(ctx context.Context, w *bufio.Writer) (more bool)
	// Heartbeat is the interval of the comments that keep proxies from closing a quiet
	// stream. A client that left is noticed after about three of them.
	Heartbeat time.Duration
	// Look is the interval of calls of Next without a notification; 0 for none.
	Look time.Duration
}

// Serve answers c with the stream.
func (h *Hub) Serve(c *fiber.Ctx, s Stream) error {
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store, no-cache, no-transform")
	c.Set("X-Accel-Buffering", "no")
	ctx := requestid.With(context.Background(), requestid.Of(c.UserContext()))
	c.Context().SetBodyStreamWriter(fasthttp.StreamWriter(func(w *bufio.Writer) {
		defer s.Leave()
		_ = guard.Call("stream events", func() error { // runs outside of every middleware
			h.run(ctx, w, s)
			return nil
		})
	}))
	return nil
}

func (h *Hub) run(ctx context.Context, w *bufio.Writer, s Stream) {
	beat, end := time.NewTicker(s.Heartbeat), time.NewTimer(streamLife)
	defer beat.Stop()
	defer end.Stop()
	var look <-chan time.Time
	if s.Look > 0 {
		ticker := time.NewTicker(s.Look)
		defer ticker.Stop()
		look = ticker.C
	}
	more := s.Next(ctx, w)
	for w.Flush() == nil && more { // it fails once the client has left
		select {
		case <-s.Changed:
			more = s.Next(ctx, w)
		case <-look:
			more = s.Next(ctx, w)
		case <-beat.C:
			_, _ = w.WriteString(": still here\n\n")
		case <-end.C:
			return
		case <-h.closed:
			return
		}
	}
}
