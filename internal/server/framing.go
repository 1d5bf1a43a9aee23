package server

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// refuseUnclear answers 400, and closes the connection, to a request whose length or host two
// servers could understand differently: then a proxy and this server could disagree where the
// next request begins, or for whom it is. fasthttp itself takes the last of several values.
//
// No handler sees such a request, and its body is not read (see patience).
func refuseUnclear(app *fiber.App) {
	next := app.Server().Handler
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if isClear(&ctx.Request.Header) {
			next(ctx)
			return
		}
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		ctx.SetConnectionClose()
		if err := app.ErrorHandler(c, fiber.ErrBadRequest); err != nil {
			ctx.SetStatusCode(fiber.StatusBadRequest)
		}
	}
}

// isClear reports whether a request has at most one Host, and at most one Content-Length or one
// Transfer-Encoding, which must be "chunked". It reads the lines as they were sent, because
// fasthttp keeps only one value of each.
func isClear(header *fasthttp.RequestHeader) bool {
	hosts, lengths, encodings := 0, 0, 0
	for line := range bytes.SplitSeq(header.RawHeaders(), []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if bytes.IndexByte(line, '\r') >= 0 || len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			return false // a line break for some servers, or a continued line
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte(fiber.HeaderHost)):
			hosts++
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			if encodings++; !bytes.EqualFold(bytes.Trim(value, " \t"), []byte("chunked")) || !header.IsHTTP11() {
				return false
			}
		}
	}
	return hosts <= 1 && lengths+encodings <= 1
}
