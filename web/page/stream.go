package page

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/stream"
)

const (
	// streamsPerCheckout bounds how many browsers may watch one checkout.
	streamsPerCheckout = 20
	heartbeat          = 15 * time.Second
	// look is the interval at which a stream reads the status without a notification, which
	// is lost only if a process ends between a commit and its notification.
	look = 30 * time.Second
	// lookWithin bounds one query of a stream.
	lookWithin = 10 * time.Second
)

// StatusEvents streams the status that read returns for the checkout in the address. kind is
// the kind of page; each kind has its own limit of streams for a checkout.
func (s *Site) StatusEvents(c *fiber.Ctx, kind string,
	read func(ctx context.Context, id string) (shown string, final bool, err error)) error {
	id := strings.Clone(c.Params("id")) // the stream outlives the request
	// Watch before reading: a change between the two is then seen twice and not missed.
	changed, leave, ok := s.Streams.Watch(id, kind+"/"+id, streamsPerCheckout)
	if !ok {
		return refusal.New(refusal.RateLimitExceeded, "Too many pages watch this checkout.")
	}
	shown, final, err := read(c.UserContext(), id)
	if err != nil {
		leave()
		return err
	}
	prologue := "retry: 3000\n\n"
	return s.Streams.Serve(c, stream.Stream{Changed: changed, Leave: leave, Heartbeat: heartbeat, Look: look,
		Next: func(ctx context.Context, w *bufio.Writer) bool {
			if prologue == "" {
				ctx, cancel := context.WithTimeout(ctx, lookWithin)
				defer cancel()
				if shown, final, err = read(ctx, id); err != nil {
					return false // the page falls back to polling
				}
			}
			fmt.Fprintf(w, "%sevent: status\ndata: %s\n\n", prologue, shown)
			prologue = ""
			return !final
		}})
}
