package live

import (
	"bufio"
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"garoupa/requestid"
)

// streamLife ends a stream, after which the client opens another.
const streamLife = 10 * time.Minute

// Stream is one answer of server-sent events.
type Stream struct {
	Changed <-chan struct{} // from Watch
	Leave   func()          // from Watch; called when the stream is over
	// Next writes what there is to tell, at the beginning and whenever something may
	// have changed. The stream ends after it reports false. It outlives the handler,
	// so it must use nothing of the fiber.Ctx.
	Next func(ctx context.Context, w *bufio.Writer) (more bool)
	// Heartbeat spaces the comments that keep proxies from cutting a quiet stream. A
	// client that left is noticed about three of them later.
	Heartbeat time.Duration
	// Look calls Next also when nothing was told of; 0 never does.
	Look time.Duration
}

// Serve answers c with the stream.
func (h *Hub) Serve(c *fiber.Ctx, s Stream) error {
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-cache, no-transform")
	c.Set("X-Accel-Buffering", "no")
	ctx := requestid.With(context.Background(), requestid.Of(c.UserContext()))
	c.Context().SetBodyStreamWriter(fasthttp.StreamWriter(func(w *bufio.Writer) {
		defer s.Leave()
		defer func() { // a panic here is outside of every middleware and would end the process
			if r := recover(); r != nil {
				slog.ErrorContext(ctx, "event stream failed", "panic", r)
			}
		}()
		h.run(ctx, w, s)
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
