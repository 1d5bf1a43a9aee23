package page

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"garoupa/internal/input"
)

// Legible removes NUL and bytes that are not UTF-8 from a request's query and form.
// PostgreSQL's text cannot contain them and browsers never send them, so handlers can store
// every value. A form with a file also goes through LegibleForm, after its sender is known.
func Legible(c *fiber.Ctx) error {
	clean(c.Context().QueryArgs())
	clean(c.Request().PostArgs())
	if TakesFile([]byte(c.Path())) {
		return c.Next()
	}
	return LegibleForm(c)
}

// LegibleForm is Legible for a multipart form (multipart/form-data), which it parses.
func LegibleForm(c *fiber.Ctx) error {
	if form, err := c.MultipartForm(); err == nil {
		for _, values := range form.Value {
			for i := range values {
				values[i] = input.ToStorable(values[i])
			}
		}
	}
	return c.Next()
}

// clean makes names and values valid text, and keeps their order.
func clean(args *fasthttp.Args) {
	var all [][2]string
	broken := false
	args.VisitAll(func(name, value []byte) {
		pair := [2]string{input.ToStorable(string(name)), input.ToStorable(string(value))}
		broken = broken || pair != [2]string{string(name), string(value)}
		all = append(all, pair)
	})
	if !broken {
		return
	}
	args.Reset()
	for _, pair := range all {
		args.Add(pair[0], pair[1])
	}
}
