package hosted

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
)

// events handles GET /pay/:id/events: server-sent events with the status that the
// page shows, at once and at every change, until it is final.
func (s *hosted) events(c *fiber.Ctx) error {
	return s.StatusEvents(c, "pay", func(ctx context.Context, id string) (shown string, final bool, err error) {
		checkout, err := s.publicCheckout(ctx, id)
		if err != nil {
			return "", false, err
		}
		return string(payments.Shown(checkout, s.Now())), checkout.Status != models.CheckoutPending, nil
	})
}
