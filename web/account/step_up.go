package account

import (
	"github.com/gofiber/fiber/v2"

	base "garoupa/views/pages"
	"garoupa/web/page"
)

// confirm handles POST /confirmar, the proof that a GET required.
func (s *account) confirm(c *fiber.Ctx) error {
	next := page.Local(page.Field(c, "next"), "/app")
	problem, err := s.Prove(c, page.Visitor(c))
	if err != nil {
		return err
	}
	if problem != "" {
		props := base.StepUpProps{Action: page.ConfirmPath, Fields: []base.HiddenField{{Name: "next", Value: next}}}
		return s.ShowStepUp(c, props, problem)
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}
