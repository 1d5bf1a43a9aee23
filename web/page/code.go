package page

import "garoupa/pix/qr"

// QRImageSize is the width in pixels of a code that buyers save or merchants link to.
const QRImageSize = 720

// codeCache keeps drawn QR codes, because drawing takes milliseconds and a page is opened,
// polled and reopened.
type codeCache struct {
	symbols cache[qr.Symbol]
	images  cache[[]byte]
}

// Symbol returns a code as an SVG path.
func (c *codeCache) Symbol(code string) (qr.Symbol, error) { return c.symbols.load(code, qr.SVG) }

// Image returns a code as a PNG image, QRImageSize pixels wide.
func (c *codeCache) Image(code string) ([]byte, error) {
	return c.images.load(code, func(code string) ([]byte, error) { return qr.PNG(code, QRImageSize) })
}
