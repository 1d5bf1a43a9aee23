package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// noise returns the picture that compresses worst.
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

// webpOf returns a lossless WebP of one color: a header with the size, and codes of one
// symbol each, which take no bits.
func webpOf(width, height uint32) []byte {
	file := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f")
	file = binary.LittleEndian.AppendUint32(file, width-1|(height-1)<<14|1<<28)
	return append(file, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)
}

var (
	within = Bounds{Width: 480, Height: 120, Bytes: 16 << 10}
	photo  = Bounds{Format: JPEG, Width: 240, Height: 180, Bytes: 12 << 10}
)

// Each format is drawn within the bounds, in its proportions, and never enlarged.
func TestRedraw(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file          []byte
		width, height int
	}{
		"PNG":  {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 400, 200))), 240, 120},
		"wide": {pngOf(t, image.NewGray(image.Rect(0, 0, 1000, 50))), 480, 24},
		"small": {pngOf(t, image.NewPaletted(image.Rect(0, 0, 20, 16), color.Palette{color.White, color.Black})), 20,
			16},
		"narrow": {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 16, 3200))), 1, 120},
		"JPEG":   {jpegOf(t, image.NewGray(image.Rect(0, 0, 300, 300))), 120, 120},
		"WebP":   {webpOf(64, 32), 64, 32},
	} {
		drawn, err := Redraw(tc.file, within, photo)
		if err != nil || len(drawn) != 2 || drawn[0].Width != tc.width || drawn[0].Height != tc.height {
			t.Errorf("%s: %+v, %v", name, drawn, err)
			continue
		}
		for i, format := range []string{"png", "jpeg"} {
			m, got, err := image.Decode(bytes.NewReader(drawn[i].File))
			if err != nil || got != format || m.Bounds() != image.Rect(0, 0, drawn[i].Width, drawn[i].Height) {
				t.Errorf("%s: not the %s that it says but %s, %v", name, format, got, err)
			}
		}
	}
}

// Colors stay the same, in a PNG with transparency and in a JPEG on white, whether squares
// of pixels are averaged or not.
func TestRedraw_Colors(t *testing.T) {
	t.Parallel()
	for _, side := range []int{48, 64, 99} {
		m := image.NewNRGBA(image.Rect(0, 0, side, side))
		for i := range m.Pix {
			m.Pix[i] = []uint8{200, 30, 90, 128}[i%4]
		}
		drawn, err := Redraw(pngOf(t, m), Bounds{Width: 32, Height: 32, Bytes: 1 << 20},
			Bounds{Format: JPEG, Width: 20, Height: 32, Bytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []color.NRGBA{{200, 30, 90, 128}, {227, 142, 172, 255}} {
			if got := colorIn(t, drawn[i].File, 0.5, 0.5); !near(got, want, 4) {
				t.Errorf("%d pixels, drawing %d: the middle is %v, want %v", side, i, got, want)
			}
		}
	}
}

// colorIn returns the color at a fraction of a picture's width and height.
func colorIn(t *testing.T, file []byte, x, y float64) color.NRGBA {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	size := m.Bounds().Size()
	return color.NRGBAModel.Convert(m.At(int(x*float64(size.X)), int(y*float64(size.Y)))).(color.NRGBA)
}

func near(a, b color.NRGBA, by int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -by || d > by {
			return false
		}
	}
	return true
}

// A picture with too much detail gets a lower quality and becomes smaller until it fits.
func TestRedraw_Bytes(t *testing.T) {
	t.Parallel()
	all := []Bounds{{Width: 120, Height: 120, Bytes: 8 << 10}, {Format: JPEG, Width: 120, Height: 120, Bytes: 2 << 10}}
	drawn, err := Redraw(pngOf(t, noise(120, 90)), all...)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range all {
		if p := drawn[i]; len(p.File) > b.Bytes || len(p.File) < b.Bytes/2 || p.Width >= b.Width || p.Width < 30 {
			t.Errorf("%d bytes, %d×%d within %+v", len(p.File), p.Width, p.Height, b)
		}
	}
}

func TestRedraw_Refused(t *testing.T) {
	t.Parallel()
	image.RegisterFormat("other", "OTHER", // as another package of a program may
		func(io.Reader) (image.Image, error) { return noise(64, 64), nil },
		func(io.Reader) (image.Config, error) {
			return image.Config{ColorModel: color.NRGBAModel, Width: 64, Height: 64}, nil
		})
	whole, photo := pngOf(t, noise(100, 100)), jpegOf(t, noise(100, 100))
	bomb := bytes.Clone(whole)
	binary.BigEndian.PutUint32(bomb[16:], 60_000) // the header claims 60 000 by 60 000
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	scan := photo[bytes.Index(photo, []byte{0xff, startOfScan}) : len(photo)-2]
	for name, tc := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":           {nil, ErrUnreadable},
		"an SVG":            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrUnreadable},
		"a GIF":             {[]byte("GIF89a\x10\x00\x10\x00\x00\x00\x00;"), ErrUnreadable},
		"a page":            {append([]byte("<script>alert(1)</script>"), whole...), ErrUnreadable},
		"an animated WebP":  {animated(webpOf(64, 32)), ErrUnreadable},
		"a PNG broken off":  {whole[:len(whole)/2], ErrUnreadable},
		"a JPEG broken off": {photo[:len(photo)/2], ErrUnreadable},
		"a WebP broken off": {webpOf(64, 32)[:26], ErrUnreadable},
		"a JPEG of scans": {slices.Concat(photo[:len(photo)-2], bytes.Repeat(scan, maxScans), []byte{0xff, 0xd9}),
			ErrUnreadable},
		"a dot":            {pngOf(t, noise(MinSide-1, 100)), ErrPixels},
		"a WebP bomb":      {webpOf(16_000, 16_000), ErrPixels},
		"a row too many":   {webpOf(13_000, 1_001), ErrPixels},
		"another's format": {[]byte("OTHER"), ErrUnreadable},
	} {
		if drawn, err := Redraw(tc.file, within); !errors.Is(err, tc.want) || drawn != nil {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if _, err := Redraw(bomb, within); err == nil {
		t.Error("a bomb was drawn")
	}
}

// animated returns a WebP with one frame, in the form of an animation.
func animated(webp []byte) []byte {
	frame := append(binary.LittleEndian.AppendUint32([]byte("ANMF"), uint32(16+len(webp)-12)), make([]byte, 16)...)
	frame = append(frame, webp[12:]...)
	chunks := slices.Concat([]byte("WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x3f\x00\x00\x1f\x00\x00"),
		[]byte("ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"), frame)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks))), chunks...)
}

// Data behind or beside the pixels are removed: places, other files, names.
func TestRedraw_Alone(t *testing.T) {
	t.Parallel()
	secret := []byte("-23.5505,-46.6333 <script>alert(1)</script>")
	held := withEXIF(jpegOf(t, noise(64, 64)), exifOf(binary.LittleEndian, 6, secret))
	for name, file := range map[string][]byte{
		"JPEG": append(held, secret...),
		"PNG":  append(pngOf(t, noise(64, 64)), secret...),
		"animated PNG": append(slices.Insert(pngOf(t, noise(64, 64)), 33,
			chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})...), secret...),
		"PNG's text": slices.Insert(pngOf(t, noise(64, 64)), 33,
			chunk("tEXt", append([]byte("Comment\x00"), secret...))...),
	} {
		drawn, err := Redraw(file, within, photo)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range drawn {
			if bytes.Contains(p.File, secret) || bytes.Contains(p.File, []byte("script")) ||
				bytes.Contains(p.File, exifHeader) || bytes.Contains(p.File, []byte("Comment")) {
				t.Errorf("%s: more than its pixels came through", name)
			}
		}
	}
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}
