package web

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// gallery shows GET /dev/components.
func (s *server) gallery(c *fiber.Ctx) error {
	symbol, err := s.codes.symbol("GAROUPA")
	if err != nil {
		return err
	}
	return render(c, pages.Gallery(pages.GalleryProps{
		AuthProps: s.auth(c), Now: s.Now(), QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules, Label: layouts.Brand},
	}))
}
