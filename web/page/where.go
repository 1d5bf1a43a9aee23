package page

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// whereIs returns the page that a person is on, to which the choice of a language or a log-in leads back. What
// answers a form has no address of its own, and the form's address may have no page: then it is the page that
// the form was on or, if the browser does not say which, the nearest one above the form's address.
func whereIs(c *fiber.Ctx) string {
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return c.OriginalURL()
	}
	return cmp.Or(cameFrom(c), nearestPage(c, Local(c.OriginalURL(), "")), "/")
}

// cameFrom returns the page that led to a request for a proof, or that a form was on: from the form's field, or
// from the Referer. It is "" if both are missing.
func cameFrom(c *fiber.Ctx) string {
	if carried := Field(c, proofBackField); carried != "" {
		return nearestPage(c, Local(carried, ""))
	}
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host != string(c.Request().Host()) || from.RequestURI() == c.OriginalURL() {
		return ""
	}
	return nearestPage(c, Local(from.RequestURI(), ""))
}

// nearestPage returns an address of this site, without its last parts if it has no page; "" if nothing is left.
func nearestPage(c *fiber.Ctx, address string) string {
	path, _, _ := strings.Cut(address, "?")
	if hasPage(c, path) {
		return address
	}
	for path != "" && !hasPage(c, path) {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path
}

// hasPage reports whether the site has a route that reads a path. A parameter of such a route is not a word with
// which forms are sent, such as balcao in /app/links/balcao.
func hasPage(c *fiber.Ctx, path string) bool {
	read, sent, config := false, false, c.App().Config()
	for _, route := range c.App().GetRoutes(true) {
		named := strings.TrimSuffix(route.Path, "/") == path
		switch route.Method {
		case fiber.MethodGet:
			if named {
				return true
			}
			read = read || fiber.RoutePatternMatch(path, route.Path, config)
		case fiber.MethodPost:
			sent = sent || named
		}
	}
	return read && !sent
}
