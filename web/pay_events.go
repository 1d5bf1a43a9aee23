package web

import (
	"bufio"
	"context"
	"fmt"
	"strings"
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
	return s.statusEvents(c, "pay", func(ctx context.Context, id string) (shown string, final bool, err error) {
		checkout, err := s.publicCheckout(ctx, id)
		if err != nil {
			return "", false, err
		}
		return shownStatus(checkout), checkout.Status != models.CheckoutPending, nil
	})
}

// checkoutEvents handles GET /app/cobrancas/:id/events: the same for the page of members
// who look at the checkout's environment.
func (s *server) checkoutEvents(c *fiber.Ctx) error {
	within := scope(c)
	return s.statusEvents(c, "app", func(ctx context.Context, id string) (shown string, final bool, err error) {
		checkout, err := s.Payments.Checkout(ctx, within, id)
		if err != nil {
			return "", false, err
		}
		return string(checkout.Status), checkout.Status != models.CheckoutPending, nil
	})
}

// statusEvents streams what read tells of the checkout in the address. Each kind of page
// has a bound of its own on how many may watch one.
func (s *server) statusEvents(c *fiber.Ctx, page string, read func(ctx context.Context, id string) (shown string, final bool, err error)) error {
	id := strings.Clone(c.Params("id")) // the stream outlives the request
	// Watch first and read second: a change between the two is seen twice, not never.
	changed, leave, ok := s.Live.Watch(id, page+"/"+id, streamsPerCheckout)
	if !ok {
		return fault.New(fault.RateLimitExceeded, "Too many pages watch this checkout.")
	}
	shown, final, err := read(c.UserContext(), id)
	if err != nil {
		leave()
		return err
	}
	prologue := "retry: 3000\n\n"
	return s.Live.Serve(c, live.Stream{Changed: changed, Leave: leave, Heartbeat: heartbeat, Next: func(ctx context.Context, w *bufio.Writer) bool {
		if prologue == "" {
			if shown, final, err = read(ctx, id); err != nil {
				return false // the page falls back to polling
			}
		}
		fmt.Fprintf(w, "%sevent: status\ndata: %s\n\n", prologue, shown)
		prologue = ""
		return !final
	}})
}
