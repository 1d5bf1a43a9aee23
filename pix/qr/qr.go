// Package qr draws texts, mainly BR Codes, as QR codes (ISO/IEC 18004) at error correction
// level M. That level survives a scratched or reflecting screen, at a size that a phone
// still scans.
//
// SVG and PNG are for people: skip2/go-qrcode picks the smallest symbol and the best mask.
// This takes about a millisecond and hundreds of kilobytes of garbage, so callers keep the
// result. SmallPNG is for answers of the API, and costs a small fraction of that.
package qr

import (
	"fmt"
	"strconv"

	qrcode "github.com/skip2/go-qrcode"
)

// quiet is the white border that a reader needs on every side, in modules.
const quiet = 4

// Symbol is a QR code as a drawing. One module is one unit of length.
type Symbol struct {
	Modules int    // the length of a side, without the quiet zone
	Path    string // the d attribute of one SVG path to be filled with black
}

// SVG draws text without the quiet zone. The page adds it, at least 4 modules of white on
// every side, by its viewBox ("-4 -4 n n" with n = Modules + 8).
func SVG(text string) (Symbol, error) {
	modules, err := matrix(text)
	if err != nil {
		return Symbol{}, err
	}
	var path []byte
	penX, penY := 0, 0
	for y, row := range modules {
		for x := 0; x < len(row); {
			if !row[x] {
				x++
				continue
			}
			start := x
			for x < len(row) && row[x] {
				x++
			}
			path = appendRun(path, start-penX, y-penY, x-start)
			penX, penY = start, y
		}
	}
	return Symbol{Modules: len(modules), Path: string(path)}, nil
}

// appendRun draws a bar of black modules. The move is relative to the start of the previous
// bar, where closing it left the pen, because small numbers make a short path.
func appendRun(path []byte, dx, dy, length int) []byte {
	path = strconv.AppendInt(append(path, 'm'), int64(dx), 10)
	path = strconv.AppendInt(append(path, ' '), int64(dy), 10)
	path = strconv.AppendInt(append(path, 'h'), int64(length), 10)
	path = strconv.AppendInt(append(path, "v1h-"...), int64(length), 10)
	return append(path, 'z')
}

// matrix returns the modules of text by row, true for black, without the quiet zone.
func matrix(text string) ([][]bool, error) {
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return nil, fmt.Errorf("qr: encode %d bytes: %w", len(text), err)
	}
	code.DisableBorder = true
	return code.Bitmap(), nil
}
