package api

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/internal/requestlog"
	"garoupa/models"
)

type hiddenAnswer struct{}

// hideAnswer keeps the answer out of the log of calls.
func hideAnswer(c *fiber.Ctx) { c.Locals(hiddenAnswer{}, true) }

func answerHidden(c *fiber.Ctx) bool { return c.Locals(hiddenAnswer{}) != nil }

// record stores calls with a key for the developers who made them. It answers errors
// itself, so that the stored answer is the one that was sent.
func (s *server) record(c *fiber.Ctx) error {
	if s.Log == nil {
		return c.Next()
	}
	start := time.Now()
	err := c.Next()
	code := ""
	if err != nil {
		code = string(refusal.Of(translate(err)).Code)
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
			ProjectID: h.Key.ProjectID, Environment: h.Key.Environment,
			RequestID: requestid.Of(c.UserContext()), At: s.Now(),
			Method: c.Method(), Path: c.Path(), Status: c.Response().StatusCode(), Duration: time.Since(start),
			KeyID: h.Key.ID, ErrorCode: code,
		},
		Request: slices.Clone(c.Request().Body()),
	}
	if !c.Response().IsBodyStream() && !answerHidden(c) { // a stream has no body yet, and may never end
		answer := c.Response().Body()
		call.Answer = slices.Clone(answer[:min(len(answer), requestlog.MaxAnswer)])
	}
	s.Log.Add(call)
	return nil
}
