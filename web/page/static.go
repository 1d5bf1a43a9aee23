package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/static"
	"garoupa/views/layouts"
)

// Immutable lets browsers keep a file forever, for addresses that change with the content.
const Immutable = "public, max-age=31536000, immutable"

// RegisterFiles adds the files that pages of all rooms name.
func RegisterFiles(r fiber.Router) {
	r.Get("/static/*", staticFile)
	r.Get("/favicon.ico", favicon)
	r.Get(layouts.ManifestPath, manifest)
}

// staticFile serves GET /static/*. Names contain their content's hash, so browsers
// keep the files forever.
func staticFile(c *fiber.Ctx) error {
	file, ok := static.Open(c.Params("*"), c.Get(fiber.HeaderAcceptEncoding))
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, file.ContentType)
	c.Set(fiber.HeaderCacheControl, Immutable)
	c.Set(fiber.HeaderContentSecurityPolicy, DataPolicy)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if file.Encoding != "" {
		c.Set(fiber.HeaderContentEncoding, file.Encoding)
	}
	return c.Send(file.Body)
}

// favicon serves GET /favicon.ico, which programs ask for that do not read pages. The address
// does not change with the content, so browsers keep it for a day.
func favicon(c *fiber.Ctx) error {
	file, ok := static.Open(strings.TrimPrefix(static.URL("favicon.ico"), static.Prefix), "")
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, file.ContentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	return c.Send(file.Body)
}
