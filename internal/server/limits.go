package server

import (
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
)

const (
	// AtOnce is how many requests that use the database a process works on at a time. While
	// the database is well, a thousand wait for about a second, because up to 64 of them
	// share a commit. While it hangs, these requests pile up and take some tens of
	// megabytes; all others are refused at once and asked to try again.
	AtOnce = 1000
	// requestTimeout bounds a request if Options.RequestTimeout is 0.
	requestTimeout = 10 * time.Second
)

// deadline ends the work of a request when its time is over, or when base ends. Data sent
// after the handler has returned, such as an event stream or a long file, has a context of
// its own: it lasts as long as the client reads, and bounds each query by itself.
func deadline(base context.Context, timeout time.Duration) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithTimeout(base, timeout)
		defer cancel()
		c.SetUserContext(ctx)
		return c.Next()
	}
}

// shed refuses requests that use the database while AtOnce others are in progress, or while
// the database pool is starved.
func shed(h *Health) fiber.Handler {
	places := make(chan struct{}, AtOnce)
	return func(c *fiber.Ctx) error {
		if !usesDatabase(c.Path()) {
			return c.Next()
		}
		if h.starved.Load() {
			return models.ErrOverloaded
		}
		select {
		case places <- struct{}{}:
		default:
			return models.ErrOverloaded
		}
		defer func() { <-places }()
		return c.Next()
	}
}

// usesDatabase reports whether a path may lead to a query. Of the paths that exist at every
// address, only the pictures do.
func usesDatabase(path string) bool {
	switch path {
	case "/livez", "/readyz", "/ajuda", "/.well-known/security.txt", "/v1/health", "/v1/openapi.json":
		return false
	}
	return !strings.HasPrefix(path, "/static/")
}

// leave asks clients to close their connections while the process drains, so that their
// next request goes to another process.
func leave(h *Health) fiber.Handler {
	return func(c *fiber.Ctx) error {
		err := c.Next()
		if h.draining.Load() {
			c.Context().SetConnectionClose()
		}
		return err
	}
}
