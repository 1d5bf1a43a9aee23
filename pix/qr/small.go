package qr

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"rsc.io/qr/coding"
)

// DataURI returns SmallPNG as a data: URI, ready as the source of an image.
func DataURI(text string) (string, error) {
	const scheme = "data:image/png;base64,"
	image, err := SmallPNG(text)
	if err != nil {
		return "", err
	}
	uri := make([]byte, 0, len(scheme)+base64.StdEncoding.EncodedLen(len(image)))
	return string(base64.StdEncoding.AppendEncode(append(uri, scheme...), image)), nil
}

// SmallPNG draws text as an image of few bytes: 4 pixels a module, 1 bit a pixel, quiet
// zone included. Every answer about a test checkout embeds one, so it must not bound how
// many are made or listed. Hence rsc.io/qr: its symbol is a size larger at times (it does
// not mix alphabets and takes the first mask), but the image is there some thirty times
// sooner than skip2's symbol alone. Its plan of a symbol depends on the size only and is
// kept; the file is written here, for its own writer takes most of the time and more
// than twice the bytes.
func SmallPNG(text string) ([]byte, error) {
	symbol, err := encode(text)
	if err != nil {
		return nil, err
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.compress(symbol)

	side := uint32(symbol.Size+2*quiet) * scale
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	header = append(header, 1, 0, 0, 0, 0) // 1 bit of grey; deflate, adaptive filters, not interlaced
	file := make([]byte, 0, 64+w.data.Len())
	file = append(file, "\x89PNG\r\n\x1a\n"...)
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", w.data.Bytes())
	return appendChunk(file, "IEND", nil), nil
}

const scale = 4 // pixels a module in a small image: a module is half a byte

// plans holds the layout of each version (size) of symbol once it was needed. A plan is
// only read, so making one twice does no harm.
var plans [coding.MaxVersion + 1]atomic.Pointer[coding.Plan]

func encode(text string) (*coding.Code, error) {
	if text == "" {
		return nil, errors.New("qr: no text")
	}
	data := coding.String(text)
	version := coding.Version(coding.MinVersion)
	for data.Bits(version) > version.DataBytes(coding.M)*8 {
		if version == coding.MaxVersion {
			return nil, fmt.Errorf("qr: %d bytes are too many for a symbol", len(text))
		}
		version++
	}
	plan := plans[version].Load()
	if plan == nil {
		var err error
		if plan, err = coding.NewPlan(version, coding.M, 0); err != nil {
			return nil, fmt.Errorf("qr: plan version %d: %w", version, err)
		}
		plans[version].Store(plan)
	}
	symbol, err := plan.Encode(data)
	if err != nil {
		return nil, fmt.Errorf("qr: encode %d bytes: %w", len(text), err)
	}
	return symbol, nil
}

// writer compresses images. Its memory, far more than one image takes, is used again.
type writer struct {
	data bytes.Buffer
	zlib *zlib.Writer
	rows []byte
}

var writers = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // the level is valid
	return &writer{zlib: w}
}}

// compress fills w.data with the image data of symbol. A row of modules is one row of
// pixels and copies of it, which PNG's filter Up turns into zeros.
func (w *writer) compress(symbol *coding.Code) {
	const none, up = 0, 2
	width := (symbol.Size + 2*quiet + 1) / 2
	w.rows = w.rows[:0]
	for y := -quiet; y < symbol.Size+quiet; y++ {
		w.rows = append(w.rows, none)
		start := len(w.rows)
		for range width {
			w.rows = append(w.rows, 0xFF)
		}
		row := w.rows[start:]
		for x := range symbol.Size {
			if symbol.Black(x, y) {
				row[(x+quiet)/2] &^= 0xF0 >> ((x + quiet) % 2 * 4)
			}
		}
		for range scale - 1 {
			w.rows = append(w.rows, up)
			w.rows = append(w.rows, zeros[:width]...)
		}
	}
	w.data.Reset()
	w.zlib.Reset(&w.data)
	w.zlib.Write(w.rows) // a bytes.Buffer takes everything
	w.zlib.Close()
}

// zeros is as wide as the largest symbol, of 177 modules.
var zeros [(177 + 2*quiet + 1) / 2]byte

// appendChunk appends a chunk of a PNG file.
func appendChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
