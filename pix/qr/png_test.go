package qr_test

import (
	"image"
	"strings"
	"testing"

	"garoupa/pix/qr"
)

// Modules are squares of a whole number of pixels, and the border is wide enough.
func TestPNG_Crisp(t *testing.T) {
	t.Parallel()
	symbol, err := qr.SVG(brCode)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{symbol.Modules + 8, 256, 300, 511, 512, 720} {
		file, err := qr.PNG(brCode, size)
		if err != nil {
			t.Fatal(err)
		}
		picture := decode(t, file)
		if picture.Bounds() != image.Rect(0, 0, size, size) {
			t.Errorf("size %d: %v", size, picture.Bounds())
		}
		scale := size / (symbol.Modules + 8)
		checkCrisp(t, picture, symbol.Modules, scale)
	}
}

func TestSmallPNG_Crisp(t *testing.T) {
	t.Parallel()
	file, err := qr.SmallPNG(brCode)
	if err != nil {
		t.Fatal(err)
	}
	if depth, color := file[24], file[25]; depth != 1 || color != 0 {
		t.Errorf("%d bits of color type %d, want 1 bit of gray", depth, color)
	}
	if len(file) > 1500 {
		t.Errorf("%d bytes are not small", len(file))
	}
	picture := decode(t, file)
	checkCrisp(t, picture, picture.Bounds().Dx()/4-8, 4)
}

// Symbols of all sizes, from the smallest to the largest, decode: the data has the checksum of its pixels.
func TestSmallPNG_Sizes(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 2331; n += 233 { // 2331 is the last
		file, err := qr.SmallPNG(strings.Repeat("x", n))
		if err != nil {
			t.Fatal(err)
		}
		picture := decode(t, file)
		checkCrisp(t, picture, picture.Bounds().Dx()/4-8, 4)
	}
}

// checkCrisp finds the symbol by its top left corner, which is always black, and checks
// every pixel.
func checkCrisp(t *testing.T, picture image.Image, modules, scale int) {
	t.Helper()
	size := picture.Bounds().Dx()
	margin := (size - modules*scale) / 2
	if margin < 4*scale {
		t.Fatalf("a margin of %d pixels is less than 4 modules of %d", margin, scale)
	}
	black := func(x, y int) bool {
		r, g, b, a := picture.At(x, y).RGBA()
		if a != 0xFFFF || r != g || g != b || r != 0 && r != 0xFFFF {
			t.Fatalf("the pixel at %d,%d is not black or white", x, y)
		}
		return r == 0
	}
	if !black(margin, margin) || !black(margin+modules*scale-1, margin) || !black(margin, margin+modules*scale-1) {
		t.Fatal("the three corner marks are out of place")
	}
	for y := range size {
		for x := range size {
			column, row := x-margin, y-margin
			inside := column >= 0 && row >= 0 && column < modules*scale && row < modules*scale
			want := inside && black(margin+column/scale*scale, margin+row/scale*scale)
			if black(x, y) != want {
				t.Fatalf("the pixel at %d,%d of %d is out of place", x, y, size)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", strings.Repeat("x", 2332)} { // level M ends at 2331 bytes
		if _, err := qr.SVG(text); err == nil {
			t.Errorf("SVG drew %d bytes", len(text))
		}
		if _, err := qr.PNG(text, 512); err == nil {
			t.Errorf("PNG drew %d bytes", len(text))
		}
		if _, err := qr.SmallPNG(text); err == nil {
			t.Errorf("SmallPNG drew %d bytes", len(text))
		}
	}
	if _, err := qr.SmallPNG(strings.Repeat("x", 2331)); err != nil {
		t.Errorf("SmallPNG = %v", err)
	}
	for _, size := range []int{-1, 0, 32} {
		if _, err := qr.PNG(brCode, size); err == nil {
			t.Errorf("PNG drew %d pixels", size)
		}
	}
}

func BenchmarkSVG(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := qr.SVG(brCode); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPNG(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := qr.PNG(brCode, 720); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSmallPNG(b *testing.B) {
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		file, err := qr.SmallPNG(brCode)
		if err != nil {
			b.Fatal(err)
		}
		size = len(file)
	}
	b.ReportMetric(float64(size), "bytes")
}
