package page

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"
)

// Public returns the handlers of a page for people who are not logged in.
func (s *Site) Public(handler fiber.Handler) []fiber.Handler {
	return []fiber.Handler{s.Limited, Compressed, s.Speak, SameOrigin, handler}
}

// formTokens is the cost, in requests, of a form that hashes a password or sends a mail.
const formTokens = 10

// Costly returns the handlers of a form, for people who are not logged in, that hashes a
// password or sends a mail.
func (s *Site) Costly(handler fiber.Handler) []fiber.Handler {
	return []fiber.Handler{s.limitedBy(formTokens), Compressed, s.Speak, SameOrigin, handler}
}

// Own returns the handlers of a page for people who are logged in, members and staff.
func (s *Site) Own(handlers ...fiber.Handler) []fiber.Handler {
	return append([]fiber.Handler{s.Limited, Compressed, s.Speak, SameOrigin, s.Person, s.Paced}, handlers...)
}

// Compressed compresses pages. It does not compress streams, because each event must be sent
// at once, and files, because clients must be able to detect that a file broke off.
var Compressed = compress.New(compress.Config{Next: func(c *fiber.Ctx) bool {
	return Streams(c.Path()) || SendsFile(c.Path()) || strings.HasSuffix(c.Path(), ".png")
}})

// Streams reports whether a path answers with server-sent events, for as long as the client reads. GET /v1/events
// answers with a list.
func Streams(path string) bool { return strings.HasSuffix(path, "/events") && path != "/v1/events" }

// SendsFile reports whether a path answers with a file that may be long, and is sent while it is read: it has the
// ending of one or, if a form asks for the file, the name.
func SendsFile(path string) bool {
	return slices.Contains([]string{".csv", ".xlsx", ".ofx"}, filepath.Ext(path)) || filepath.Base(path) == "arquivo"
}

// ContentPolicy lets a page load only from its own address, and run nothing inline.
const ContentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// DataPolicy is for answers that are no pages: a browser that shows one nevertheless loads and
// runs nothing for it.
const DataPolicy = "default-src 'none'; frame-ancestors 'none'"
