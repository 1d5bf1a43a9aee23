package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// errTestOnly answers a live key at the endpoints under /v1/test.
var errTestOnly = refusal.New(refusal.NotFound, "This endpoint exists for test keys only.")

// simulation does to a checkout what a buyer, the clock or the institution would do.
type simulation func(ctx context.Context, checkoutID string) error

// simulate handles POST /v1/test/checkouts/{checkoutId}/pay, …/expire and …/cancel:
// a simulation (docs/rules.md, "Simulator"). A live key gets a 404.
func (s *server) simulate(act simulation) fiber.Handler {
	return func(c *fiber.Ctx) error {
		h := holder(c)
		if h.Key.Environment == models.Live {
			return errTestOnly
		}
		checkout, err := s.Payments.Checkout(c.UserContext(), h.Scope(), c.Params("id"))
		if err != nil {
			return err
		}
		if err := act(c.UserContext(), checkout.ID); err != nil {
			return err
		}
		if checkout, err = s.Payments.Checkout(c.UserContext(), h.Scope(), checkout.ID); err != nil {
			return err
		}
		return s.answer(c, checkout)
	}
}
