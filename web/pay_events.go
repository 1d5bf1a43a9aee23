package web

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/live"
	"garoupa/models"
)

const (
	// streamsPerCheckout bounds how many browsers may watch one checkout.
	streamsPerCheckout = 20
	heartbeat          = 15 * time.Second
)

// payEvents handles GET /pay/:id/events: server-sent events with the status that the
// page shows, at once and at every change, until it is final.
func (s *server) payEvents(c *fiber.Ctx) error {
	id := c.Params("id")
	// Watch first and read second: a change between the two is seen twice, not never.
	changed, leave, ok := s.Live.Watch(id, id, streamsPerCheckout)
	if !ok {
		return fault.New(fault.RateLimitExceeded, "Too many pages watch this checkout.")
	}
	checkout, err := s.publicCheckout(c.UserContext(), id)
	if err != nil {
		leave()
		return err
	}
	prologue := "retry: 3000\n\n"
	return s.Live.Serve(c, live.Stream{Changed: changed, Leave: leave, Heartbeat: heartbeat, Next: func(ctx context.Context, w *bufio.Writer) bool {
		if prologue == "" {
			if checkout, err = s.publicCheckout(ctx, id); err != nil {
				return false // the page falls back to polling
			}
		}
		fmt.Fprintf(w, "%sevent: status\ndata: %s\n\n", prologue, shownStatus(checkout))
		prologue = ""
		return checkout.Status == models.CheckoutPending
	}})
}
