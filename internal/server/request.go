package server

import (
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/input"
	"garoupa/internal/requestid"
	"garoupa/web/page"
)

// identify gives the request its id: the client's Request-Id, otherwise its X-Request-Id,
// otherwise a new id. It sends the id in the answer (docs/rules.md, "Order of checks").
func identify(c *fiber.Ctx) error {
	name(c)
	return c.Next()
}

func name(c *fiber.Ctx) {
	id := c.Get("Request-Id")
	if !requestid.Valid(id) {
		id = c.Get("X-Request-Id")
	}
	if !requestid.Valid(id) {
		id = requestid.New()
	}
	c.SetUserContext(requestid.With(c.UserContext(), id))
	c.Set("Request-Id", id)
}

// logged writes a log line for each request. It answers errors itself, so that the line has
// the status that was sent. It leaves out queries, because they may contain what people
// searched for. Of the client it has the address, and the id of the API key or of the person.
func logged(o Options) fiber.Handler {
	show := answer(o)
	return func(c *fiber.Ctx) error {
		start := time.Now()
		if err := c.Next(); err != nil {
			if err := show(c, err); err != nil {
				return err
			}
		}
		took := time.Since(start)
		if o.Answered != nil {
			o.Answered(c.Method(), c.Route().Path, c.Response().StatusCode(), took)
		}
		line := []any{"method", c.Method(), "path", page.LogPath(c.Path()), "status", c.Response().StatusCode(),
			"address", c.IP(), "ms", float64(took.Microseconds()) / 1000}
		if key := api.KeyID(c); key != "" {
			line = append(line, "key", key)
		} else if person := page.PersonID(c); person != "" {
			line = append(line, "person", person)
		}
		slog.InfoContext(c.UserContext(), "request", line...)
		return nil
	}
}

// answer writes an error in the form of the surface that the path belongs to.
func answer(o Options) fiber.ErrorHandler {
	protect := hygiene(o)
	return func(c *fiber.Ctx, err error) error {
		// The handler that failed may have allowed browsers to keep its answer.
		protect(c)
		if requestid.Of(c.UserContext()) == "" { // refused by the HTTP server itself
			name(c)
			if !errors.Is(err, fiber.ErrRequestEntityTooLarge) { // else it may not know the path
				return api.WriteError(c, err)
			}
		}
		if surfaceOf(c.Path()) == surfaceAPI {
			return api.WriteError(c, err)
		}
		return o.Web.ShowError(c, err)
	}
}

// surface is the part of the gateway that a path belongs to.
type surface int

const (
	surfaceAny surface = iota // health, files and the buyers' help: at every address
	surfaceAPI
	surfaceCheckout
	surfaceApp
)

func surfaceOf(path string) surface {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "v1":
		return surfaceAPI
	case "pay", "l", "qr":
		return surfaceCheckout
	case "static", "marca", "fotos", "ajuda", "livez", "readyz", ".well-known":
		return surfaceAny
	}
	return surfaceApp
}

// textPath answers 404 to a path with a NUL or a byte that is not UTF-8. So ids from a path
// are always valid text.
func textPath(c *fiber.Ctx) error {
	if path := c.Path(); !input.Storable(path) {
		return fiber.ErrNotFound
	}
	return c.Next()
}

var errElsewhere = fiber.NewError(fiber.StatusNotFound)

// separate answers 404 to paths that belong to another of the three addresses. It does
// nothing if all three have the same host.
func separate(o Options) fiber.Handler {
	hosts := map[surface]string{
		surfaceAPI: host(o.BaseURL), surfaceCheckout: host(o.CheckoutURL), surfaceApp: host(o.AppURL),
	}
	if hosts[surfaceAPI] == hosts[surfaceCheckout] && hosts[surfaceCheckout] == hosts[surfaceApp] {
		return func(c *fiber.Ctx) error { return c.Next() }
	}
	return func(c *fiber.Ctx) error {
		want, bound := hosts[surfaceOf(c.Path())]
		if bound && !strings.EqualFold(c.Hostname(), want) {
			return errElsewhere
		}
		return c.Next()
	}
}

// host returns the host of an address as browsers send it: without the scheme's default
// port.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Hostname()
	}
	return u.Host
}
