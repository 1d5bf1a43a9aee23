package api

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/requestid"
	"garoupa/requestlog"
)

// record keeps calls that came with a key for the developers who made them. It
// answers the error of what comes after it, so that what is kept is what was sent.
func (s *server) record(c *fiber.Ctx) error {
	if s.Log == nil {
		return c.Next()
	}
	start := time.Now()
	err := c.Next()
	code := ""
	if err != nil {
		code = string(fault.Of(translate(err)).Code)
		if err := WriteError(c, err); err != nil {
			return err
		}
	}
	h, known := c.Locals(holderKey{}).(*models.KeyHolder)
	if !known || !s.Log.Room() {
		return nil
	}
	call := requestlog.Call{
		APIRequest: models.APIRequest{
			ProjectID: h.Key.ProjectID, Livemode: h.Key.Livemode, RequestID: requestid.Of(c.UserContext()), At: s.Now(),
			Method: c.Method(), Path: c.Path(), Status: c.Response().StatusCode(), Duration: time.Since(start),
			KeyID: h.Key.ID, ErrorCode: code,
		},
		Request: slices.Clone(c.Request().Body()),
	}
	if !c.Response().IsBodyStream() { // a stream has no body yet, and may never end
		answer := c.Response().Body()
		call.Answer = slices.Clone(answer[:min(len(answer), requestlog.MaxAnswer)])
	}
	s.Log.Add(call)
	return nil
}
