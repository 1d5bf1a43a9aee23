package dashboard

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// checkoutEvents handles GET /app/cobrancas/:id/events: the events of the hosted page, for
// members who look at the checkout's environment.
func (s *dashboard) checkoutEvents(c *fiber.Ctx) error {
	within := page.Scope(c)
	return s.StatusEvents(c, "app", func(ctx context.Context, id string) (shown string, final bool, err error) {
		checkout, err := s.Payments.Checkout(ctx, within, id)
		if err != nil {
			return "", false, err
		}
		return string(checkout.Status), checkout.Status != models.CheckoutPending, nil
	})
}
