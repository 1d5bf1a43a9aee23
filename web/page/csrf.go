package page

import (
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"
)

var crossOrigin = http.NewCrossOriginProtection()

// SameOrigin refuses a form that another site made the visitor's browser send. Browsers say
// where a request comes from, so forms need no token.
func SameOrigin(c *fiber.Ctx) error {
	if err := CheckOrigin(c); err != nil {
		return fiber.NewError(fiber.StatusForbidden, err.Error())
	}
	return c.Next()
}

// CheckOrigin returns an error for a form that another site made the browser send.
func CheckOrigin(c *fiber.Ctx) error {
	return crossOrigin.Check(&http.Request{
		Method: c.Method(), Host: c.Hostname(), URL: &url.URL{Path: c.Path()},
		Header: http.Header{"Sec-Fetch-Site": {c.Get("Sec-Fetch-Site")}, "Origin": {c.Get("Origin")}},
	})
}
