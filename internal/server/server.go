// Package server is the root of the HTTP server: it gives requests ids, logs them, separates
// the three addresses, reports whether the process is alive and ready, and passes the
// rest to the API and the pages.
package server

import (
	"bytes"
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	fiberrecover "github.com/gofiber/fiber/v2/middleware/recover"
	"github.com/valyala/fasthttp"

	"garoupa/api"
	"garoupa/internal/tracing"
	"garoupa/web"
	"garoupa/web/page"
)

const (
	// bodyLimit bounds a request. The API allows less. fileLimit is for forms with a file,
	// which report a longer file themselves.
	bodyLimit = 1 << 20
	fileLimit = 8 << 20
	// readTimeout bounds how long a client may take to send a request.
	readTimeout = 30 * time.Second
	idleTimeout = 75 * time.Second
	// writeTimeout bounds how long a client may take to read an answer. Event streams are
	// unlimited.
	writeTimeout = 5 * time.Minute
	// fileTimeout is writeTimeout for files, which may be long.
	fileTimeout = 2 * time.Hour
	// headerLimit is the room for a request's line and headers, in bytes.
	headerLimit = 16 << 10
)

// Options configure the server. All except Base, Answered, Tracer and RequestTimeout are required.
type Options struct {
	Health *Health
	API    api.Options
	Web    web.Options
	// The three addresses, with scheme and without a slash at the end. If they differ, a
	// path that belongs to one is 404 at the others.
	BaseURL, CheckoutURL, AppURL string
	// TrustedProxies may name the client in X-Forwarded-For, the requested host in
	// X-Forwarded-Host, and its scheme in X-Forwarded-Proto. No other client may.
	TrustedProxies []netip.Prefix
	// Base ends all requests in progress when it ends; nil never ends.
	Base context.Context
	// Answered is told of each request that was answered, with the pattern of its route. It may be nil, and must not
	// block.
	Answered func(method, route string, status int, took time.Duration)
	// Tracer records what requests do; nil for nothing.
	Tracer *tracing.Tracer
	// RequestTimeout bounds the time until a request is answered: ten seconds if it is 0.
	RequestTimeout time.Duration
}

// New returns the root app.
func New(o Options) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName: "Garoupa", DisableStartupMessage: true, Immutable: true, CaseSensitive: true,
		BodyLimit: bodyLimit, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, ReadBufferSize: headerLimit,
		DisablePreParseMultipartForm: true, // the forms with a file parse it themselves, after they know the member
		ErrorHandler:                 answer(o),
	})
	base := o.Base
	if base == nil {
		base = context.Background()
	}
	app.Use(deadline(base, cmp.Or(o.RequestTimeout, requestTimeout)), protected(o), identify)
	if o.Tracer != nil {
		app.Use(traced(o.Tracer))
	}
	app.Use(unproxied(o.TrustedProxies), leave(o.Health),
		logged(o), fiberrecover.New(), textPath, separate(o), shed(o.Health))
	probe(app, o.Health)

	api.Register(app, o.API)
	web.Register(app, o.Web)
	nameMethods(app)
	refuseUnclear(app)
	app.Server().HeaderReceived = patience
	return app
}

// NewProbed returns the app of a process that answers no requests: only whether it is alive and ready.
func NewProbed(health *Health) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName: "Garoupa", DisableStartupMessage: true, Immutable: true, CaseSensitive: true,
		ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
	})
	app.Use(fiberrecover.New())
	probe(app, health)
	return app
}

// probe adds the paths that balancers and service managers ask.
func probe(app *fiber.App, health *Health) {
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", health.ready)
}

// patience returns how long the client of a request may take, and how much it may send. It
// leaves a request that refuseUnclear will refuse without a body, so that none is waited for.
func patience(header *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if !isClear(header) {
		header.SetContentLength(0)
		return fasthttp.RequestConfig{WriteTimeout: writeTimeout}
	}
	path := header.RequestURI()
	if end := bytes.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	switch {
	case page.Streams(string(path)):
		return fasthttp.RequestConfig{}
	case page.SendsFile(string(path)):
		return fasthttp.RequestConfig{WriteTimeout: fileTimeout}
	}
	config := fasthttp.RequestConfig{WriteTimeout: writeTimeout}
	if header.IsPost() && page.TakesFile(path) {
		config.MaxRequestBodySize = fileLimit
	}
	return config
}

// nameMethods lets requests with invented methods through to the router, which refuses them
// as any wrong method. Fiber itself would answer them in plain text and without a
// Request-Id.
func nameMethods(app *fiber.App) {
	next := app.Server().Handler
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(ctx.Method())) {
			ctx.Request.Header.SetMethod(fiber.MethodTrace) // Fiber knows it, and no route serves it
		}
		next(ctx)
	}
}
