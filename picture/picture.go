// Package picture takes pictures from strangers. It reads PNG, JPEG and WebP and draws
// what it saw anew, small and upright, so that nothing of the file itself is ever
// served: no metadata, no other content behind the pixels, no surprise in size.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
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

// MaxPixels bounds what is decoded, whatever a small file claims to hold: a photo of
// 12 megapixels has up to 12.6 million. MinSide is the least width and height.
const (
	MaxPixels = 13_000_000
	MinSide   = 16
)

// maxScans bounds how often a JPEG draws over all of its pixels. Pictures have about
// ten scans; a file of nothing but scans would keep the processor for minutes.
const maxScans = 100

// formats are ours: what other packages register is not for strangers.
var formats = []string{"png", "jpeg", "webp"}

// Format is what a picture is written as.
type Format int

// PNG keeps what shines through; JPEG has it on white.
const (
	PNG Format = iota
	JPEG
)

// Bounds are what a picture is drawn into. It is never enlarged, and keeps its shape.
type Bounds struct {
	Format        Format
	Width, Height int // in pixels
	Bytes         int // of the file: a picture with too much detail becomes coarser, if it is a JPEG, and then smaller
}

// Picture is one that we drew.
type Picture struct {
	File          []byte
	Width, Height int // in pixels
}

// decoding lets one picture at a time be decoded, which bounds the memory it takes.
var decoding sync.Mutex

// Redraw draws the picture in the file anew, once within each of the bounds. It fails
// with ErrUnreadable or ErrPixels.
func Redraw(file []byte, within ...Bounds) ([]Picture, error) {
	decoding.Lock()
	defer decoding.Unlock()
	source, err := decode(file)
	if err != nil {
		return nil, err
	}
	held := orientationOf(file)
	size := held.turned(source.Bounds().Size())
	largest := 0.0
	for _, b := range within {
		largest = max(largest, b.scale(size))
	}
	upright := held.turn(reduce(source, int(1/largest)))
	var drawn []Picture
	for _, b := range within {
		p, err := b.draw(upright, size)
		if err != nil {
			return nil, fmt.Errorf("picture: encode: %w", err)
		}
		drawn = append(drawn, p)
	}
	return drawn, nil
}

func decode(file []byte) (image.RGBA64Image, error) {
	head, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || !slices.Contains(formats, format) {
		return nil, ErrUnreadable
	}
	if min(head.Width, head.Height) < MinSide || head.Width > MaxPixels/head.Height {
		return nil, ErrPixels
	}
	if format == "jpeg" && bytes.Count(file, []byte{0xff, startOfScan}) > maxScans {
		return nil, ErrUnreadable
	}
	source, _, err := image.Decode(bytes.NewReader(file))
	pixels, ok := source.(image.RGBA64Image)
	if err != nil || !ok {
		return nil, ErrUnreadable
	}
	return pixels, nil
}

// scale is what the sides of a picture are multiplied with to fit.
func (b Bounds) scale(size image.Point) float64 {
	return min(1, float64(b.Width)/float64(size.X), float64(b.Height)/float64(size.Y))
}

// shrink is what the sides are multiplied with while the file is too long.
const shrink = 0.85

// draw draws a picture, of which upright has enough pixels, as if it had a size.
func (b Bounds) draw(upright *image.RGBA, size image.Point) (Picture, error) {
	side := func(n int, scale float64) int { return max(1, int(math.Round(float64(n)*scale))) }
	for scale := b.scale(size); ; scale *= shrink {
		canvas := image.NewRGBA(image.Rect(0, 0, side(size.X, scale), side(size.Y, scale)))
		if b.Format == JPEG {
			draw.Draw(canvas, canvas.Rect, image.White, image.Point{}, draw.Src)
		}
		draw.CatmullRom.Scale(canvas, canvas.Rect, upright, upright.Rect, draw.Over, nil)
		file, err := b.encode(canvas)
		if err != nil || len(file) <= b.Bytes || canvas.Rect.Dx() == 1 && canvas.Rect.Dy() == 1 {
			return Picture{File: file, Width: canvas.Rect.Dx(), Height: canvas.Rect.Dy()}, err
		}
	}
}

// qualities of a JPEG, as long as the file is too long.
var qualities = []int{84, 76, 68, 60, 52}

func (b Bounds) encode(canvas *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	if b.Format == PNG {
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		err := encoder.Encode(&out, canvas)
		return out.Bytes(), err
	}
	for _, quality := range qualities {
		out.Reset()
		if err := jpeg.Encode(&out, canvas, &jpeg.Options{Quality: quality}); err != nil || out.Len() <= b.Bytes {
			return out.Bytes(), err
		}
	}
	return out.Bytes(), nil
}

// reduce makes one pixel of each square of so many a side. The scaler, which draws the
// rest of the way, keeps 32 bytes for each row of its source and column of its canvas:
// with a photo as it comes, three times what the photo takes.
func reduce(source image.RGBA64Image, square int) *image.RGBA {
	all := source.Bounds()
	reduced := image.NewRGBA(image.Rect(0, 0, (all.Dx()+square-1)/square, (all.Dy()+square-1)/square))
	for i := range len(reduced.Pix) / 4 {
		x, y := i%reduced.Rect.Dx()*square, i/reduced.Rect.Dx()*square
		part := image.Rect(x, y, x+square, y+square).Add(all.Min).Intersect(all)
		var r, g, b, a uint64
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				pixel := source.RGBA64At(x, y)
				r, g, b, a = r+uint64(pixel.R), g+uint64(pixel.G), b+uint64(pixel.B), a+uint64(pixel.A)
			}
		}
		n := uint64(part.Dx()*part.Dy()) << 8
		copy(reduced.Pix[4*i:], []uint8{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)})
	}
	return reduced
}
