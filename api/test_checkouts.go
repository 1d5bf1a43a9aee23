package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
)

// errTestOnly is what a live key is told of the endpoints under /v1/test.
var errTestOnly = fault.New(fault.NotFound, "This endpoint exists for test keys only.")

// simulate handles POST /v1/test/checkouts/{checkoutId}/pay, …/expire and …/cancel:
// what a buyer, the clock or the institution would do (decisions, 4). To a live key
// these endpoints do not exist.
func (s *server) simulate(act func(ctx context.Context, checkoutID string) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		h := holder(c)
		if h.Key.Livemode {
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
