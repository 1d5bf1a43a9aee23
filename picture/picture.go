// Package picture takes pictures from strangers. It reads PNG, JPEG and WebP and draws
// what it saw anew, small, so that nothing of the file itself is ever served: no
// metadata, no other content behind the pixels, no surprise in size.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // registers the format
	"image/png"
	"math"
	"slices"
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers the format
)

// ErrUnreadable reports what is none of the formats, or broken.
var ErrUnreadable = errors.New("picture: not a whole PNG, JPEG or WebP")

// ErrPixels reports a picture with too many or too few pixels.
var ErrPixels = errors.New("picture: too many pixels, or too few")

// MaxPixels bounds what is decoded, whatever a small file claims to hold; MinSide is
// the least width and height.
const (
	MaxPixels = 12_000_000
	MinSide   = 16
)

// formats are ours: what other packages register is not for strangers.
var formats = []string{"png", "jpeg", "webp"}

// shrink is what the sides are multiplied with while the file is too long.
const shrink = 0.8

// Bounds are what a picture is drawn into. It is never enlarged, and keeps its shape.
type Bounds struct {
	Width, Height int // in pixels
	Bytes         int // of the PNG: a picture with too much detail becomes smaller
}

// Picture is one that we drew.
type Picture struct {
	PNG           []byte
	Width, Height int
}

// decoding lets one picture at a time be decoded, which bounds the memory it takes.
var decoding sync.Mutex

// Redraw draws the picture in the file anew. It fails with ErrUnreadable or ErrPixels.
func Redraw(file []byte, within Bounds) (Picture, error) {
	decoding.Lock()
	defer decoding.Unlock()
	head, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || !slices.Contains(formats, format) {
		return Picture{}, ErrUnreadable
	}
	if min(head.Width, head.Height) < MinSide || head.Width > MaxPixels/head.Height {
		return Picture{}, ErrPixels
	}
	source, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Picture{}, ErrUnreadable
	}
	scale := min(1, float64(within.Width)/float64(head.Width), float64(within.Height)/float64(head.Height))
	for {
		drawn, err := drawScaled(source, scale)
		if err != nil || len(drawn.PNG) <= within.Bytes || drawn.Width == 1 && drawn.Height == 1 {
			return drawn, err
		}
		scale *= shrink
	}
}

func drawScaled(source image.Image, scale float64) (Picture, error) {
	size := source.Bounds().Size()
	side := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	canvas := image.NewRGBA(image.Rect(0, 0, side(size.X), side(size.Y)))
	draw.CatmullRom.Scale(canvas, canvas.Bounds(), source, source.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, canvas); err != nil {
		return Picture{}, fmt.Errorf("picture: encode: %w", err)
	}
	return Picture{PNG: out.Bytes(), Width: canvas.Rect.Dx(), Height: canvas.Rect.Dy()}, nil
}
