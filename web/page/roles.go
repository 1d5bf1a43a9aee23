package page

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// ErrRole is the answer to members whose role does not include a page.
var ErrRole = refusal.New(refusal.Forbidden, "The member's role does not include this page.")

// Only admits members whose role has the capability.
func Only(capability models.Capability) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !Visitor(c).Role.Can(capability) {
			return ErrRole
		}
		return c.Next()
	}
}
