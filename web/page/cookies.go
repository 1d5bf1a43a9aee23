package page

import (
	"cmp"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// The prefixes of names with which browsers take a cookie over TLS alone; with hostPrefix only for
// all paths of the host that sets it, so that no other host of its domain can plant one.
const (
	hostPrefix   = "__Host-"
	securePrefix = "__Secure-"
)

// CookieName returns the full name of a cookie that the site at an address sets for a path.
func CookieName(address, path, name string) string {
	switch {
	case !strings.HasPrefix(address, "https://"):
		return name
	case path == "/":
		return hostPrefix + name
	}
	return securePrefix + name
}

// chosen returns the choice that keep stored, also before its name had a prefix.
func chosen(c *fiber.Ctx, name string) string {
	return cmp.Or(c.Cookies(hostPrefix+name), c.Cookies(name))
}
