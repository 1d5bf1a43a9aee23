package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how the camera was held, numbered as in EXIF: 1 is upright, 2 to 4 are
// mirrored or upside down, 5 to 8 lie on a side.
type orientation int

// Markers of a JPEG (ITU T.81, table B.1) and the tag in which phones say how they were
// held (EXIF 2.3, 4.6.4).
const (
	startOfScan    = 0xda
	application1   = 0xe1
	orientationTag = 0x0112
)

var exifHeader = []byte("Exif\x00\x00")

// orientationOf reads the orientation of a JPEG. If it has none, or none that can be read,
// the picture is upright.
func orientationOf(file []byte) orientation {
	if !bytes.HasPrefix(file, []byte{0xff, 0xd8}) {
		return 1
	}
	for rest := file[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker, length := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		switch {
		case marker == 0xff: // a fill byte
			rest = rest[1:]
			continue
		case marker == startOfScan || length < 2 || len(rest) < 2+length:
			return 1
		}
		if exif, ok := bytes.CutPrefix(rest[4:2+length], exifHeader); ok && marker == application1 {
			return orientationIn(exif)
		}
		rest = rest[2+length:]
	}
	return 1
}

// orientationIn reads the tag from the first directory of a TIFF structure.
func orientationIn(tiff []byte) orientation {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	start := uint64(order.Uint32(tiff[4:]))
	if start+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < 12 {
			return 1
		}
		const short = 3
		value := orientation(order.Uint16(entries[8:]))
		if order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == short && 1 <= value && value <= 8 {
			return value
		}
		entries = entries[12:]
	}
	return 1
}

func (o orientation) sideways() bool { return o >= 5 }

// turned returns the size of a picture after it is turned upright.
func (o orientation) turned(size image.Point) image.Point {
	if o.sideways() {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// turn returns the picture upright.
func (o orientation) turn(m *image.RGBA) *image.RGBA {
	if o == 1 {
		return m
	}
	last := m.Rect.Size().Sub(image.Pt(1, 1))
	upright := image.NewRGBA(image.Rectangle{Max: o.turned(m.Rect.Size())})
	for y := range upright.Rect.Dy() {
		for x := range upright.Rect.Dx() {
			from := image.Pt(x, y)
			if o.sideways() {
				from = image.Pt(y, x)
			}
			if o == 2 || o == 3 || o == 7 || o == 8 {
				from.X = last.X - from.X
			}
			if o == 3 || o == 4 || o == 6 || o == 7 {
				from.Y = last.Y - from.Y
			}
			upright.SetRGBA(x, y, m.RGBAAt(from.X, from.Y))
		}
	}
	return upright
}
