package server

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/requestid"
	"garoupa/internal/tracing"
)

// traced records a span for each request that may lead to a query. Paths have ids and the tokens of links, so it
// names the pattern of the route. What a stream or a file sends after its handler has returned is not in the span.
func traced(tracer *tracing.Tracer) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !usesDatabase(c.Path()) {
			return c.Next()
		}
		ctx, span := tracer.Serve(c.UserContext(), c.Method(), c.Get(tracing.Header))
		c.SetUserContext(ctx)
		err := c.Next()
		if span == nil {
			return err
		}
		route, status := c.Route().Path, c.Response().StatusCode()
		span.Rename(c.Method() + " " + route)
		span.Text("http.route", route)
		span.Number("http.response.status_code", status)
		span.Text("garoupa.request_id", requestid.Of(ctx))
		if status >= fiber.StatusInternalServerError {
			span.Fail(strconv.Itoa(status))
		}
		span.End()
		return err
	}
}
