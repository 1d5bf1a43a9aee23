package page

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/stream"
)

// pulsesPerPerson bounds how many pages of one person are kept current.
const pulsesPerPerson = 20

// Pulse is a stream that tells an open page when it may show something new. The page then reads itself again.
type Pulse struct {
	Watched string        // the id that the hub tells of; none is told of ""
	Person  string        // the id of the user
	Look    time.Duration // how often Mark is called without a notification
	// Mark returns what the newest page is marked with. beat counts its calls from 0. An event is sent if the
	// mark differs from the one before. A mark that says less than the page must therefore grow with beat.
	Mark func(ctx context.Context, beat int) (string, error)
}

// Pulse answers with the stream. Its first event tells the page what changed before the stream began.
func (s *Site) Pulse(c *fiber.Ctx, p Pulse) error {
	changed, leave, ok := s.Streams.Watch(p.Watched, "pulse/"+p.Person, pulsesPerPerson)
	if !ok {
		return refusal.New(refusal.RateLimitExceeded, "Too many pages are open.")
	}
	mark, err := p.Mark(c.UserContext(), 0)
	if err != nil {
		leave()
		return fmt.Errorf("page: mark the newest page: %w", err)
	}
	beat, sent := 0, ""
	return s.Streams.Serve(c, stream.Stream{Changed: changed, Leave: leave, Heartbeat: heartbeat, Look: p.Look,
		Next: func(ctx context.Context, w *bufio.Writer) bool {
			if beat > 0 {
				ctx, cancel := context.WithTimeout(ctx, lookWithin)
				defer cancel()
				if mark, err = p.Mark(ctx, beat); err != nil {
					return false // the page opens another
				}
			}
			if beat == 0 {
				_, _ = w.WriteString("retry: 3000\n\n")
			}
			if beat++; mark != sent {
				fmt.Fprintf(w, "event: pulse\ndata: %s\n\n", mark)
				sent = mark
			}
			return true
		}})
}
