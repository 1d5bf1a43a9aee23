// Package web serves the pages.
//
// Each audience has a room, a package below this one, which registers its own routes; code
// that rooms share is in package page. A handler reads the request, calls one operation of
// payments or merchants to change something, or models to show something, copies what the page
// needs into the page's props and renders it. Pages never see a model. Handlers return their
// errors; package page answers them.
package web

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/web/account"
	"garoupa/web/console"
	"garoupa/web/dashboard"
	"garoupa/web/docs"
	"garoupa/web/hosted"
	"garoupa/web/page"
)

// Options configure the pages.
type Options = page.Options

// Limits bound how often pages may be requested.
type Limits = page.Limits

// Register adds the pages to r.
func Register(r fiber.Router, o Options) {
	site := page.NewSite(o)
	r.Use(page.Legible)
	page.RegisterFiles(r)
	ops := console.Group(r, site)
	app := dashboard.Group(r, site)
	r.Use(page.OldNames) // after the groups, which refuse people first
	hosted.Register(r, site)
	account.Register(r, app, ops, site)
	docs.Register(r, site)
	console.Register(ops, site)
	dashboard.Register(app, site)
}
