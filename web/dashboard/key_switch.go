package dashboard

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/web/page"
)

// switches are the switches of keys, in the order in which pages list them, and the ends of the paths that
// turn them on and off.
var switches = []struct {
	of      models.KeySwitch
	on, off string
}{
	{models.KeyRefunds, "devolver", "nao-devolver"},
	{models.KeyEvents, "eventos", "sem-eventos"},
	{models.KeyAudit, "auditoria", "sem-auditoria"},
}

// registerSwitches adds the routes that turn switches of keys on and off.
func (s *developers) registerSwitches(app fiber.Router) {
	for _, each := range switches {
		app.Post("/chaves/:id/"+each.on, mayTurn(each.of), s.StepUpLive, s.turn(each.of, true))
		app.Post("/chaves/:id/"+each.off, mayTurn(each.of), s.StepUpLive, s.turn(each.of, false))
	}
}

// mayTurn refuses visitors who do not decide about a switch.
func mayTurn(of models.KeySwitch) fiber.Handler {
	return func(c *fiber.Ctx) error {
		return page.Only(merchants.KeyGate(of, page.Visitor(c).Environment))(c)
	}
}

// turn returns the handler of POST /app/chaves/:id/{on} or {off} of a switch.
func (s *developers) turn(of models.KeySwitch, on bool) fiber.Handler {
	flash := "key_may_" + string(of)
	if !on {
		flash = "key_may_not_" + string(of)
	}
	return func(c *fiber.Ctx) error {
		err := s.Merchants.SetKeySwitch(c.UserContext(), page.Actor(c), page.Scope(c), c.Params("id"), of, on)
		if errors.Is(err, models.ErrNotFound) {
			return fiber.ErrNotFound
		} else if err != nil {
			return err
		}
		if err := s.Flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
}
