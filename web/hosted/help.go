package hosted

import (
	"github.com/gofiber/fiber/v2"

	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// help shows GET /ajuda, the buyers' help.
func (s *hosted) help(c *fiber.Ctx) error {
	return page.Render(c, pages.Help(pages.HelpProps{Demo: s.Demo, Legal: s.Legal()}))
}
