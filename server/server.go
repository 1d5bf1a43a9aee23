// Package server is the root of what listens: it names and logs requests, keeps
// the three addresses apart, answers whether the process is alive and ready, and
// hands the rest to the API and the pages.
package server

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	fiberrecover "github.com/gofiber/fiber/v2/middleware/recover"
	"github.com/valyala/fasthttp"

	"garoupa/api"
	"garoupa/models"
	"garoupa/web"
)

const (
	// bodyLimit is what a request may send at all; the API allows less, and fileLimit is
	// for the forms that take a file, which say themselves when that is too long.
	bodyLimit = 1 << 20
	fileLimit = 8 << 20
	// readTimeout bounds how long a client may take to send a request.
	readTimeout = 30 * time.Second
	idleTimeout = 75 * time.Second
	// writeTimeout bounds how long a client may take to read an answer; event
	// streams have no end, so nothing bounds those.
	writeTimeout = 5 * time.Minute
	// fileTimeout is the same for files, which may be long.
	fileTimeout = 2 * time.Hour
	// headerLimit is the room for a request's line and headers, in bytes.
	headerLimit = 16 << 10
)

// Options are what the server serves. All but ReadyTimeout are required.
type Options struct {
	DB  *models.DB
	API api.Options
	Web web.Options
	// The three addresses, with scheme and without a slash at the end. Where they
	// differ, what belongs to one is 404 at the others.
	BaseURL, CheckoutHost, AppURL string
	// TrustedProxies may say, in X-Forwarded-For, who the client is. Nobody else may.
	TrustedProxies []netip.Prefix
	// ReadyTimeout bounds how long a readiness check may take, two seconds if it is 0.
	ReadyTimeout time.Duration
}

// New returns the root app.
func New(o Options) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName: "Garoupa", DisableStartupMessage: true, Immutable: true, CaseSensitive: true,
		BodyLimit: bodyLimit, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, ReadBufferSize: headerLimit,
		DisablePreParseMultipartForm: true, // the forms that take a file unpack it themselves, once they know whose it is
		ErrorHandler:                 answer(o.Web),
	})
	app.Use(identify, unproxied(o.TrustedProxies), logged(o.Web), fiberrecover.New(), separate(o))
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", ready(o.DB, cmp.Or(o.ReadyTimeout, readyTimeout)))

	api.Register(app, o.API)
	web.Register(app, o.Web)
	nameMethods(app)
	app.Server().HeaderReceived = patience
	return app
}

// patience is how long the client of a request may take, and how much it may send.
func patience(header *fasthttp.RequestHeader) fasthttp.RequestConfig {
	path, _, _ := bytes.Cut(header.RequestURI(), []byte("?"))
	if bytes.HasSuffix(path, []byte("/events")) {
		return fasthttp.RequestConfig{}
	}
	if bytes.HasSuffix(path, []byte(".csv")) {
		return fasthttp.RequestConfig{WriteTimeout: fileTimeout}
	}
	config := fasthttp.RequestConfig{WriteTimeout: writeTimeout}
	if header.IsPost() && web.TakesFile(path) {
		config.MaxRequestBodySize = fileLimit
	}
	return config
}

// nameMethods lets requests with made-up methods through to the router, which
// refuses them as it refuses any wrong method. Fiber itself would answer them in
// plain text and without a Request-Id.
func nameMethods(app *fiber.App) {
	next := app.Server().Handler
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(ctx.Method())) {
			ctx.Request.Header.SetMethod(fiber.MethodTrace) // known to Fiber, served by nobody
		}
		next(ctx)
	}
}
