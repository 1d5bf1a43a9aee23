// Package picture accepts pictures from strangers. It decodes PNG, JPEG and WebP and draws
// the result again, small and upright, so that nothing of the file itself is ever served:
// no metadata, no other content behind the pixels, and no unexpected size.
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

// ErrUnreadable reports a file in another format, or a broken one.
var ErrUnreadable = errors.New("picture: not a whole PNG, JPEG or WebP")

// ErrPixels reports a picture with too many or too few pixels.
var ErrPixels = errors.New("picture: too many pixels, or too few")

// MaxPixels bounds what is decoded, whatever size a file claims: a photo of 12 megapixels
// has up to 12.6 million. MinSide is the minimal width and height.
const (
	MaxPixels = 13_000_000
	MinSide   = 16
)

// maxScans bounds how often a JPEG draws all of its pixels. Pictures have about ten scans;
// a file that consists of scans would occupy the processor for minutes.
const maxScans = 100

// formats are the only accepted formats, even if other packages register more.
var formats = []string{"png", "jpeg", "webp"}

// Format is the format of a written picture.
type Format int

// PNG keeps transparency; JPEG has a white background.
const (
	PNG Format = iota
	JPEG
)

// Bounds are the limits of a written picture. A picture is never enlarged, and keeps its
// proportions.
type Bounds struct {
	Format        Format
	Width, Height int // in pixels
	// Bytes bounds the file: if it is too long, a JPEG gets a lower quality, and then the picture
	// becomes smaller.
	Bytes int
}

// Picture is a picture that Redraw has written.
type Picture struct {
	File          []byte
	Width, Height int // in pixels
}

// decoding allows one picture at a time to be decoded, which bounds memory.
var decoding sync.Mutex

// Redraw decodes the file and draws the picture again, once for each of the bounds. It
// fails with ErrUnreadable or ErrPixels.
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

// scale returns the factor for the sides of a picture to fit.
func (b Bounds) scale(size image.Point) float64 {
	return min(1, float64(b.Width)/float64(size.X), float64(b.Height)/float64(size.Y))
}

// shrink is the factor for the sides while the file is too long.
const shrink = 0.85

// draw draws upright, which has enough pixels, at a size.
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

// qualities are tried for a JPEG while the file is too long.
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

// reduce averages squares of pixels, square on a side, into one pixel each. The scaler,
// which does the rest, keeps 32 bytes for each row of its source and column of its canvas:
// for an unreduced photo three times the memory of the photo.
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
