// Package web serves the pages: the hosted checkout and the merchant's dashboard.
//
// A handler reads the request, calls one operation of payments or merchants to
// change something, or models to show something, copies what the page needs into
// the page's props and renders it. Pages never see a model. Handlers return their
// errors; errors.go answers them.
package web

import (
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/sessions"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/vault"
	"garoupa/views/i18n"
)

// Options are what the pages are made of. All are required.
type Options struct {
	DB        *models.DB
	Payments  *payments.Service
	Merchants *merchants.Service
	Vault     *vault.Vault
	Live      *Live
	// The three addresses, with scheme and without a slash at the end.
	BaseURL, CheckoutHost, AppURL string
	AllowPrivate                  bool // endpoints may be on private addresses
	LiveSimulated                 bool // the live institution is the simulator
	Demo                          bool // every page says that this is a demonstration
	Now                           func() time.Time
}

type server struct {
	Options
	sessions sessions.Store
	codes    codeCache
}

// Register adds the pages to r.
func Register(r fiber.Router, o Options) {
	s := &server{Options: o, sessions: newSessionStore(o.Vault, o.AppURL)}
	r.Get("/static/*", staticFile)

	buyers := r.Group("/pay", s.speak, secureBuyer, sameOrigin)
	buyers.Get("/:id", s.pay)
	buyers.Get("/:id/events", s.payEvents)
	buyers.Get("/:id/qr.png", s.payQR)
	buyers.Post("/:id/simulate", s.paySimulate)
	buyers.Post("/:id/expire", s.payExpire)
	r.Get("/qr/:file", secureBuyer, s.publicQR)
}

// render writes page. Its language travels in the context.
func render(c *fiber.Ctx, page templ.Component) error {
	c.Type("html", "utf-8")
	return page.Render(c.UserContext(), c.Response().BodyWriter())
}

// contentPolicy lets a page load from its own address and nothing else, and run
// nothing that stands in the page itself.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secure(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", contentPolicy)
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-write=(self)")
	c.Set("Cache-Control", "no-store")
	c.Set("X-Robots-Tag", "noindex, nofollow")
}

// secureBuyer also keeps the address, which is all it takes to see the page, from
// the places that the page leads to.
func secureBuyer(c *fiber.Ctx) error {
	secure(c)
	c.Set("Referrer-Policy", "no-referrer")
	return c.Next()
}

// langCookie keeps the visitor's choice of language.
const langCookie = "lang"

// speak settles the language: ?lang=, then the visitor's choice, then the
// browser's wish, then Portuguese.
func (s *server) speak(c *fiber.Ctx) error {
	c.SetUserContext(i18n.With(c.UserContext(), language(c)))
	return c.Next()
}

func language(c *fiber.Ctx) i18n.Lang {
	for _, wish := range []string{c.Query("lang"), c.Cookies(langCookie), c.AcceptsLanguages("pt-BR", "pt", "en", "en-US", "en-GB")} {
		if lang, ok := i18n.Parse(wish); ok {
			return lang
		}
	}
	return i18n.Portuguese
}
