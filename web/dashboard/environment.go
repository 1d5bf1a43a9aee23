package dashboard

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// environment handles POST /app/ambiente, the switch between Teste and Produção.
func (s *dashboard) environment(c *fiber.Ctx) error {
	chosen := models.ParseEnvironment(page.Field(c, "env"))
	if err := s.Merchants.LookAt(c.UserContext(), s.Token(c), chosen); err != nil {
		return err
	}
	next := page.Local(page.Field(c, "next"), "/app")
	if page.Field(c, "there") != "" { // the switch on a page that exists only in the other environment
		return c.Redirect(next, fiber.StatusSeeOther)
	}
	// A page about one row of the other environment does not exist here.
	section := "/app"
	if parts := strings.SplitN(strings.TrimPrefix(next, "/app/"), "/", 2); len(parts[0]) > 0 && parts[0][0] != '/' {
		section = "/app/" + strings.SplitN(parts[0], "?", 2)[0]
	}
	return c.Redirect(section, fiber.StatusSeeOther)
}
