package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
)

// exifOf returns a TIFF structure with a maker, the orientation, and the camera's location.
func exifOf(order binary.AppendByteOrder, held orientation, place []byte) []byte {
	out := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		out = []byte("II*\x00")
	}
	out = order.AppendUint32(out, 8)
	out = order.AppendUint16(out, 3)
	entry := func(tag, kind uint16, count uint32, value func([]byte) []byte) {
		out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, tag), kind), count)
		out = value(out)
	}
	after := uint32(8 + 2 + 3*12 + 4)
	entry(0x010f, 2, 4, func(b []byte) []byte { return append(b, "Eu\x00\x00"...) })
	entry(orientationTag, 3,
		1, func(b []byte) []byte { return order.AppendUint16(order.AppendUint16(b, uint16(held)), 0) })
	entry(0x8825, 2, uint32(len(place)), func(b []byte) []byte { return order.AppendUint32(b, after) })
	return append(order.AppendUint32(out, 0), place...)
}

// withEXIF puts a TIFF structure into a JPEG where cameras do.
func withEXIF(file, tiff []byte) []byte {
	segment := append(slices.Clone(exifHeader), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, application1}, uint16(2+len(segment)))
	return slices.Concat(file[:2], head, segment, file[2:])
}

// corners are the four colors of a test picture, left to right and top to bottom.
var corners = []color.NRGBA{{220, 20, 20, 255}, {20, 200, 20, 255}, {20, 20, 220, 255}, {240, 240, 240, 255}}

func cornered(width, height int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, corners[2*(2*y/height)+2*x/width])
		}
	}
	return m
}

// A photo is shown upright, with either byte order of the tag and at any reduced size. EXIF
// defines for each orientation the sides of the first row and column (2.3, 4.6.4).
func TestRedraw_Orientation(t *testing.T) {
	t.Parallel()
	sides := []string{1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left", 5: "left top", 6: "right top",
		7: "right bottom", 8: "left bottom"}
	across := map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
	for held := orientation(1); held <= 8; held++ {
		order := []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian}[held%2]
		file := withEXIF(jpegOf(t, cornered(160, 80)), exifOf(order, held, nil))
		drawn, err := Redraw(file, Bounds{Width: 30, Height: 30, Bytes: 1 << 20},
			Bounds{Format: JPEG, Width: 60, Height: 60, Bytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		row, column, _ := strings.Cut(sides[held], " ")
		for _, p := range drawn {
			if (p.Width > p.Height) != (held <= 4) {
				t.Errorf("%d: %d×%d", held, p.Width, p.Height)
			}
			for i, want := range corners {
				place := []string{row, column}
				if i >= 2 {
					place[0] = across[row]
				}
				if i%2 == 1 {
					place[1] = across[column]
				}
				x, y := 0.2, 0.2
				if slices.Contains(place, "right") {
					x = 0.8
				}
				if slices.Contains(place, "bottom") {
					y = 0.8
				}
				if got := colorIn(t, p.File, x, y); !near(got, want, 12) {
					t.Errorf("%d: %v at the %v, want %v", held, got, place, want)
				}
			}
		}
	}
}

// Every file has an orientation, whatever it contains.
func FuzzOrientation(f *testing.F) {
	file := []byte{0xff, 0xd8, 0xff, 0xd9}
	for held := orientation(0); held <= 9; held++ {
		f.Add(withEXIF(file, exifOf(binary.BigEndian, held, []byte("x"))))
		f.Add(withEXIF(file, exifOf(binary.LittleEndian, held, nil)))
	}
	beyond := exifOf(binary.BigEndian, 6, nil)
	binary.BigEndian.PutUint32(beyond[4:], 0xffff_fffe)
	f.Add(withEXIF(file, beyond))
	f.Add(withEXIF(file, exifOf(binary.LittleEndian, 3, nil)[:30]))
	f.Add([]byte{0xff, 0xd8, 0xff, 0xff, 0xff, application1, 0, 1})
	f.Fuzz(func(t *testing.T, file []byte) {
		if held := orientationOf(file); held < 1 || held > 8 {
			t.Errorf("orientation %d", held)
		}
	})
}

// A malformed orientation counts as upright.
func TestOrientation_Unknown(t *testing.T) {
	t.Parallel()
	file := []byte{0xff, 0xd8, 0xff, 0xd9}
	good := withEXIF(file, exifOf(binary.BigEndian, 6, nil))
	if held := orientationOf(good); held != 6 {
		t.Fatalf("%d", held)
	}
	for name, held := range map[string]orientation{
		"nothing": orientationOf(nil), "no JPEG": orientationOf(good[2:]), "broken off": orientationOf(good[:40]),
		"0":          orientationOf(withEXIF(file, exifOf(binary.BigEndian, 0, nil))),
		"9":          orientationOf(withEXIF(file, exifOf(binary.BigEndian, 9, nil))),
		"not TIFF":   orientationOf(withEXIF(file, []byte("MM*\x00\x00\x00\x00\x08"))),
		"after scan": orientationOf(slices.Concat(file[:2], []byte{0xff, startOfScan, 0, 2}, good[2:])),
		"elsewhere":  orientationOf(bytes.Replace(good, []byte{0xff, application1}, []byte{0xff, application1 + 1}, 1)),
	} {
		if held != 1 {
			t.Errorf("%s: %d", name, held)
		}
	}
}
