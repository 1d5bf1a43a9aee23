package web

import (
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"
)

var crossOrigin = http.NewCrossOriginProtection()

// sameOrigin refuses a form that another site makes the visitor's browser send.
// Browsers say where a request comes from, so forms carry no token.
func sameOrigin(c *fiber.Ctx) error {
	if err := checkOrigin(c); err != nil {
		return fiber.NewError(fiber.StatusForbidden, err.Error())
	}
	return c.Next()
}

func checkOrigin(c *fiber.Ctx) error {
	return crossOrigin.Check(&http.Request{
		Method: c.Method(), Host: c.Hostname(), URL: &url.URL{Path: c.Path()},
		Header: http.Header{"Sec-Fetch-Site": {c.Get("Sec-Fetch-Site")}, "Origin": {c.Get("Origin")}},
	})
}
