package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/static"
)

// Immutable lets browsers keep a file forever, for addresses that change with the content.
const Immutable = "public, max-age=31536000, immutable"

// StaticFile serves GET /static/*. Names contain their content's hash, so browsers
// keep the files forever.
func StaticFile(c *fiber.Ctx) error {
	file, ok := static.Open(c.Params("*"), c.Get(fiber.HeaderAcceptEncoding))
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, file.ContentType)
	c.Set(fiber.HeaderCacheControl, Immutable)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if file.Encoding != "" {
		c.Set(fiber.HeaderContentEncoding, file.Encoding)
	}
	return c.Send(file.Body)
}

// Favicon serves GET /favicon.ico, which programs ask for that do not read pages. The address
// does not change with the content, so browsers keep it for a day.
func Favicon(c *fiber.Ctx) error {
	file, ok := static.Open(strings.TrimPrefix(static.URL("favicon.ico"), static.Prefix), "")
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, file.ContentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	return c.Send(file.Body)
}
