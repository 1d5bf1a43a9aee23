package web

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/static"
)

// immutable lets browsers keep a file for ever: its address names its content.
const immutable = "public, max-age=31536000, immutable"

// staticFile serves GET /static/*. Names contain their content's hash, so browsers
// keep the files for ever.
func staticFile(c *fiber.Ctx) error {
	file, ok := static.Open(c.Params("*"), c.Get(fiber.HeaderAcceptEncoding))
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, file.ContentType)
	c.Set(fiber.HeaderCacheControl, immutable)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set("X-Content-Type-Options", "nosniff")
	if file.Encoding != "" {
		c.Set(fiber.HeaderContentEncoding, file.Encoding)
	}
	return c.Send(file.Body)
}
