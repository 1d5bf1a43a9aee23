package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

// noise is what compresses worst.
func noise(width, height int) *image.NRGBA {
	from := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = uint8(from.Uint32())
	}
	return m
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// webpOf is a lossless WebP of one colour: a header with the size, and codes of one
// symbol each, which take no bits.
func webpOf(width, height uint32) []byte {
	file := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f")
	file = binary.LittleEndian.AppendUint32(file, width-1|(height-1)<<14|1<<28)
	return append(file, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)
}

var within = Bounds{Width: 480, Height: 120, Bytes: 16 << 10}

// Each format comes out as a PNG within the bounds, in its shape, and never enlarged.
func TestRedraw(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file          []byte
		width, height int
	}{
		"PNG":    {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 1000, 500))), 240, 120},
		"wide":   {pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 100))), 480, 24},
		"small":  {pngOf(t, image.NewPaletted(image.Rect(0, 0, 20, 16), color.Palette{color.White, color.Black})), 20, 16},
		"narrow": {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 16, 4000))), 1, 120},
		"JPEG":   {jpegOf(t, image.NewGray(image.Rect(0, 0, 600, 600))), 120, 120},
		"WebP":   {webpOf(64, 32), 64, 32},
	} {
		p, err := Redraw(tc.file, within)
		if err != nil || p.Width != tc.width || p.Height != tc.height {
			t.Errorf("%s: %d×%d, %v", name, p.Width, p.Height, err)
			continue
		}
		if m, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || m.Bounds() != image.Rect(0, 0, p.Width, p.Height) {
			t.Errorf("%s: not the PNG that it says, %v", name, err)
		}
	}
}

// The colour and what shines through stay.
func TestRedraw_Colours(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range m.Pix {
		m.Pix[i] = []uint8{200, 30, 90, 128}[i%4]
	}
	p, err := Redraw(pngOf(t, m), Bounds{Width: 32, Height: 32, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	got, want := color.NRGBAModel.Convert(drawn.At(16, 16)).(color.NRGBA), color.NRGBA{200, 30, 90, 128}
	for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B), int(got.A) - int(want.A)} {
		if d < -2 || d > 2 {
			t.Errorf("the middle is %v, want %v", got, want)
		}
	}
}

// A picture with too much detail becomes smaller until it fits.
func TestRedraw_Bytes(t *testing.T) {
	t.Parallel()
	p, err := Redraw(pngOf(t, noise(480, 120)), within)
	if err != nil || len(p.PNG) > within.Bytes || p.Width >= 480 || p.Width < 50 {
		t.Errorf("%d bytes, %d×%d, %v", len(p.PNG), p.Width, p.Height, err)
	}
}

func TestRedraw_Refused(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, noise(100, 100))
	bomb := bytes.Clone(whole)
	binary.BigEndian.PutUint32(bomb[16:], 60_000) // the header claims 60 000 by 60 000
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	for name, tc := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":    {nil, ErrUnreadable},
		"an SVG":     {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrUnreadable},
		"a GIF":      {[]byte("GIF89a\x10\x00\x10\x00\x00\x00\x00;"), ErrUnreadable},
		"broken off": {whole[:len(whole)/2], ErrUnreadable},
		"a dot":      {pngOf(t, noise(MinSide-1, 100)), ErrPixels},
		"WebP bomb":  {webpOf(16_000, 16_000), ErrPixels},
	} {
		if p, err := Redraw(tc.file, within); !errors.Is(err, tc.want) || p.PNG != nil {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if _, err := Redraw(bomb, within); err == nil {
		t.Error("a bomb was drawn")
	}
}
