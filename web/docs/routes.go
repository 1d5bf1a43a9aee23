package docs

import (
	"sync"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/api/openapi"
	"garoupa/views/docs"
	"garoupa/web/page"
)

// Register adds the documentation and security.txt to r, and in the embedded mode the pages below /dev.
func Register(r fiber.Router, site *page.Site) {
	registerGuides(r, site)
	registerSecurity(r, site)
	registerDevelopment(r, &development{site})
}

// registerGuides adds the guides and the reference, which are public.
func registerGuides(r fiber.Router, s *page.Site) {
	d := &documentation{
		Site: s,
		api: sync.OnceValue(func() *openapi.Document {
			return api.Document(s.BaseURL, s.CheckoutURL, s.AppURL)
		}),
		addresses: docs.Addresses{Base: s.BaseURL, Checkout: s.CheckoutURL, App: s.AppURL},
	}
	g := r.Group("/docs", s.Limited, page.Compressed, s.Speak, page.SameOrigin)
	g.Get("/", d.guide)
	g.Get("/api", d.index)
	g.Get("/api/:group", d.reference)
	g.Get("/search", d.search)
	g.Get("/:guide", d.guide)
	r.Get("/llms.txt", s.Limited, page.Compressed, s.Speak, d.llms)
}

// registerDevelopment adds the pages of the embedded mode: the mails, which are not sent
// there, and the components. The mails contain links that grant access, so only this machine
// and its own network get the pages, and no request through a proxy does.
func registerDevelopment(r fiber.Router, s *development) {
	if s.Mails == nil {
		return
	}
	dev := r.Group("/dev", s.near, s.Limited, page.Compressed, s.Speak)
	dev.Get("/mail", s.listMails)
	dev.Get("/mail/:id", s.readMail)
	dev.Get("/mail/:id/html", s.showMail)
	dev.Get("/components", s.gallery)
}
