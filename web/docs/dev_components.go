package docs

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
)

// gallery shows GET /dev/components.
func (s *development) gallery(c *fiber.Ctx) error {
	symbol, err := s.Codes.Symbol("GAROUPA")
	if err != nil {
		return err
	}
	return page.Render(c, pages.Gallery(pages.GalleryProps{
		AuthProps: s.AuthProps(c), Now: s.Now(), QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules,
			Label: layouts.Brand},
	}))
}
