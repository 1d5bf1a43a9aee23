package server

import (
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/requestid"
	"garoupa/web"
)

// identify names the request after the client's Request-Id, else X-Request-Id,
// else by itself, and answers with the name (decisions, 2.1).
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

// logged writes a line for each request. It answers the error of what comes after
// it, so that the line has the status that was sent. Queries are left out: they
// may hold what people searched for.
func logged(pages web.Options) fiber.Handler {
	return func(c *fiber.Ctx) error {
		start := time.Now()
		if err := c.Next(); err != nil {
			if err := answer(pages)(c, err); err != nil {
				return err
			}
		}
		slog.InfoContext(c.UserContext(), "request", "method", c.Method(), "path", web.LogPath(c.Path()),
			"status", c.Response().StatusCode(), "ms", float64(time.Since(start).Microseconds())/1000)
		return nil
	}
}

// answer writes an error the way of the surface that it belongs to.
func answer(pages web.Options) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		if requestid.Of(c.UserContext()) == "" { // refused by the HTTP server itself, which may not know the path
			name(c)
			return api.WriteError(c, err)
		}
		if surfaceOf(c.Path()) == surfaceAPI {
			return api.WriteError(c, err)
		}
		return pages.ShowError(c, err)
	}
}

// surface is what a path belongs to.
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
	case "static", "marca", "fotos", "ajuda", "livez", "readyz":
		return surfaceAny
	}
	return surfaceApp
}

var errElsewhere = fiber.NewError(fiber.StatusNotFound)

// separate answers 404 to paths that belong to another of the three addresses. It
// lets everything pass where they are one and the same host.
func separate(o Options) fiber.Handler {
	hosts := map[surface]string{
		surfaceAPI: host(o.BaseURL), surfaceCheckout: host(o.CheckoutHost), surfaceApp: host(o.AppURL),
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

// host returns an address's host as browsers send it: without the scheme's own port.
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
