package qr

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// PNG draws text as a black and white image of size × size pixels, including the quiet
// zone. Every module has the same whole number of pixels, so edges are crisp; the remaining
// pixels widen the border. A size that leaves a module less than a pixel is an error;
// readers need three or more.
func PNG(text string, size int) ([]byte, error) {
	modules, err := matrix(text)
	if err != nil {
		return nil, err
	}
	scale := size / (len(modules) + 2*quiet)
	if scale < 1 {
		return nil, fmt.Errorf("qr: %d pixels are too few for %d modules and the quiet zone", size, len(modules))
	}
	margin := (size - len(modules)*scale) / 2
	picture := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y, row := range modules {
		lines := picture.Pix[(margin+y*scale)*size:][:scale*size]
		for x, black := range row {
			if black {
				bar := lines[margin+x*scale:][:scale]
				for i := range bar {
					bar[i] = 1
				}
			}
		}
		for i := 1; i < scale; i++ {
			copy(lines[i*size:], lines[:size])
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return nil, fmt.Errorf("qr: write image: %w", err)
	}
	return file.Bytes(), nil
}
