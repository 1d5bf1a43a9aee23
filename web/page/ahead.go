package page

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/static"
)

// Ahead tells browsers that know speculation rules to fetch the page behind an entry of the menu while the pointer
// rests on it. They fetch and do not render ahead: a rendered page would open its stream of events.
func Ahead(c *fiber.Ctx) error {
	c.Set("Speculation-Rules", `"`+static.URL("menu.json")+`"`)
	return c.Next()
}
