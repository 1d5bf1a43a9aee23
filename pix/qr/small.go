package qr

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"rsc.io/qr/coding"
)

// SmallPNG draws text as an image of few bytes: 4 pixels a module, 1 bit a pixel, including
// the quiet zone. Every answer about a test checkout embeds such an image, so it must be
// cheap. rsc.io/qr is about thirty times as fast as skip2, although its symbol is sometimes
// one size larger (it does not mix alphabets and takes the first mask). Its plan of a
// symbol depends only on the size and is kept. The file is written here, because the
// library's writer takes most of the time and more than twice the bytes.
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
	header = append(header, 1, 0, 0, 0, 0) // 1 bit of gray; deflate, adaptive filters, not interlaced
	file := make([]byte, 0, 64+w.data.Len())
	file = append(file, "\x89PNG\r\n\x1a\n"...)
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", w.data.Bytes())
	return appendChunk(file, "IEND", nil), nil
}

const scale = 4 // pixels a module in a small image: a module is half a byte

// plans holds the layout of each version (size) of symbol that was needed. A plan is only
// read, so creating one twice is harmless.
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

// writer compresses images. It is reused, because its memory is far more than one image
// needs.
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
	w.zlib.Write(w.rows) // a bytes.Buffer never fails
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
