package server

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/web/page"
)

// strictTransport makes a browser use https alone for two years. It leaves out the subdomains of
// the address, which may belong to other programs.
const strictTransport = "max-age=63072000"

// protected applies hygiene to every request, before the surfaces part.
func protected(o Options) fiber.Handler {
	protect := hygiene(o)
	return func(c *fiber.Ctx) error {
		protect(c)
		return c.Next()
	}
}

// hygiene returns a function that tells a browser how to handle an answer, whatever the path is.
// Answers that are not personal, such as files with their content's hash in the name, change
// these headers later.
func hygiene(o Options) func(c *fiber.Ctx) {
	encrypted := true
	for _, address := range []string{o.BaseURL, o.CheckoutURL, o.AppURL} {
		encrypted = encrypted && strings.HasPrefix(address, "https://")
	}
	return func(c *fiber.Ctx) {
		if encrypted {
			c.Set(fiber.HeaderStrictTransportSecurity, strictTransport)
		}
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderCacheControl, "no-store")
		// Anyone with the address of a hosted page can see the page, so other sites must not learn
		// the address. "no-referrer" would also remove the Origin from our own forms.
		c.Set(fiber.HeaderReferrerPolicy, "same-origin")
		if surfaceOf(c.Path()) == surfaceAPI {
			c.Set(fiber.HeaderContentSecurityPolicy, page.DataPolicy)
			return
		}
		c.Set(fiber.HeaderContentSecurityPolicy, page.ContentPolicy)
		c.Set("Cross-Origin-Opener-Policy", "same-origin")
		c.Set(fiber.HeaderPermissionsPolicy, "camera=(), microphone=(), geolocation=(), clipboard-write=(self)")
		c.Set("X-Robots-Tag", "noindex, nofollow")
	}
}
