package hosted

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/views/layouts"
	base "garoupa/views/pages"
	"garoupa/web/page"
)

// Register adds the pages for buyers to r.
func Register(r fiber.Router, site *page.Site) {
	s := &hosted{site}
	r.Get(base.BrandPath+":file", s.Limited, page.Compressed, s.brandFile)
	r.Get(base.PicturePath+":file", s.Limited, s.picture)

	buyers := r.Group("/pay", s.Limited, page.Compressed, s.Speak, page.SameOrigin)
	buyers.Get("/:id", s.pay)
	buyers.Get("/:id/events", s.events)
	buyers.Get("/:id/qr.png", s.saveQR)
	buyers.Post("/:id/simulate", s.simulate)
	buyers.Post("/:id/expire", s.expire)
	buyers.Post("/:id/renew", s.renew)
	buyers.Get("/:id/renew", s.renewed)
	buyers.Post("/:id/receipt", s.LimitedForm, s.mailReceipt)
	buyers.Get("/:id/receipt", s.renewed)
	r.Get(layouts.HelpPath, s.Public(s.help)...)
	r.Get("/l/:id", s.Public(s.publicLink(s.link))...)
	r.Post("/l/:id", s.Public(s.publicLink(s.useLink))...)
	r.Get("/qr/:file", s.Limited, s.publicQR)
}
